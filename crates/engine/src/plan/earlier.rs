//! What earlier dates left for a chunk: the URL keys it may meet again, and
//! the windows of its domains.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, cast, ident, lit};
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use tables::{DateRange, Output, Table, TableError, days_from_date};
use url_tree::WindowOptions;

use super::stage::{BLOCKED, KEYED, Phase, Status};
use crate::key_cache::Horizon;

/// Batches of remembered pages count up from here, in the order of their
/// ordinals, before any batch of the run.
const FIRST_BATCH: i64 = i64::MIN / 2;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// The tables as they were before the chunk; `None` where they do not exist.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    url_keys: Option<DeltaTable>,
    history: Option<DeltaTable>,
}

impl Earlier {
    pub(crate) async fn open(output: &Output) -> Result<Self, TableError> {
        Ok(Self {
            url_keys: output.open(Table::UrlKeys).await?,
            history: output.open(Table::History).await?,
        })
    }

    /// Makes the tables known to `context`, and the chunk's own rows as
    /// `chunk`: joins with it keep the look-ups narrow.
    pub(super) async fn register(
        &self,
        context: &SessionContext,
        keyed: &LogicalPlan,
    ) -> Result<()> {
        let chunk = DataFrame::new(context.state(), keyed.clone());
        context.register_table("chunk", chunk.into_view())?;
        for (name, table) in [("url_keys", &self.url_keys), ("history", &self.history)] {
            let Some(table) = table else { continue };
            table
                .update_datafusion_session(&context.state())
                .map_err(external)?;
            let session = Arc::new(context.state());
            let provider = table.table_provider().with_session(session);
            let provider = provider.await.map_err(external)?;
            context.register_table(name, provider)?;
        }
        Ok(())
    }

    /// First pages of URL keys on dates before the chunk, as rows of
    /// [`KEYED`].
    pub(super) async fn keys(
        &self,
        context: &SessionContext,
        horizon: Horizon,
        chunk: DateRange,
    ) -> Result<Option<LogicalPlan>> {
        if self.url_keys.is_none() {
            return Ok(None);
        }
        let joined: &[&str] = match horizon {
            Horizon::All | Horizon::Micros(_) => &["domain", "url_key"],
            // A window is cut by its number of keys: all of them are needed.
            Horizon::Window(_) => &["domain"],
        };
        let since = match horizon {
            Horizon::Micros(reach) => {
                let first = i64::from(days_from_date(chunk.first())) * DAY_MICROS;
                format!("AND CAST(fetched_at AS BIGINT) >= {}", first - reach)
            }
            Horizon::All | Horizon::Window(_) => String::new(),
        };
        let query = format!(
            "SELECT url_keys.* FROM {of_chunk} \
             WHERE date < DATE '{first}' AND duplicate_of IS NULL \
               AND status IN ('unique', 'quarantined') {since}",
            of_chunk = of_chunk("url_keys", joined),
            first = chunk.first(),
        );
        let found = context.sql(&query).await?;
        let given = vec![
            ("generation", lit(0)),
            ("status", lit(Status::Earlier.as_str())),
        ];
        shaped(found, &KEYED, given).map(Some)
    }

    /// Windows of the chunk's domains after the last date before it, as rows
    /// of [`BLOCKED`].
    ///
    /// A window is a suffix of the domain's entries in the order of their
    /// ordinals: it starts at the first that is among the newest
    /// `min_documents`, or among the newest `max_documents` and young enough
    /// [O F1, F2].
    pub(super) async fn windows(
        &self,
        context: &SessionContext,
        window: WindowOptions,
        chunk: DateRange,
    ) -> Result<Option<LogicalPlan>> {
        if self.history.is_none() {
            return Ok(None);
        }
        let query = format!(
            "WITH entries AS ( \
               SELECT domain, ordinal, CAST(fetched_at AS BIGINT) AS micros, \
                 row_number() OVER (PARTITION BY domain ORDER BY ordinal DESC) AS place, \
                 max(CAST(fetched_at AS BIGINT)) OVER (PARTITION BY domain) AS newest \
               FROM {of_chunk} WHERE date < DATE '{first}'), \
             starts AS ( \
               SELECT domain AS start_domain, min(ordinal) AS start FROM entries \
               WHERE place <= {min} OR (place <= {max} AND newest - micros <= {age}) \
               GROUP BY domain) \
             SELECT history.* FROM starts JOIN history ON domain = start_domain \
             WHERE ordinal >= start AND date < DATE '{first}'",
            of_chunk = of_chunk("history", &["domain"]),
            first = chunk.first(),
            min = window.min_documents,
            max = window.max_documents,
            age = window.max_age_micros,
        );
        let found = context.sql(&query).await?;
        let given = vec![
            ("batch", ident("ordinal") + lit(FIRST_BATCH)),
            ("phase", lit(Phase::Remember as i32)),
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
        shaped(found, &BLOCKED, given).map(Some)
    }
}

/// The rows of `table` that agree with some row of the chunk in `columns`. The
/// chunk is bounded and the table is not: it stands on the left, where a hash
/// join builds, and the table streams past it, unless its statistics say that it
/// is small.
fn of_chunk(table: &str, columns: &[&str]) -> String {
    let agree: Vec<_> = columns
        .iter()
        .map(|column| format!("met.{column} = {table}.{column}"))
        .collect();
    format!(
        "(SELECT DISTINCT {} FROM chunk) AS met RIGHT SEMI JOIN {table} ON {}",
        columns.join(", "),
        agree.join(" AND ")
    )
}

/// `rows` with the columns of `schema`: the given ones, those of the same name,
/// and nulls.
fn shaped(rows: DataFrame, schema: &SchemaRef, given: Vec<(&str, Expr)>) -> Result<LogicalPlan> {
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

fn external(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> DataFusionError {
    DataFusionError::External(error.into())
}
