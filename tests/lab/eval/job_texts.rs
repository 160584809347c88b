//! The texts that `urltree-lab eval` gives pages are those that a job writes.
//!
//! Each test runs a job, makes its texts the gold texts of the same pages, and compares
//! them with a replay: every page must have the words of its gold text, in their order.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use engine::PaperSpec;
use sample::{SampleOptions, pages};
use serde_json::Value;

use super::{Folder, results};
use crate::gold_rows::with_gold;
use crate::support::busy::busy_rows;
use crate::support::noisy::noisy_rows;
use crate::support::{Job, Row, Site, paragraph, write_batch};

/// The dates of a run with one partition.
const YEAR: &str = "2011-01-01..2011-12-31";

/// The text of each archive row, by its number: its own, or that of the page it
/// duplicates.
const TEXTS: &str = "\
    SELECT k.row AS row, d.text AS text FROM url_keys k \
    LEFT JOIN url_keys o ON k.status = 'duplicate' AND o.row = split_part(k.duplicate_of, '#', 2) \
    JOIN documents d ON d.url = coalesce(o.url, k.url) \
        AND d.fetched_at = coalesce(o.fetched_at, k.fetched_at) \
        AND d.status = coalesce(o.status, k.status)";

/// Runs a job over `rows` under a heuristic, and compares its texts with a replay of the
/// same pages with the same settings.
fn assert_replay_is_job(rows: &[Row], dates: &str, heuristic: &str, settings: &[&str]) {
    let heuristic_key = format!("paper.heuristic={heuristic}");
    let own = ["output.partition=year", &heuristic_key];
    let own = &own[..if heuristic == "template" { 1 } else { 2 }];
    let settings = own.iter().chain(settings).map(ToString::to_string);
    let settings = PaperSpec::beside_template(settings.collect());
    let job = (settings.iter()).fold(Job::of(rows), |job, setting| job.with(setting));
    job.run(dates);
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    for row in job.rows(TEXTS) {
        let number = row["row"].as_u64().expect("a row of the archive");
        let text = row["text"].as_str().unwrap_or_default().to_owned();
        assert_eq!(texts.insert(number, text), None, "row {number}");
    }
    let golds: Vec<String> = (0..rows.len() as u64)
        .map(|row| texts.get(&row).cloned().unwrap_or_default())
        .collect();

    let folder = Folder::new();
    write_batch(&folder.path("gold.parquet"), &with_gold(rows, &golds), 500);
    let mut line = format!(
        "eval --gold gold.parquet --heuristics {heuristic} --results results.parquet --job {} \
         --set archive.location={} --set output.location={}",
        job.path("job.toml").display(),
        job.archive("").display(),
        job.tables().display(),
    );
    for setting in &settings {
        line += &format!(" --set {setting}");
    }
    folder.prints(&line);
    let results = results(&folder.path("results.parquet"));
    for extractor in ["documents", heuristic] {
        let own: Vec<&Value> = (results.iter())
            .filter(|row| row["extractor"] == extractor)
            .collect();
        assert_eq!(own.len(), rows.len(), "{extractor}");
        let mut failed = 0;
        for row in own {
            if row["outcome"] == "failed_without_gold" {
                failed += 1;
                continue;
            }
            let counts = ["words_in_common", "words_extracted"];
            for count in counts {
                assert!(row[count].is_u64(), "{settings:?}: {row}");
                assert_eq!(row[count], row["words_of_gold"], "{settings:?}: {row}");
            }
        }
        assert_eq!(
            failed,
            rows.len() - texts.len(),
            "{extractor}: {settings:?}"
        );
    }
}

#[test]
fn texts_of_a_job_with_marked_paths() {
    let folder = Folder::new();
    let marks = "gazette.example\tmain>p\tboilerplate\ngazette.example\taside\tcontent\n";
    folder.write("paths.tsv", marks);
    let site = Site {
        host: "www.gazette.example",
    };
    let paths = format!("tree.paths={}", folder.path("paths.tsv").display());
    assert_replay_is_job(&site.daily_articles(8), YEAR, "template", &[&paths]);
}

/// A window that pages leave all the time, as in [`crate::law`].
const SMALL_WINDOW: [&str; 3] = [
    "window.max_pages=30",
    "window.max_age=5d",
    "window.min_pages=10",
];

/// Settings, and the heuristic to compare.
type Case = (&'static [&'static str], &'static str);

/// Pages named by their query, floods, pauses, copies after exactly the lookback and a
/// moment more, revisions, and rows that cannot be processed.
fn assert_cases(dates: &str, more: &[&str], cases: &[Case]) {
    let mut rows = busy_rows();
    rows.retain(|row| row.url.is_some());
    let like = rows[0].clone();
    rows.extend([
        Row {
            http_status: Some(404),
            url: Some("http://www.a.example/gone.html".to_owned()),
            ..like.clone()
        },
        Row {
            content_type: Some("image/png".to_owned()),
            url: Some("http://www.a.example/picture.html".to_owned()),
            ..like.clone()
        },
        Row {
            html: None,
            url: Some("http://www.a.example/empty.html".to_owned()),
            ..like.clone()
        },
        Row {
            url: Some("mailto:a.example".to_owned()),
            ..like
        },
    ]);
    for (settings, heuristic) in cases {
        let settings = [settings, &SMALL_WINDOW[..], more].concat();
        assert_replay_is_job(&rows, dates, heuristic, &settings);
    }
}

