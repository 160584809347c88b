//! Rows of an export: documents of dates and domains, or the rows of a query, at one version of the tables.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use tables::{DateRange, Table, days_from_date};

use crate::error::EngineError;
use crate::job::Job;
use crate::state::delta_scan::register;
use crate::state::sql::{QueryRows, checked_query, register_empty, register_inputs, session};

/// Columns of `documents` that are not metadata: fields of an exported document, texts, of which one is exported,
/// and partitions, which are a part of `fetched_at`.
const NOT_METADATA: [&str; 8] = [
    "date",
    "month",
    "year",
    "document_id",
    "url",
    "fetched_at",
    "text",
    "markdown",
];

/// The documents of an export.
#[derive(Debug, Clone)]
pub struct DocumentSelection {
    /// UTC days; all if `None`.
    pub dates: Option<DateRange>,
    /// Values of the column `domain`; all if empty.
    pub domains: Vec<String>,
    /// The column with the text of an exported document.
    pub text: TextColumn,
    /// Whether revisions of a page are documents too.
    pub revisions: bool,
}

/// A column of `documents` with the content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextColumn {
    /// `text`
    Text,
    /// `markdown`
    Markdown,
}

impl TextColumn {
    /// Returns the name of the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
        }
    }
}

/// Id and version of a table in the Delta log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadVersion {
    /// The id of the table.
    pub id: String,
    /// The version that is read.
    pub version: u64,
}

/// Rows with the columns `id`, `text`, `url`, `date` and others, at the versions of the tables when this was
/// opened.
pub struct ExportRows {
    context: SessionContext,
    rows: Selected,
    versions: BTreeMap<String, ReadVersion>,
}

enum Selected {
    Documents {
        selection: DocumentSelection,
        /// Dates of the partitions with rows, in order, within the dates of the selection.
        partitions: Vec<DateRange>,
    },
    Query(String),
}

impl std::fmt::Debug for ExportRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ExportRows({:?})", self.versions)
    }
}

impl ExportRows {
    /// Opens the documents of `selection`.
    ///
    /// # Errors
    /// [`EngineError::NoTable`] without a table `documents`, [`EngineError::Table`] if it cannot be read.
    pub async fn documents(job: &Job, selection: DocumentSelection) -> Result<Self, EngineError> {
        let context = session(job).map_err(EngineError::query)?;
        let table = Table::Documents;
        let opened = (job.output.open(table).await?).ok_or_else(|| EngineError::NoTable {
            table: table.name(),
            location: job.output.location().to_string(),
            remedy: "run dates of the job first: urltree backfill",
        })?;
        register(&context, table, &opened)
            .await
            .map_err(EngineError::query)?;
        let partitioning = job.output.partitioning();
        let mut partitions: Vec<DateRange> = job
            .output
            .partitions_of(table, &opened)
            .await?
            .iter()
            .filter_map(|value| partitioning.parse_value(value))
            .filter_map(|partition| within(partition, selection.dates))
            .collect();
        partitions.sort_unstable_by_key(|partition| partition.first());
        Ok(Self {
            context,
            versions: read_versions([(table, &opened)]),
            rows: Selected::Documents {
                selection,
                partitions,
            },
        })
    }

    /// Opens the rows of the query `sql` over the tables and the archive.
    ///
    /// # Errors
    /// [`EngineError::NotAQuery`] for a statement that changes something, and [`EngineError::Query`] if the
    /// statement is invalid.
    pub async fn query(job: &Job, sql: &str) -> Result<Self, EngineError> {
        let context = session(job).map_err(EngineError::query)?;
        let mut opened = Vec::new();
        for table in Table::ALL {
            match job.output.open(table).await? {
                Some(found) => {
                    let registered = register(&context, table, &found).await;
                    registered.map_err(EngineError::query)?;
                    opened.push((table, found));
                }
                None if table == Table::UrlParameters => register_empty(&context, table)?,
                None => {}
            }
        }
        register_inputs(&context, job).await?;
        let plan = checked_query(&context, sql).await?;
        let read = tables_of(&plan)?;
        let opened = opened
            .iter()
            .filter(|(table, _)| read.contains(table.name()));
        Ok(Self {
            versions: read_versions(opened.map(|(table, opened)| (*table, opened))),
            context,
            rows: Selected::Query(sql.to_owned()),
        })
    }

    /// Returns the versions of the tables that are read, by name.
    pub fn versions(&self) -> &BTreeMap<String, ReadVersion> {
        &self.versions
    }

    /// Whether these are rows of a query, which [`ExportRows::query_rows`] reads.
    pub fn is_query(&self) -> bool {
        matches!(self.rows, Selected::Query(_))
    }

    /// Returns the parts in which [`ExportRows::part`] gives documents, in order: the dates of the partitions.
    /// A query has none of these.
    pub fn partitions(&self) -> &[DateRange] {
        match &self.rows {
            Selected::Documents { partitions, .. } => partitions,
            Selected::Query(_) => &[],
        }
    }

    /// Returns the domains of the selection of which no date has a document.
    ///
    /// # Errors
    /// As [`ExportRows::part`].
    pub async fn absent_domains(&self) -> Result<Vec<String>, EngineError> {
        let Selected::Documents { selection, .. } = &self.rows else {
            return Ok(Vec::new());
        };
        if selection.domains.is_empty() {
            return Ok(Vec::new());
        }
        let found = async {
            let frame = self.selected(selection, selection.dates).await?;
            let frame = frame.select(vec![ident("domain")])?.distinct()?;
            frame.collect().await
        };
        let found = found.await.map_err(EngineError::query)?;
        let mut absent: BTreeSet<String> = selection.domains.iter().cloned().collect();
        for batch in &found {
            let domains = arrow::compute::cast(batch.column(0), &arrow::datatypes::DataType::Utf8);
            let domains = domains.map_err(|error| EngineError::query(error.into()))?;
            for domain in arrow::array::AsArray::as_string::<i32>(&domains)
                .iter()
                .flatten()
            {
                absent.remove(domain);
            }
        }
        Ok(absent.into_iter().collect())
    }

