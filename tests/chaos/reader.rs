//! Reads the tables by table and date without the binary: the current Delta logs name
//! the data files.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::num::NonZeroU64;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tables::{Location, Output, Partitioning, Table};
use tokio::runtime::Runtime;

use crate::support::Job;

/// Sorted rows by date, as lines of JSON.
pub(crate) type Dates = BTreeMap<String, Vec<String>>;

/// Every table except `runs`, whose rows differ between equal runs.
pub(crate) type Tables = BTreeMap<Table, Dates>;

pub(crate) struct Reader {
    output: Output,
    runtime: Runtime,
    /// Cached rows of data files, which never change.
    files: HashMap<String, Vec<String>>,
}

impl Reader {
    pub(crate) fn of(job: &Job) -> Self {
        let location = Location::parse(&job.tables().to_string_lossy()).expect("a path");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            output: Output::new(location, Partitioning::Day, NonZeroU64::MAX),
            runtime: runtime.expect("a runtime"),
            files: HashMap::new(),
        }
    }

    /// The current versions of all tables except `runs`.
    pub(crate) fn tables(&mut self) -> Tables {
        let tables = Table::ALL.into_iter().filter(|table| *table != Table::Runs);
        tables.map(|table| (table, self.dates(table))).collect()
    }

    /// The current version of a table.
    pub(crate) fn dates(&mut self, table: Table) -> Dates {
        let opened = self.runtime.block_on(self.output.open(table));
        let Some(opened) = opened.expect("a table that can be read") else {
            return Dates::new();
        };
        let mut dates = Dates::new();
        for uri in opened.get_file_uris().expect("a version") {
            let (_, date) = uri.split_once("date=").expect("a partition");
            let rows = (self.files.entry(uri.clone())).or_insert_with(|| rows(&uri));
            let found = dates.entry(date[..10].to_owned()).or_default();
            found.extend(rows.iter().cloned());
        }
        dates.values_mut().for_each(|rows| rows.sort_unstable());
        dates
    }
}

fn rows(uri: &str) -> Vec<String> {
    let file = File::open(uri.trim_start_matches("file://")).expect("a file that is named");
    let batches = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let mut lines = arrow::json::LineDelimitedWriter::new(Vec::new());
    for batch in batches.build().expect("Parquet") {
        lines.write(&batch.expect("rows")).expect("JSON");
    }
    lines.finish().expect("JSON");
    let text = String::from_utf8(lines.into_inner()).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}
