//! The parameters of URLs that a user should know about.

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use deltalake::delta_datafusion::create_session;
use tables::Table;

use crate::error::EngineError;
use crate::job::Job;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::tables_state::delta_scan::{latest_parameters, open};

/// Rows with one parameter from which it is reported: as many pages as a large site has. A crawler
/// that follows the links of a calendar or of a search form has no end.
pub const MANY_ROWS: i64 = 100_000;

/// Counts of the parameters in `url_parameters`, and those to look at.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LearnedParameters {
    /// Parameters that are dropped.
    pub noise: u64,
    /// Parameters that identify pages.
    pub identifies: u64,
    /// Parameters without a verdict.
    pub undecided: u64,
    /// Parameters that were dropped by mistake. Pages of dates before the revision may be missing.
    pub revised: Vec<NotedParameter>,
    /// Parameters with [`MANY_ROWS`] rows that are not dropped.
    pub many_rows: Vec<NotedParameter>,
}

/// A parameter with the reason to look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotedParameter {
    /// Host and shape of the path.
    pub path: String,
    /// The name.
    pub parameter: String,
    /// Rows of the archive with it.
    pub rows: i64,
}

impl LearnedParameters {
    /// Reads the table `url_parameters`. Without it, everything is zero.
    ///
    /// # Errors
    /// [`EngineError`] if the table cannot be read.
    pub(crate) async fn read(job: &Job) -> std::result::Result<Self, EngineError> {
        let context: SessionContext = create_session().into_inner();
        if !open(&context, job, Table::UrlParameters).await? {
            return Ok(Self::default());
        }
        Self::query(&context).await.map_err(EngineError::Query)
    }

    async fn query(context: &SessionContext) -> Result<Self> {
        let latest = latest_parameters("url_parameters", "");
        let counts = format!(
            "SELECT arrow_cast(verdict, 'Utf8') AS verdict, count(*) AS parameters FROM {latest} GROUP BY verdict"
        );
        let mut learned = Self::default();
        for batch in context.sql(&counts).await?.collect().await? {
            let verdicts = batch.text("verdict")?;
            let counts = batch.numbers::<Int64Type>("parameters")?;
            for row in 0..batch.num_rows() {
                let count = counts.value(row).cast_unsigned();
                match verdicts.value(row) {
                    "noise" => learned.noise = count,
                    "identifies" => learned.identifies = count,
                    _ => learned.undecided = count,
                }
            }
        }
        let noted = format!(
            "SELECT arrow_cast(host, 'Utf8') AS host, arrow_cast(path_shape, 'Utf8') AS path_shape, \
             arrow_cast(parameter, 'Utf8') AS parameter, rows, revised FROM {latest} \
             WHERE (revised OR (rows >= {MANY_ROWS} AND verdict <> 'noise')) \
             ORDER BY host, path_shape, parameter"
        );
        for batch in context.sql(&noted).await?.collect().await? {
            let (hosts, shapes) = (batch.text("host")?, batch.text("path_shape")?);
            let (names, rows) = (
                batch.text("parameter")?,
                batch.numbers::<Int64Type>("rows")?,
            );
            let revised = batch.array("revised")?.as_boolean();
            for row in 0..batch.num_rows() {
                let noted = NotedParameter {
                    path: format!("{}{}", hosts.value(row), shapes.value(row)),
                    parameter: names.value(row).to_owned(),
                    rows: rows.value(row),
                };
                if noted.rows >= MANY_ROWS {
                    learned.many_rows.push(noted.clone());
                }
                if revised.value(row) {
                    learned.revised.push(noted);
                }
            }
        }
        Ok(learned)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::datasource::MemTable;
    use url_parameters::{Evidence, Slot, SlotChange, Verdict};

    use super::*;
    use crate::plan::columns::url_parameters::url_parameter_rows;

    /// A change of a parameter on a date, and its rows.
    fn change(parameter: &str, date: i32, verdict: Verdict, rows: u64) -> (String, SlotChange) {
        let slot = Slot {
            host: "a.example".to_owned(),
            shape: "/calendar".to_owned(),
            parameter: parameter.to_owned(),
        };
        let evidence = Evidence {
            verdict,
            rows,
            revised: parameter == "skin" && verdict == Verdict::Identifies,
            ..Evidence::default()
        };
        let change = SlotChange {
            date,
            slot,
            evidence,
        };
        ("a.example".to_owned(), change)
    }

    #[tokio::test]
    async fn the_latest_row_of_a_parameter_counts() {
        let changes = [
            change("day", 1, Verdict::Undecided, 60_000),
            change("day", 2, Verdict::Identifies, 100_000),
            change("sid", 1, Verdict::Noise, 500_000),
            change("skin", 1, Verdict::Noise, 10),
            change("skin", 2, Verdict::Identifies, 20),
            change("page", 2, Verdict::Undecided, 99_999),
        ];
        let rows = url_parameter_rows(&changes).unwrap();
        let table = MemTable::try_new(rows.schema(), vec![vec![rows]]).unwrap();
        let context = SessionContext::new();
        let table = context.register_table("url_parameters", Arc::new(table));
        assert!(table.unwrap().is_none());
        let learned = LearnedParameters::query(&context).await.unwrap();
        assert_eq!(
            (learned.noise, learned.identifies, learned.undecided),
            (1, 2, 1)
        );
        let noted = |parameter: &str, rows| NotedParameter {
            path: "a.example/calendar".to_owned(),
            parameter: parameter.to_owned(),
            rows,
        };
        assert_eq!(learned.many_rows, [noted("day", 100_000)]);
        assert_eq!(learned.revised, [noted("skin", 20)]);
    }
}
