//! Rows of an export: documents of dates and domains, or the rows of a query, at one version of the tables.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::common::ScalarValue;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use engine::{EngineError, Job};
use tables::{DateRange, Table};

use crate::conditions::within;
use crate::query_rows::QueryRows;
use crate::rows::Rows;
use crate::session::{RUN_FIRST, open_existing, session};
use crate::sql::{checked_query, open_named};
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
    /// The column with the text of an exported document: `text` or `markdown`.
    pub text: &'static str,
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
        let values = job.output.partitions_of(table, &opened).await?;
        let partitions = (values.iter())
            .filter_map(|value| partitioning.parse_value(value))
            .filter_map(|partition| dates_within(partition, selection.dates))
            .collect();
        Ok(Self {
            context,
            versions: read_versions(&[(table, opened)]),
            rows: Selected::Documents {
                selection,
                partitions,
            },
        })
    }

    /// Opens the rows of the query `sql` over the tables and the archive.
    ///
    /// # Errors
    /// Those of [`stream_query`](crate::stream_query).
    pub async fn query(job: &Job, sql: &str) -> Result<Self, EngineError> {
        let context = session(job)?;
        let opened = open_named(&context, job, sql).await?;
        checked_query(&context, sql).await?;
        Ok(Self {
            versions: read_versions(&opened),
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
        let selection = match &self.rows {
            Selected::Documents { selection, .. } if !selection.domains.is_empty() => selection,
            _ => return Ok(Vec::new()),
        };
        // Without a condition on texts, which would be read.
        let conditions = conditions(selection, selection.dates);
        let documents = self.selected(conditions).await?;
        let found = Rows::collect(documents.select_columns(&["domain"])?.distinct()?).await?;
        let mut absent: BTreeSet<String> = selection.domains.iter().cloned().collect();
        for row in found.iter() {
            absent.remove(row.text("domain"));
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
                in_order(checked_query(&self.context, sql).await?, &self.context)?
            }
            Selected::Documents { selection, .. } => {
                let mut conditions = conditions(selection, dates.or(selection.dates));
                let text = ident(selection.text);
                conditions.extend([text.clone().is_not_null(), text.not_eq(lit(""))]);
                documents(self.selected(conditions).await?, selection)?
            }
        };
        QueryRows::start(rows).await
    }

    /// Returns the rows of `documents` that fulfil conditions.
    async fn selected(&self, conditions: Vec<Expr>) -> Result<DataFrame, DataFusionError> {
        let documents = self.context.table(Table::Documents.name()).await?;
        (conditions.into_iter()).try_fold(documents, DataFrame::filter)
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
        ident(selection.text).alias("text"),
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
    let order = ORDER.into_iter().filter(|column| has(column));
    let order = order.map(ident).collect();
    frame.sort_by(order)?.select(columns)
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
    let order: Vec<Expr> = order.map(ident).collect();
    match is_ordered || order.is_empty() {
        true => Ok(frame),
        false => frame.sort_by(order),
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

fn read_versions(opened: &[(Table, DeltaTable)]) -> BTreeMap<String, ReadVersion> {
    let version = |(table, opened): &(Table, DeltaTable)| {
        let id = opened.snapshot().ok()?.metadata().id().to_owned();
        let version = opened.version()?;
        Some((table.name().to_owned(), ReadVersion { id, version }))
    };
    opened.iter().filter_map(version).collect()
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