    /// Starts to read the documents of `dates`, one of [`ExportRows::partitions`], ordered by date, domain,
    /// time and URL.
    ///
    /// # Errors
    /// [`EngineError::Query`] if the table lacks the column of the text.
    pub async fn part(&self, dates: DateRange) -> Result<QueryRows, EngineError> {
        let rows = async {
            let Selected::Documents { selection, .. } = &self.rows else {
                return Err(DataFusionError::Plan("a query has no dates".to_owned()));
            };
            let frame = self.selected(selection, Some(dates)).await?;
            let named = |column: &str, name: &str| ident(column).alias(name);
            let mut columns = vec![
                match frame
                    .schema()
                    .has_column_with_unqualified_name("document_id")
                {
                    true => named("document_id", "id"),
                    false => lit(ScalarValue::Utf8(None)).alias("id"),
                },
                named(selection.text.name(), "text"),
                ident("url"),
                named("fetched_at", "date"),
            ];
            let metadata = frame.schema().fields().iter().map(|field| field.name());
            let metadata = metadata.filter(|name| !NOT_METADATA.contains(&name.as_str()));
            columns.extend(metadata.map(ident));
            // No two documents have one URL at one time, so the order is total.
            let order = ["date", "domain", "fetched_at", "url"];
            let frame = frame.sort(order.map(|column| ident(column).sort(true, false)).to_vec())?;
            frame.select(columns)?.execute_stream().await
        };
        rows.await.map(QueryRows::new).map_err(EngineError::query)
    }

    /// Starts to read the rows of the query. Without ORDER BY they are sorted by `date`, `id`, `url` and
    /// `text`, as far as they have these columns.
    ///
    /// # Errors
    /// [`EngineError::Query`] if the query cannot be started.
    pub async fn query_rows(&self) -> Result<QueryRows, EngineError> {
        let Selected::Query(sql) = &self.rows else {
            let not = DataFusionError::Plan("documents are read by their dates".to_owned());
            return Err(EngineError::query(not));
        };
        let plan = checked_query(&self.context, sql).await?;
        let is_ordered = is_ordered(&plan);
        let frame = DataFrame::new(self.context.state(), plan);
        let rows = async {
            let order = ["date", "id", "url", "text"].into_iter();
            let order = order.filter(|column| {
                let named = frame.schema().fields().iter();
                named.filter(|field| field.name() == column).count() == 1
            });
            let order: Vec<_> = order
                .map(|column| ident(column).sort(true, false))
                .collect();
            match is_ordered || order.is_empty() {
                true => frame.execute_stream().await,
                false => frame.sort(order)?.execute_stream().await,
            }
        };
        rows.await.map(QueryRows::new).map_err(EngineError::query)
    }

    /// Returns the rows of `documents` of a selection on `dates`.
    async fn selected(
        &self,
        selection: &DocumentSelection,
        dates: Option<DateRange>,
    ) -> Result<DataFrame, DataFusionError> {
        let text = selection.text.name();
        let mut frame = self.context.table(Table::Documents.name()).await?;
        let mut conditions = vec![ident(text).is_not_null(), ident(text).not_eq(lit(""))];
        if let Some(dates) = dates {
            conditions.push(ident("date").between(day(dates.first()), day(dates.last())));
        }
        if !selection.domains.is_empty() {
            let domains = selection.domains.iter().map(|domain| lit(domain.as_str()));
            conditions.push(ident("domain").in_list(domains.collect(), false));
        }
        if !selection.revisions {
            conditions.push(ident("status").eq(lit("unique")));
        }
        for condition in conditions {
            frame = frame.filter(condition)?;
        }
        Ok(frame)
    }
}

fn day(date: NaiveDate) -> Expr {
    Expr::Literal(ScalarValue::Date32(Some(days_from_date(date))), None)
}

/// Returns the dates of `partition` within `dates`.
fn within(partition: DateRange, dates: Option<DateRange>) -> Option<DateRange> {
    let Some(dates) = dates else {
        return Some(partition);
    };
    let first = partition.first().max(dates.first());
    let last = partition.last().min(dates.last());
    (first <= last).then(|| DateRange::between(first, last))
}

fn read_versions<'a>(
    opened: impl IntoIterator<Item = (Table, &'a DeltaTable)>,
) -> BTreeMap<String, ReadVersion> {
    let version = |opened: &DeltaTable| {
        Some(ReadVersion {
            id: opened.snapshot().ok()?.metadata().id().to_owned(),
            version: opened.version()?,
        })
    };
    let versions = opened.into_iter().filter_map(|(table, opened)| {
        let version = version(opened)?;
        Some((table.name().to_owned(), version))
    });
    versions.collect()
}

/// Returns the names of the tables that a plan reads, in its subqueries too.
fn tables_of(plan: &LogicalPlan) -> Result<BTreeSet<String>, EngineError> {
    use datafusion::common::tree_node::TreeNodeRecursion;
    let mut names = BTreeSet::new();
    let visited = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            names.insert(scan.table_name.table().to_owned());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    visited.map_err(EngineError::query)?;
    Ok(names)
}

/// Whether a query has an order that its rows come in.
fn is_ordered(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(_) => true,
        LogicalPlan::Limit(limit) => is_ordered(&limit.input),
        LogicalPlan::Projection(projection) => is_ordered(&projection.input),
        _ => false,
    }
}
