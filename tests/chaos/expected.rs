//! A job that runs with two settings, and the rows that each setting gives.

use std::path::PathBuf;

use tables::Table;

use super::reader::{Dates, Reader, Tables};
use crate::support::{Job, Row, Site, kept, write};

const SITES: [Site; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
];
pub(crate) const DATES: &str = "2011-10-01..2011-10-03";
pub(crate) const DAYS: usize = 3;

/// Two settings with different domains for every page: no row of a date is the same
/// with both.
pub(crate) const SETTINGS: [&str; 2] = ["domain.grouping=registrable", "domain.grouping=host"];

/// Tables whose rows depend on the setting.
pub(crate) const CHANGED: [Table; 4] = [
    Table::UrlKeys,
    Table::Documents,
    Table::Blocks,
    Table::WindowEntries,
];

/// Pages of three days with duplicates, and one row that is quarantined.
pub(crate) fn pages() -> Vec<Row> {
    let mut rows = Vec::new();
    for site in SITES {
        for row in site.daily_articles(DAYS as u64) {
            let url = row
                .url
                .as_deref()
                .expect("a URL")
                .replace("http:", "https:");
            let row = Row {
                url: Some(url),
                ..row
            };
            rows.extend([row.after(0, 60), row.clone()]);
        }
    }
    let broken = Row {
        html: None,
        ..SITES[0].article(99, "2011-10-02T13:00:00")
    };
    rows.push(broken);
    rows
}

/// A job with one chunk per date.
pub(crate) fn job() -> Job {
    let job = Job::new();
    write(&job.archive("pages.parquet"), &pages());
    [
        "run.chunk_bytes=1",
        "run.threads=1",
        "run.heartbeat=40ms",
        "output.write=blocks",
    ]
    .into_iter()
    .fold(job, Job::with)
}

/// The arguments of a run with `settings`.
pub(crate) fn run_with(settings: &str) -> [&str; 5] {
    ["--dates", DATES, "--change-settings", "--set", settings]
}

/// The rows of every table with each setting.
pub(crate) struct Expected(pub(crate) [Tables; 2]);

impl Expected {
    pub(crate) fn new() -> Self {
        let into = |tables: PathBuf| {
            let location = tables.to_string_lossy().into_owned();
            job().writing(&location, tables)
        };
        Self(SETTINGS.map(|settings| {
            let folder = kept(&format!("chaos-{settings}"), |folder| {
                let job = into(folder.join("tables"));
                let finished = job.command("backfill", &run_with(settings));
                assert_eq!(finished.code, Some(0), "{}", finished.stderr);
                job.assert_accounts();
            });
            Reader::of(&into(folder.join("tables"))).tables()
        }))
    }

    /// Asserts that every date of `table` has exactly the rows of one of the settings.
    pub(crate) fn assert_either(&self, table: Table, found: &Dates) {
        for (date, rows) in found {
            let whole = (self.0.iter()).any(|expected| expected[&table].get(date) == Some(rows));
            assert!(whole, "a mixture in {} of {date}: {rows:#?}", table.name());
        }
    }

    /// Asserts that the tables have the rows of the setting with this index on `date`.
    pub(crate) fn assert_date(&self, settings: usize, found: &Tables, date: &str) {
        for (table, expected) in &self.0[settings] {
            let found = found[table].get(date);
            assert_eq!(found, expected.get(date), "{} of {date}", table.name());
        }
    }

    /// Asserts that the tables of a job are those of the setting with this index.
    pub(crate) fn assert_tables(&self, settings: usize, job: &Job) {
        let found = Reader::of(job).tables();
        for (table, expected) in &self.0[settings] {
            assert_eq!(&found[table], expected, "{}", table.name());
        }
    }
}
