//! Rules of robots.txt files in SQL: the function `robots_allowed`, and the column `allowed` of
//! `documents`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray};
use arrow::datatypes::{DataType, Schema};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{ColumnarValue, Volatility, create_udf};
use datafusion::prelude::SessionContext;
use engine::{Job, RobotsRules};
use tables::Table;
use text::robots::Robots;
use url::Url;

use crate::inputs::register_parquet;

/// Name of the table of robots.txt files.
const ROBOTS: &str = "robots";

/// Registers the function `robots_allowed(robots_txt, agent, url)`: whether a robots.txt allows a URL. If the job has
/// rules of robots.txt files, registers them as the table `robots`, and adds the column `allowed` to the table
/// `documents` if there is one. It is null for a host without rules.
///
/// # Errors
/// Where the rules cannot be read, or lack a column.
pub(crate) async fn register_robots(context: &SessionContext, job: &Job) -> Result<()> {
    context.register_udf(create_udf(
        "robots_allowed",
        vec![DataType::Utf8; 3],
        DataType::Boolean,
        Volatility::Immutable,
        Arc::new(robots_allowed),
    ));
    let Some(rules) = &job.robots else {
        return Ok(());
    };
    register_parquet(context, ROBOTS, &rules.location, Vec::new()).await?;
    let robots = context.table(ROBOTS).await?;
    let has_time = check(robots.schema().as_arrow(), rules)?;
    let documents = Table::Documents.name();
    if !context.table_exist(documents)? {
        return Ok(());
    }
    // Of several files of a host, the last one counts. The text orders files of one time.
    let order = if has_time {
        "fetched_at, robots_txt"
    } else {
        "robots_txt"
    };
    let agent = rules.agent.replace('\'', "''");
    let with_allowed = format!(
        "SELECT {documents}.*, robots_allowed(rules.robots_txt, '{agent}', {documents}.url) AS allowed \
         FROM {documents} LEFT JOIN \
           (SELECT lower(host) AS host, last_value(robots_txt ORDER BY {order}) AS robots_txt \
            FROM {ROBOTS} GROUP BY lower(host)) AS rules \
         ON rules.host = lower(split_part({documents}.url, '/', 3))"
    );
    let view = context.sql(&with_allowed).await?.into_view();
    context.deregister_table(documents)?;
    context.register_table(documents, view)?;
    Ok(())
}

/// Checks the columns of the rules. Returns whether they have the time of a fetch.
fn check(found: &Schema, rules: &RobotsRules) -> Result<bool> {
    for name in ["host", "robots_txt"] {
        let column = found.field_with_name(name);
        if !column.is_ok_and(|column| column.data_type().is_string()) {
            let columns = found.fields().iter().map(|field| field.name().as_str());
            let columns: Vec<_> = columns.collect();
            return Err(DataFusionError::Plan(format!(
                "robots.rules: {} has no column `{name}` of text, only {}; expected host and robots_txt",
                rules.location,
                columns.join(", ")
            )));
        }
    }
    Ok(found.field_with_name("fetched_at").is_ok())
}

fn robots_allowed(arguments: &[ColumnarValue]) -> Result<ColumnarValue> {
    let columns = ColumnarValue::values_to_arrays(arguments)?;
    let [files, agents, urls] = [0, 1, 2].map(|column: usize| columns[column].as_string::<i32>());
    // Rows of a host are often neighbours, and its rules are parsed once per batch.
    let mut parsed: HashMap<(&str, &str), Robots> = HashMap::new();
    let allowed = files
        .iter()
        .zip(agents)
        .zip(urls)
        .map(|((file, agent), url)| {
            let (file, agent, url) = (file?, agent?, Url::parse(url?).ok()?);
            let robots = parsed
                .entry((file, agent))
                .or_insert_with(|| Robots::of(Some(200), file.as_bytes(), agent));
            Some(robots.allows(&url))
        });
    Ok(ColumnarValue::Array(Arc::new(
        allowed.collect::<BooleanArray>(),
    )))
}
