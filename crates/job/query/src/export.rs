//! Rows of an export: documents of dates and domains, or the rows of a query, at one version of the tables.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use engine::{EngineError, Job};
use tables::{DateRange, Table};

use crate::conditions::within;
use crate::inputs::register_inputs;
use crate::query_rows::QueryRows;
use crate::rows::Rows;
use crate::session::{RUN_FIRST, open_existing, session};
use crate::sql::{checked_query, open_for_sql};
use crate::warc_file::warc_file;

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

/// The order of documents. It is total: of one URL at one time there are only revisions with other texts.
const ORDER: [&str; 6] = [
    "date",
    "domain",
    "fetched_at",
    "url",
    "status",
    "content_digest",
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
    /// The columns beside `id`, `text`, `url` and `date`.
    pub columns: DocumentColumns,
}

/// The columns of an exported document beside `id`, `text`, `url` and `date`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentColumns {
    /// All columns of the table.
    All,
    /// Those that FineWeb has: `file_path`, the column `warc_file` of the archive if it is passed through, `language` and
    /// `language_score`.
    FineWeb,
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
        let context = session(job)?;
        let table = Table::Documents;
        let opened = open_existing(&context, job, table, RUN_FIRST).await?;
        let partitioning = job.output.partitioning_of_opened(table, &opened)?;
        let mut partitions: Vec<DateRange> = job
            .output
            .partitions_of(table, &opened)
            .await?
            .iter()
            .filter_map(|value| partitioning.parse_value(value))
            .filter_map(|partition| dates_within(partition, selection.dates))
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
        let context = session(job)?;
        let opened = open_for_sql(&context, job, Table::ALL).await?;
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

    /// Whether these are rows of a query.
    pub fn is_query(&self) -> bool {
        matches!(self.rows, Selected::Query(_))
    }

    /// Returns the dates of the partitions that have documents, in order. A query has none.
    pub fn partitions(&self) -> &[DateRange] {
        match &self.rows {
            Selected::Documents { partitions, .. } => partitions,
            Selected::Query(_) => &[],
        }
    }

    /// Returns the domains of the selection of which no date has a document.
    ///
    /// # Errors
    /// As [`ExportRows::rows`].
    pub async fn absent_domains(&self) -> Result<Vec<String>, EngineError> {
        let Selected::Documents { selection, .. } = &self.rows else {
            return Ok(Vec::new());
        };
        if selection.domains.is_empty() {
            return Ok(Vec::new());
        }
        let found = async {
            // Without a condition on texts, which would be read.
            let mut frame = self.context.table(Table::Documents.name()).await?;
            for condition in conditions(selection, selection.dates) {
                frame = frame.filter(condition)?;
            }
            let frame = frame.select(vec![ident("domain")])?.distinct()?;
            Rows::collect(frame).await?.texts("domain")
        };
        let found = found.await.map_err(EngineError::query)?;
        let mut absent: BTreeSet<String> = selection.domains.iter().cloned().collect();
        for domain in found.iter().flatten() {
            absent.remove(domain);
        }
        Ok(absent.into_iter().collect())
    }

    /// Starts to read the documents of `dates`, or of all dates of the selection, ordered by date, domain, time
    /// and URL. The rows of a query are not divided by dates. Without ORDER BY they are sorted by `date`, `id`,
    /// `url` and `text`, as far as they have these columns.
    ///
    /// # Errors
    /// [`EngineError::Query`] if the rows cannot be read, for example because the table lacks the column of the
    /// text.
    pub async fn rows(&self, dates: Option<DateRange>) -> Result<QueryRows, EngineError> {
        let rows = match &self.rows {
            Selected::Query(sql) => {
                let plan = checked_query(&self.context, sql).await?;
                in_order(plan, &self.context)
            }
            Selected::Documents { selection, .. } => {
                let dates = dates.or(selection.dates);
                let selected = self.selected(selection, dates).await;
                selected.and_then(|frame| documents(frame, selection))
            }
        };
        let rows = async { QueryRows::start(rows?).await };
        rows.await.map_err(EngineError::query)
    }

    /// Returns the rows of `documents` of a selection on `dates`.
    async fn selected(
        &self,
        selection: &DocumentSelection,
        dates: Option<DateRange>,
    ) -> Result<DataFrame, DataFusionError> {
        let text = selection.text.name();
        let mut frame = self.context.table(Table::Documents.name()).await?;
        let has_text = [ident(text).is_not_null(), ident(text).not_eq(lit(""))];
        for condition in conditions(selection, dates).into_iter().chain(has_text) {
            frame = frame.filter(condition)?;
        }
        Ok(frame)
    }
}

/// Gives rows of `documents` the columns and the order of an export.
fn documents(
    frame: DataFrame,
    selection: &DocumentSelection,
) -> Result<DataFrame, DataFusionError> {
    let has = |column: &str| frame.schema().has_column_with_unqualified_name(column);
    let id = match has("document_id") {
        true => ident("document_id"),
        // Tables of an earlier version have no ids.
        false => lit(ScalarValue::Utf8(None)),
    };
    let mut columns = vec![
        id.alias("id"),
        ident(selection.text.name()).alias("text"),
        ident("url"),
        ident("fetched_at").alias("date"),
    ];
    match selection.columns {
        DocumentColumns::All => {
            let metadata = frame.schema().fields().iter().map(|field| field.name());
            let metadata = metadata.filter(|name| !NOT_METADATA.contains(&name.as_str()));
            columns.extend(metadata.map(ident));
        }
        DocumentColumns::FineWeb => {
            let archive = Some("archive").filter(|name| has(name));
            columns.extend(archive.map(|name| warc_file(ident(name)).alias("file_path")));
            let languages = ["language", "language_score"].into_iter();
            columns.extend(languages.filter(|name| has(name)).map(ident));
        }
    }
    let order: Vec<_> = ORDER
        .into_iter()
        .filter(|column| has(column))
        .map(|column| ident(column).sort(true, false))
        .collect();
    frame.sort(order)?.select(columns)
}

/// Sorts the rows of a query that has no order.
fn in_order(plan: LogicalPlan, context: &SessionContext) -> Result<DataFrame, DataFusionError> {
    let is_ordered = is_ordered(&plan);
    let frame = DataFrame::new(context.state(), plan);
    let is_column = |column: &&str| {
        let fields = frame.schema().fields().iter();
        fields.filter(|field| field.name() == column).count() == 1
    };
    let order = ["date", "id", "url", "text"].into_iter().filter(is_column);
    let order: Vec<_> = order
        .map(|column| ident(column).sort(true, false))
        .collect();
    match is_ordered || order.is_empty() {
        true => Ok(frame),
        false => frame.sort(order),
    }
}

/// Returns the conditions of a selection on `dates`, but for that on texts.
fn conditions(selection: &DocumentSelection, dates: Option<DateRange>) -> Vec<Expr> {
    let mut conditions = Vec::new();
    if let Some(dates) = dates {
        conditions.push(within(dates));
    }
    if !selection.domains.is_empty() {
        let domains = selection.domains.iter().map(|domain| lit(domain.as_str()));
        conditions.push(ident("domain").in_list(domains.collect(), false));
    }
    if !selection.revisions {
        conditions.push(ident("status").eq(lit("unique")));
    }
    conditions
}

/// Returns the dates of `partition` within `dates`.
fn dates_within(partition: DateRange, dates: Option<DateRange>) -> Option<DateRange> {
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
