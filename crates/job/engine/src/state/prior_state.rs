//! What earlier dates left for a chunk: the URL keys it may meet again, and
//! the windows of its domains.

use std::collections::BTreeSet;

use arrow::datatypes::SchemaRef;
use chrono::NaiveDate;
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, cast, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use tables::{DateRange, Output, Table, TableError, date_from_days, days_from_date};
use url_tree::{DAY_MICROS, WindowOptions};

use crate::job::Job;
use crate::key_cache::Horizon;
use crate::plan::columns::schemas::{BLOCKED, KEYED, Phase, Status};
use crate::state::delta_scan::register;
use crate::state::monthly_rollup::MonthlyRollup;

/// Batches of remembered pages count up from here, in the order of their
/// ordinals, before any batch of the run.
const FIRST_WINDOW_BATCH: i64 = i64::MIN / 2;

/// Rows of `url_keys` that are the first page of their key.
pub(crate) const IS_FIRST_PAGE: &str =
    "duplicate_of IS NULL AND status IN ('unique', 'quarantined')";

/// The tables as they were before the chunk; `None` where they do not exist or have no
/// rows.
#[derive(Debug, Default)]
pub(crate) struct PriorState {
    pub(crate) url_keys: Option<NonEmptyTable>,
    pub(crate) window_entries: Option<NonEmptyTable>,
    pub(crate) rollup: MonthlyRollup,
}

/// A table that has rows, and the partitions that have them.
#[derive(Debug)]
pub(crate) struct NonEmptyTable {
    table: DeltaTable,
    pub(crate) partitions: BTreeSet<String>,
}

impl NonEmptyTable {
    async fn open(output: &Output, table: Table) -> Result<Option<Self>, TableError> {
        let Some(opened) = output.open(table).await? else {
            return Ok(None);
        };
        let partitions = output.partitions_of(table, &opened).await?;
        Ok((!partitions.is_empty()).then_some(Self {
            table: opened,
            partitions,
        }))
    }
}

impl PriorState {
    pub(crate) async fn open(job: &Job) -> Result<Self, TableError> {
        let output = &job.output;
        Ok(Self {
            url_keys: NonEmptyTable::open(output, Table::UrlKeys).await?,
            window_entries: NonEmptyTable::open(output, Table::WindowEntries).await?,
            rollup: MonthlyRollup::open(output, job.settings.window).await?,
        })
    }

    /// Makes the tables known to `context`, and as `prior_window_entries` the rows of `window_entries`
    /// before `end` that can be in a window then.
    pub(crate) async fn register(&self, context: &SessionContext, end: NaiveDate) -> Result<()> {
        if let Some(url_keys) = &self.url_keys {
            register(context, Table::UrlKeys, &url_keys.table).await?;
        }
        if let Some(window_entries) = &self.window_entries {
            register(context, Table::WindowEntries, &window_entries.table).await?;
            self.rollup.register(context, end).await?;
        }
        Ok(())
    }

    /// Is there nothing before the chunk?
    pub(crate) fn is_empty(&self) -> bool {
        self.url_keys.is_none() && self.window_entries.is_none()
    }

    /// First pages of URL keys on dates before the chunk, as rows of [`KEYED`]; here and
    /// there one of a key that only shares the bits.
    pub(crate) async fn keys(
        &self,
        context: &SessionContext,
        horizon: Horizon,
        chunk: DateRange,
    ) -> Result<Option<LogicalPlan>> {
        if self.url_keys.is_none() {
            return Ok(None);
        }
        // A window is cut by its number of keys: all of the domain are needed.
        let whole_domains = horizon.is_of_domains();
        let of_keys = match whole_domains {
            true => String::new(),
            false => format!("AND chunk_contains_key(key_hash(url_key))"),
        };
        let rollup = &self.rollup;
        let dates = (rollup.candidate_dates(context, whole_domains, chunk)).await?;
        let since = match horizon {
            Horizon::Micros(reach) => {
                let micros = i64::from(days_from_date(chunk.first())) * DAY_MICROS - reach;
                // The days of an i64 of microseconds are at most 1.1e8, so this never saturates.
                let days = i32::try_from(micros.div_euclid(DAY_MICROS)).unwrap_or(i32::MIN);
                format!(
                    "AND CAST(fetched_at AS BIGINT) >= {micros} AND date >= DATE '{}'",
                    date_from_days(days)
                )
            }
            Horizon::All | Horizon::Window(_) => String::new(),
        };
        let query = format!(
            "SELECT url_keys.* FROM {} WHERE {dates} AND {IS_FIRST_PAGE} {since} {of_keys}",
            semi_join_domains("url_keys")
        );
        let found = context.sql(&query).await?;
        let given = vec![
            ("generation", lit(0)),
            ("status", lit(Status::Known.as_str())),
        ];
        select_columns(found, &KEYED, given).map(Some)
    }

