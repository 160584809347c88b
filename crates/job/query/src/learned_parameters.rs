//! The parameters of URLs that a user should know about.

use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use engine::{EngineError, Job, latest_parameters};
use tables::Table;

use crate::rows::Rows;
use crate::session::{open, session};

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
        let context = session(job)?;
        if open(&context, job, Table::UrlParameters).await?.is_none() {
            return Ok(Self::default());
        }
        Ok(Self::query(&context).await?)
    }

    async fn query(context: &SessionContext) -> Result<Self> {
        let latest = latest_parameters("url_parameters");
        let counts =
            format!("SELECT verdict, count(*) AS parameters FROM {latest} GROUP BY verdict");
        let mut learned = Self::default();
        for row in Rows::collect(context.sql(&counts).await?).await?.iter() {
            let count = row.number("parameters").unwrap_or_default();
            let count = count.cast_unsigned();
            match row.text("verdict") {
                "noise" => learned.noise = count,
                "identifies" => learned.identifies = count,
                _ => learned.undecided = count,
            }
        }
        let noted = format!(
            "SELECT host, path_shape, parameter, rows, revised FROM {latest} \
             WHERE (revised OR (rows >= {MANY_ROWS} AND verdict <> 'noise')) \
             ORDER BY host, path_shape, parameter"
        );
        for row in Rows::collect(context.sql(&noted).await?).await?.iter() {
            let noted = NotedParameter {
                path: format!("{}{}", row.text("host"), row.text("path_shape")),
                parameter: row.text("parameter").to_owned(),
                rows: row.number("rows").unwrap_or_default(),
            };
            if noted.rows >= MANY_ROWS {
                learned.many_rows.push(noted.clone());
            }
            if row.flag("revised") {
                learned.revised.push(noted);
            }
        }
        Ok(learned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_latest_row_of_a_parameter_counts() {
        let context = SessionContext::new();
        let rows = "CREATE TABLE url_parameters AS \
             SELECT 'a.example' AS domain, 'a.example' AS host, '/calendar' AS path_shape, * FROM (VALUES \
               ('day', 1, 'undecided', 60000, false), \
               ('day', 2, 'identifies', 100000, false), \
               ('sid', 1, 'noise', 500000, false), \
               ('skin', 1, 'noise', 10, false), \
               ('skin', 2, 'identifies', 20, true), \
               ('page', 2, 'undecided', 99999, false)) \
             AS changes (parameter, date, verdict, rows, revised)";
        context.sql(rows).await.unwrap().collect().await.unwrap();
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
