//! Real pages with daily updates. The sites published over years; here each has a dozen
//! pages a day, so that pages leave the windows within two weeks. Busy and quiet sites are
//! among them.

use std::path::Path;

use arrow::array::{AsArray, RecordBatch};

use super::rearranged::read;
use crate::support::{Job, Row, assert_same, contents, micros, shared, write};

/// Number of nights.
const NIGHTS: usize = 12;
/// New pages of a site per night.
const PAGES: usize = 12;
/// The first night with an update, which also runs the nights before.
const AT_ONCE: usize = 7;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// The default method, and heuristics of the paper with every kind of lookback for duplicates.
const SETTINGS: [&[&str]; 5] = [
    &["dedup.revisions=true"],
    &["paper.heuristic=strict", "paper.batching=page"],
    &["paper.heuristic=strict-support-40", "paper.lookback=5d"],
    &[
        "paper.heuristic=relaxed-at-domain-100",
        "paper.lookback=window",
    ],
    &["paper.heuristic=vote-fast", "paper.batching=page"],
];

/// The date of a night. Night 9 is the first of October.
fn date(night: usize) -> String {
    match night.checked_sub(9) {
        Some(day) => format!("2011-10-{:02}", day + 1),
        None => format!("2011-09-{:02}", night + 22),
    }
}

/// A site with the pages of a real stream.
struct RealSite {
    pages: RecordBatch,
}

impl RealSite {
    fn of(streams: &Path, name: &str) -> Self {
        let pages = read(&streams.join(format!("{name}.parquet")));
        assert!(pages.num_rows() > NIGHTS * PAGES, "{name}");
        Self { pages }
    }

    /// Page `number`, fetched on `date`, `second` seconds after noon.
    fn page(&self, number: usize, date: &str, second: usize) -> Row {
        let url = self.pages["url"].as_string::<i32>().value(number);
        let html = self.pages["html"].as_binary::<i32>().value(number);
        let page = Row::page(&format!("{date}T12:00:00"), url, html);
        page.after(0, second as i64)
    }

    /// The pages of a night: new ones, and two that were fetched before.
    fn night(&self, night: usize) -> Vec<Row> {
        let new = night * PAGES..(night + 1) * PAGES;
        let old = [night * PAGES / 2, night];
        (new.chain(old).enumerate())
            .map(|(second, number)| self.page(number, &date(night), second))
            .collect()
    }

    /// Replaces the host of the page's URL.
    fn moved(mut row: Row, host: &str) -> Row {
        row.url = row.url.map(|url| {
            let mut url: Vec<&str> = url.splitn(4, '/').collect();
            url[2] = host;
            url.join("/")
        });
        row
    }
}

/// The archive of each night. The first also has pages of a year ago.
fn archive(streams: &Path) -> Vec<Vec<Row>> {
    let busy = RealSite::of(streams, "nimbupani");
    let before = RealSite::of(streams, "melmelboo");
    let after = RealSite::of(streams, "hamasyou");
    let quiet = RealSite::of(streams, "ultrasaurus");
    (0..NIGHTS)
        .map(|night| {
            let mut rows = busy.night(night);
            // A site whose template changes from one night to the next.
            let template = if night < 8 { &before } else { &after };
            let moved = template.night(night).into_iter();
            rows.extend(moved.map(|row| RealSite::moved(row, "www.changed.example")));
            // A site with pages a year ago, and again on the last nights.
            if night == 0 {
                let year_ago = quiet.night(0).into_iter().chain(quiet.night(1));
                rows.extend(year_ago.map(|row| row.after(-365, 0)));
            }
            if night >= 10 {
                rows.extend((0..6).map(|page| quiet.page(30 + night + page, &date(night), page)));
            }
            rows
        })
        .collect()
}

fn deliver(job: &Job, night: usize, rows: &[Row]) {
    let today = micros(&format!("{}T00:00:00", date(night)));
    let (old, new): (Vec<Row>, Vec<Row>) = (rows.iter().cloned()).partition(|row| {
        row.fetched_at
            .is_some_and(|time| time < today - 100 * DAY_MICROS)
    });
    write(&job.archive(&format!("night{night:02}.parquet")), &new);
    if !old.is_empty() {
        write(&job.archive("old.parquet"), &old);
    }
}

#[test]
fn daily_updates_of_real_sites_equal_one_backfill() {
    let Some(streams) = shared("data/streams") else {
        return;
    };
    let nights = archive(&streams);
    let all = format!("2010-09-22..{}", date(NIGHTS - 1));
    for settings in SETTINGS {
        let window = [
            "window.max_pages=90",
            "window.max_age=5d",
            "window.min_pages=30",
        ];
        let job = || {
            let settings = settings.iter().chain(&window);
            settings.fold(Job::new(), |job, setting| job.with(setting))
        };
        let at_once = job();
        for (night, rows) in nights.iter().enumerate() {
            deliver(&at_once, night, rows);
        }
        at_once.backfill(&all);
        let expected = contents(&at_once);
        assert!(expected["documents"].len() > 2 * (NIGHTS - 1) * PAGES);
        let duplicates = expected["url_keys"].iter();
        let duplicates = duplicates.filter(|row| row.contains("\"status\":\"duplicate\""));
        assert!(duplicates.count() > NIGHTS);

        let nightly = job();
        for (night, rows) in nights.iter().enumerate() {
            deliver(&nightly, night, rows);
            if night >= AT_ONCE {
                let finished = nightly.command("update", &[]);
                assert_eq!(finished.code, Some(0), "{}", finished.stderr);
            }
        }
        nightly.assert_accounts();
        assert_same(&expected, &contents(&nightly), &settings.join(" "));
        let windows = nightly.tables().join("windows");
        assert!(windows.exists(), "September was not closed");
    }
}