    /// Windows of the chunk's domains after the last date before it, as rows
    /// of [`BLOCKED`].
    pub(crate) async fn windows(
        &self,
        context: &SessionContext,
        window: WindowOptions,
    ) -> Result<Option<LogicalPlan>> {
        if self.window_entries.is_none() {
            return Ok(None);
        }
        let query = windows_query(&semi_join_domains("prior_window_entries"), window);
        let found = context.sql(&query).await?;
        let given = vec![
            ("batch", ident("ordinal") + lit(FIRST_WINDOW_BATCH)),
            ("phase", lit(Phase::WindowEntry as i32)),
            ("row", ident("ordinal")),
            (
                "status",
                datafusion::prelude::when(
                    ident("entry").eq(lit("revision")),
                    lit(Status::Revision.as_str()),
                )
                .otherwise(lit(Status::Unique.as_str()))?,
            ),
        ];
        select_columns(found, &BLOCKED, given).map(Some)
    }
}

/// The query for the rows of `prior_window_entries` that are in the window of their domain. Of
/// which domains, `entries` says: `prior_window_entries`, or part of its rows.
///
/// A window is a suffix of the domain's entries in the order of their ordinals:
/// it starts at the first that is among the newest `min_documents`, or among the
/// newest `max_documents` and young enough [O F1, F2].
pub(crate) fn windows_query(entries: &str, window: WindowOptions) -> String {
    format!(
        "WITH entries AS ( \
           SELECT domain, ordinal, CAST(fetched_at AS BIGINT) AS micros, \
             row_number() OVER (PARTITION BY domain ORDER BY ordinal DESC) AS place, \
             max(CAST(fetched_at AS BIGINT)) OVER (PARTITION BY domain) AS newest \
           FROM {entries}), \
         starts AS ( \
           SELECT domain AS start_domain, min(ordinal) AS start FROM entries \
           WHERE place <= {min} OR (place <= {max} AND newest - micros <= {age}) \
           GROUP BY domain) \
         SELECT prior_window_entries.* FROM starts JOIN prior_window_entries ON domain = start_domain WHERE ordinal >= start",
        min = window.min_pages,
        max = window.max_pages,
        age = window.max_age_micros,
    )
}

/// The rows of `table` whose domain the chunk has. The chunk is bounded and the table is
/// not: it stands on the left, where a hash join builds, and the table streams past it.
pub(crate) fn semi_join_domains(table: &str) -> String {
    format!("chunk_domains RIGHT SEMI JOIN {table} ON chunk_domains.domain = {table}.domain")
}

/// `rows` with the columns of `schema`: the given ones, those of the same name,
/// and nulls.
pub(crate) fn select_columns(
    rows: DataFrame,
    schema: &SchemaRef,
    given: Vec<(&str, Expr)>,
) -> Result<LogicalPlan> {
    let columns = schema
        .fields()
        .iter()
        .map(|field| {
            let name = field.name().as_str();
            let known = rows.schema().has_column_with_unqualified_name(name);
            let value = match given.iter().find(|(given, _)| *given == name) {
                Some((_, value)) => value.clone(),
                None if known => ident(name),
                None => Expr::Literal(ScalarValue::try_from(field.data_type())?, None),
            };
            Ok(cast(value, field.data_type().clone()).alias(name))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(rows.select(columns)?.into_unoptimized_plan())
}
