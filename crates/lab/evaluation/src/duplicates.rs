//! Figure 2 of the paper: the duplicates after each step of the URL normalisation.

use std::collections::HashSet;
use std::fmt::Write;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use charts::{ChartError, Duplicates, Step};
use url_key::Keyer;

use crate::columns::Columns;
use crate::table::Table;
use crate::{InputProblem, Plot};

/// The steps, and the addresses that each compares.
const STEPS: [(&str, &str); 4] = [
    ("request URL", "the URL that was requested"),
    ("response URL", "the URL after redirects"),
    (
        "normalised URL",
        "the response URL with one encoding, sorted parameters and the content id of the title",
    ),
    (
        "URL key",
        "the normalised URL with the parameters that a rule retains",
    ),
];

/// Most rows of [`DuplicatesByStep::urls_query`]: 200 to 400 MB of URLs.
const MAX_ROWS: usize = 1_000_000;

/// The duplicates after each step of the URL normalisation, as the paper counts them
/// [P figure 2]: a row is a duplicate if any earlier row has the same address at that
/// step. So a step has as many duplicates as it has rows beyond its distinct addresses.
///
/// The column `merged_by` of `url_keys` counts something else: the first step at which a
/// row is equal to the first page of its URL key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DuplicatesByStep {
    rows: usize,
    /// Distinct addresses of each step.
    distinct: [usize; 4],
}

impl DuplicatesByStep {
    /// The query whose result [`new`](Self::new) reads. If a row has no request URL, its
    /// response URL stands in.
    pub const COUNTS_QUERY: &str = "SELECT count(*) AS rows, \
        count(DISTINCT coalesce(request_url, url)) AS request_urls, \
        count(DISTINCT url) AS response_urls, count(DISTINCT url_key) AS url_keys \
        FROM url_keys WHERE status <> 'blocklisted'";

    /// Reads the result of [`COUNTS_QUERY`](Self::COUNTS_QUERY): all steps but the
    /// normalised URLs, which [`add_urls`](Self::add_urls) counts.
    ///
    /// # Errors
    /// [`InputProblem`] if a column is missing or has another type.
    pub fn new(counts: &[RecordBatch]) -> Result<Self, InputProblem> {
        let mut found = Self::default();
        for batch in counts.iter().filter(|batch| batch.num_rows() > 0) {
            let count = |name: &'static str| {
                let column = batch.column_by_name(name);
                let column = cast(column.ok_or(InputProblem::Column(name))?, &DataType::Int64)?;
                let count = column.as_primitive::<Int64Type>().value(0);
                Ok::<_, InputProblem>(usize::try_from(count).unwrap_or_default())
            };
            found.rows = count("rows")?;
            found.distinct = [
                count("request_urls")?,
                count("response_urls")?,
                0,
                count("url_keys")?,
            ];
        }
        Ok(found)
    }

    /// The number of queries for the URLs of all rows: a power of 16, so that no query
    /// returns many more than a million rows.
    pub fn parts(&self) -> u32 {
        let mut parts = 1_u32;
        while self.rows / MAX_ROWS >= parts as usize && parts < 1 << 16 {
            parts *= 16;
        }
        parts
    }

    /// The query for part `part` of [`parts`](Self::parts). Rows with one normalised URL
    /// have one address, so they are in one part.
    pub fn urls_query(&self, part: u32) -> String {
        let digits = self.parts().ilog(16) as usize;
        let prefix = match digits {
            0 => String::new(),
            digits => format!("{part:0digits$x}"),
        };
        format!(
            "SELECT DISTINCT url, content_id FROM url_keys \
             WHERE status <> 'blocklisted' AND left(md5(split_part(url_key, '?', 1)), {digits}) = '{prefix}'"
        )
    }

    /// Counts the normalised URLs in the result of [`urls_query`](Self::urls_query).
    /// `keyer` has the job's options.
    ///
    /// # Errors
    /// [`InputProblem`] if a column is missing or has another type.
    pub fn add_urls(&mut self, rows: &[RecordBatch], keyer: &Keyer) -> Result<(), InputProblem> {
        let mut seen: HashSet<(String, Option<String>)> = HashSet::new();
        for batch in rows {
            let columns = Columns { batch };
            let urls = columns.text("url")?.ok_or(InputProblem::Column("url"))?;
            let ids = columns.text("content_id")?;
            let ids = ids.ok_or(InputProblem::Column("content_id"))?;
            for row in 0..batch.num_rows() {
                let url = urls.value(row).unwrap_or_default();
                // A row of `url_keys` has a URL that can be parsed.
                let normalized = match keyer.parse(&url) {
                    Ok(parsed) => keyer.key(&parsed, None).normalized,
                    Err(_) => url,
                };
                // Equal pairs are equal URLs with the parameter `_cid_`.
                seen.insert((normalized, ids.value(row)));
            }
        }
        self.distinct[2] += seen.len();
        Ok(())
    }

    /// The duplicates after each step, with its name, in the order of the steps.
    pub fn steps(&self) -> [(&'static str, usize); 4] {
        let mut distinct = self.distinct.iter();
        STEPS.map(|(name, _)| {
            let distinct = distinct.next().copied().unwrap_or_default();
            (name, self.rows.saturating_sub(distinct))
        })
    }

    /// The chart `duplicates.svg` [P figure 2].
    ///
    /// # Errors
    /// [`ChartError`] if there are more duplicates than rows.
    pub fn plot(&self) -> Result<Plot, ChartError> {
        let steps = self.steps();
        let chart = Duplicates {
            title: "Duplicates after each step of the normalisation",
            documents: self.rows,
            steps: (steps.into_iter())
                .map(|(name, duplicates)| Step { name, duplicates })
                .collect(),
        };
        Ok(Plot::new("duplicates.svg", chart.to_svg()?))
    }

    /// Returns a row per step.
    pub fn table(&self) -> RecordBatch {
        let rows: Vec<_> = STEPS.iter().zip(self.steps()).collect();
        Table::of(&rows)
            .text("step", |((name, _), _)| Some(name))
            .text("address", |((_, address), _)| Some(address))
            .count("rows", |_| Some(self.rows))
            .count("duplicates", |(_, (_, duplicates))| Some(*duplicates))
            .finish()
    }

    /// The table of the report.
    pub fn section(&self) -> String {
        let mut text = format!(
            "Duplicates among {} rows after each step of the URL normalisation [P figure 2]. \
             A row is a duplicate if an earlier row has the same address.\n\n\
             | step | address | duplicates | share |\n|---|---|---:|---:|\n",
            self.rows
        );
        for ((name, address), (_, duplicates)) in STEPS.iter().zip(self.steps()) {
            let share = 100.0 * duplicates as f64 / self.rows.max(1) as f64;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {name} | {address} | {duplicates} | {share:.1} % |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_in_parts_of_about_a_million_rows() {
        for (rows, parts, query) in [
            (0, 1, "left(md5(split_part(url_key, '?', 1)), 0) = ''"),
            (999_999, 1, "left(md5(split_part(url_key, '?', 1)), 0) = ''"),
            (
                1_000_000,
                16,
                "left(md5(split_part(url_key, '?', 1)), 1) = '0'",
            ),
            (
                17_000_000,
                256,
                "left(md5(split_part(url_key, '?', 1)), 2) = '00'",
            ),
        ] {
            let found = DuplicatesByStep {
                rows,
                ..DuplicatesByStep::default()
            };
            assert_eq!(found.parts(), parts, "{rows}");
            assert!(found.urls_query(0).ends_with(query), "{rows}");
        }
    }
}