#[test]
fn texts_are_those_of_a_job_in_batches_of_a_page() {
    let cases: [Case; 2] = [
        (&["paper.batching=page", "paper.lookback=window"], "strict"),
        (&["paper.batching=page", "paper.lookback=5d"], "vote-fast"),
    ];
    assert_cases(YEAR, &["paper.scheme=separate"], &cases);
}

#[test]
fn texts_are_those_of_a_job_in_batches_of_a_date() {
    let cases = [
        (&[][..], "template"),
        (&["dedup.revisions=true"], "template"),
        (&["paper.lookback=window"], "strict"),
    ];
    assert_cases(YEAR, &["domain.grouping=host"], &cases);
}

#[test]
fn texts_are_those_of_a_job_in_one_batch() {
    let cases = [(
        &["paper.batching=run", "paper.lookback=window"][..],
        "strict",
    )];
    assert_cases(YEAR, &["url_key.rules=none"], &cases);
}

#[test]
fn texts_are_those_of_a_job_that_relabels() {
    let cases = [(&["tree.relabel_days=3"][..], "template")];
    // Labels may wait until the last date of the run, which is that of the last page.
    assert_cases("2011-10-01..2011-11-09", &["output.partition=day"], &cases);
}

#[test]
fn texts_of_pages_with_copies_without_text_are_those_of_a_job() {
    let rows = noisy_rows();
    for revisions in ["dedup.revisions=false", "dedup.revisions=true"] {
        assert_replay_is_job(&rows, YEAR, "template", &[revisions]);
    }
}

/// A duplicate is the last page of its date, and more than 14 days younger than the
/// oldest of 110 pages. It does not advance the clock, so the oldest stay in the window.
#[test]
fn a_late_duplicate_does_not_move_the_window() {
    let site = Site {
        host: "www.gazette.example",
    };
    let mut rows: Vec<Row> = (0..110)
        .map(|number| site.article(number, "2011-10-01T12:00:00"))
        .collect();
    let oldest = site.url(0);
    let refrain = paragraph(4_000_000);
    for row in &mut rows {
        // Only the page that leaves first has the paragraph, and a page two weeks later.
        if row.url.as_ref() == Some(&oldest) {
            let html = site.page("The first page", &[paragraph(1), refrain.clone()]);
            row.html = Some(html.into_bytes());
        }
    }
    rows.push(site.article(200, "2011-10-15T06:00:00"));
    rows.push(rows[50].after(14, 6 * 3600));
    let html = site.page("The last page", &[paragraph(2), refrain]);
    rows.push(Row {
        html: Some(html.into_bytes()),
        ..site.article(202, "2011-10-16T06:00:00")
    });
    assert_replay_is_job(&rows, YEAR, "template", &[]);
    for lookback in ["all", "14d", "window"] {
        let lookback = format!("paper.lookback={lookback}");
        assert_replay_is_job(&rows, YEAR, "strict", &[&lookback]);
    }
}

/// Redirects, titles of feeds, charsets, and rules of many sites.
#[test]
fn texts_of_the_sample_are_those_of_a_job() {
    let date = |day| NaiveDate::from_ymd_opt(2011, 10, day).expect("a date");
    let options = SampleOptions {
        first: date(1),
        last: date(20),
        pages: 1200,
        seed: 1,
    };
    let rows: Vec<Row> = pages(&options)
        .map(|page| Row {
            fetched_at: Some(page.fetched_at),
            url: page.url,
            html: Some(page.html),
            request_url: page.request_url,
            title: page.title,
            http_charset: page.http_charset,
            ..Row::default()
        })
        .filter(|row| row.url.is_some())
        .collect();
    assert!(rows.len() > 1000, "{} pages", rows.len());
    for heuristic in ["template", "strict"] {
        assert_replay_is_job(&rows, YEAR, heuristic, &[]);
    }
}

/// The key of a front page depends on its title, which only its HTML knows.
#[test]
fn content_ids_are_those_of_a_job() {
    let site = Site {
        host: "www.aljazeera.com",
    };
    let front = |number: u64, time: &str| Row {
        url: Some("http://www.aljazeera.com/".to_owned()),
        ..site.article(number, time)
    };
    let rows = [
        front(1, "2011-10-01T12:00:00"),
        front(2, "2011-10-02T12:00:00"),
        front(1, "2011-10-03T12:00:00"),
        Row {
            title: Some("The title of a feed".to_owned()),
            ..front(3, "2011-10-04T12:00:00")
        },
        Row {
            title: Some("The title of a feed".to_owned()),
            ..front(4, "2011-10-05T12:00:00")
        },
    ];
    for title in ["auto", "feed", "html"] {
        let title = format!("paper.title={title}");
        assert_replay_is_job(&rows, YEAR, "strict", &[&title]);
    }
}
