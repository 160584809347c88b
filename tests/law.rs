//! The law of updates: a range of dates in one run, in several consecutive runs, or in
//! chunks gives the same tables, bit for bit. Other tests check which later pages affect
//! the labels of a batch.

mod later_copies;

use std::path::Path;

use crate::support::busy::{FIRST, LAST, busy_archive};
use crate::support::{
    Job, Row, Site, Snapshot, assert_same, contents, difference, shared, text, write,
};

/// A small window, so that pages are evicted on most days.
const WINDOW: [&str; 3] = [
    "window.max_pages=30",
    "window.max_age=5d",
    "window.min_pages=10",
];

/// Every family of heuristics of the paper, every lookback for duplicates, and labels by page and by date.
const PAPER: [[&str; 3]; 4] = [
    ["strict-support-10", "window", "date"],
    ["strict-at-domain", "5d", "page"],
    ["relaxed-at-domain-20", "all", "date"],
    ["vote-slow", "window", "page"],
];

/// Consecutive pieces of the range, some of several days, some of one. The last starts
/// with a new month.
const PIECES: [&str; 6] = [
    "2011-10-01..2011-10-13",
    "2011-10-14",
    "2011-10-15",
    "2011-10-16..2011-10-30",
    "2011-10-31",
    "2011-11-01..2011-11-09",
];

fn job(archive: &Path, settings: &[&str]) -> Job {
    let settings = settings
        .iter()
        .chain(&WINDOW)
        .chain(&["output.write=blocks,links,site_blocks", "run.threads=1"]);
    settings.fold(Job::new().reading(archive), |job, setting| {
        job.with(setting)
    })
}

/// Runs the archive at once and in consecutive `pieces`. Returns the tables of the first
/// job, and the difference between the two.
fn at_once_and_in_pieces(
    archive: &Path,
    settings: &[&str],
    pieces: &[&str],
) -> (Snapshot, Option<String>) {
    let at_once = job(archive, settings);
    let (first, last) = (pieces[0], pieces[pieces.len() - 1]);
    at_once.run(&format!("{}..{}", &first[..10], &last[last.len() - 10..]));
    let expected = contents(&at_once);
    let in_pieces = job(archive, settings);
    for piece in pieces {
        in_pieces.run(piece);
    }
    in_pieces.assert_accounts();
    let difference = difference(&expected, &contents(&in_pieces));
    (expected, difference)
}

/// Asserts the law for jobs with each of the `settings`, and reports every one that breaks it.
fn assert_law(settings: &[Vec<String>]) {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(folder.path());
    let mut broken = String::new();
    for settings in settings {
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let (tables, difference) = at_once_and_in_pieces(folder.path(), &settings, &PIECES);
        assert!(
            tables["documents"].len() > 1200,
            "the archive has too few pages"
        );
        assert!(
            !tables["quarantine"].is_empty(),
            "the archive has no bad rows"
        );
        let revised =
            (tables["documents"].iter()).any(|row| row.contains("\"status\":\"revision\""));
        let revisions = settings.contains(&"dedup.revisions=true");
        assert_eq!(revised, revisions, "{settings:?}");
        if let Some(difference) = difference {
            broken += &format!("\n{settings:?}: {difference}");
        }
    }
    assert!(
        broken.is_empty(),
        "at once (expected) and in pieces (found):{broken}"
    );
}

#[test]
fn tables_are_the_same_at_once_and_in_pieces() {
    let revisions = ["false", "true"].map(|kept| vec![format!("dedup.revisions={kept}")]);
    assert_law(&revisions);
}

#[test]
fn tables_of_the_paper_are_the_same_at_once_and_in_pieces() {
    let settings = PAPER.map(|[heuristic, lookback, batching]| {
        vec![
            format!("paper.heuristic={heuristic}"),
            format!("paper.lookback={lookback}"),
            format!("paper.batching={batching}"),
        ]
    });
    assert_law(&settings);
}

#[test]
fn chunks_change_no_row() {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(folder.path());
    let range = format!("{FIRST}..{LAST}");
    for settings in [
        &["paper.batching=page", "paper.lookback=5d"][..],
        &["dedup.revisions=true"],
    ] {
        let at_once = job(folder.path(), settings);
        let one = at_once.run(&range);
        assert!(one.stderr.contains("chunk 1 of 1 "), "{}", one.stderr);
        let chunked = job(folder.path(), settings).with("run.chunk_bytes=300KB");
        let many = chunked.backfill(&range);
        assert!(many.stderr.contains("chunk 8 of "), "{}", many.stderr);
        assert_same(&contents(&at_once), &contents(&chunked), settings[0]);
    }
}

/// Final labels depend on three more days, which can be in the next piece, chunk or
/// month.
#[test]
fn relabelled_dates_do_not_depend_on_chunks() {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(folder.path());
    for partition in ["day", "month"] {
        let partitions = format!("output.partition={partition}");
        let settings = [partitions.as_str(), "tree.relabel_days=3"];
        let pieces: &[&str] = match partition {
            "month" => &["2011-10-01..2011-10-31", "2011-11-01..2011-11-30"],
            _ => &PIECES,
        };
        let (tables, difference) = at_once_and_in_pieces(folder.path(), &settings, pieces);
        assert_eq!(difference, None, "{settings:?}");
        if partition == "day" {
            let chunked = job(folder.path(), &settings).with("run.chunk_bytes=300KB");
            let many = chunked.backfill(&format!("{FIRST}..{LAST}"));
            assert!(many.stderr.contains("chunk 8 of "), "{}", many.stderr);
            assert_same(&tables, &contents(&chunked), partition);
        }
        let plain = job(folder.path(), &settings[..1]);
        let last = pieces[pieces.len() - 1];
        plain.run(&format!("{FIRST}..{}", &last[last.len() - 10..]));
        let plain = contents(&plain);
        assert_ne!(plain["documents"], tables["documents"], "{settings:?}");
        // Relabelling does not change which pages are inserted, nor their order.
        for table in ["url_keys", "window_entries", "quarantine"] {
            assert_eq!(plain[table], tables[table], "{table}, {settings:?}");
        }
    }
}

#[test]
fn a_relabelled_date_knows_exactly_relabel_days_more() {
    let site = Site {
        host: "www.gazette.example",
    };
    let rows = site.daily_articles(20);
    let of_day_five = |job: &Job| job.lines("SELECT * FROM blocks WHERE date = '2011-10-05'");
    let job = |settings: &[&str]| {
        let all = settings.iter().chain(&["output.write=blocks"]);
        all.fold(Job::of(&rows), |job, setting| job.with(setting))
    };
    let settled = job(&["tree.relabel_days=3"]);
    settled.backfill("2011-10-01..2011-10-20");
    assert!(of_day_five(&settled).len() > 5);
    for (days, last, is_same) in [
        (3, "08", true),
        (3, "07", false),
        (4, "09", false),
        (0, "20", false),
    ] {
        let other = job(&[&format!("tree.relabel_days={days}")]);
        other.backfill(&format!("2011-10-01..2011-10-{last}"));
        let same = of_day_five(&settled) == of_day_five(&other);
        assert_eq!(same, is_same, "{days} days, until {last}");
    }
}

#[test]
fn a_run_relabels_earlier_dates_and_loses_no_page() {
    let site = Site {
        host: "www.gazette.example",
    };
    let job = Job::of(&site.daily_articles(6)).with("tree.relabel_days=2");
    job.backfill("2011-10-01..2011-10-04");
    let night = job.run("2011-10-05");
    assert!(night.stderr.contains("2011-10-03..2011-10-05"), "{night:?}");
    let before = contents(&job);
    write(&job.archive("pages.parquet"), &site.daily_articles(6)[4..]);
    let refused = job.refused("2011-10-06", 3);
    assert!(
        refused.contains(
            "2011-10-04 must be relabelled, but the archive has 0 rows of it now and had 1"
        ),
        "{refused}"
    );
    assert_same(&before, &contents(&job), "refused");
}

#[test]
fn days_in_the_middle_can_be_run_again() {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(folder.path());
    let job = job(folder.path(), &["dedup.revisions=true"]);
    job.backfill(&format!("{FIRST}..{LAST}"));
    let before = contents(&job);
    job.backfill("2011-10-17..2011-10-19");
    assert_same(&before, &contents(&job), "the same days again");
}

#[test]
fn a_real_site_is_the_same_year_by_year() {
    let Some(streams) = shared("data/streams") else {
        return;
    };
    let years: Vec<String> = (2006..=2017)
        .map(|year| format!("{year}-01-01..{year}-12-31"))
        .collect();
    let pieces: Vec<&str> = years.iter().map(String::as_str).collect();
    for settings in [
        &["paper.batching=page", "paper.heuristic=vote-fast"][..],
        &["dedup.revisions=true"],
    ] {
        let by_year = [settings, &["output.partition=year"]].concat();
        let (tables, difference) =
            at_once_and_in_pieces(&streams.join("lerosua.parquet"), &by_year, &pieces);
        assert_eq!(tables["url_keys"].len(), 862);
        assert_eq!(difference, None, "{settings:?}");
    }
}

/// Text and label of the blocks of the first of twenty daily articles.
fn labels_of_first_page(batch: &str) -> Vec<(String, String)> {
    let site = Site {
        host: "www.gazette.example",
    };
    let job = Job::of(&site.daily_articles(20))
        .with("output.write=blocks")
        .with("paper.heuristic=strict")
        .with(&format!("paper.batching={batch}"));
    job.backfill("2011-10-01..2011-10-20");
    let blocks =
        job.rows("SELECT text, label FROM blocks WHERE date = '2011-10-01' ORDER BY ordinal");
    blocks
        .iter()
        .map(|block| (text(block, "text"), text(block, "label")))
        .collect()
}

#[test]
fn only_run_batches_label_the_first_page_with_later_pages() {
    let site = Site {
        host: "www.gazette.example",
    };
    for (batch, label) in [
        ("run", "boilerplate"),
        ("date", "content"),
        ("page", "content"),
    ] {
        let blocks = labels_of_first_page(batch);
        for template in [site.name(), site.sidebar(), "Latest news".to_owned()] {
            let expected = (template.clone(), label.to_owned());
            assert!(
                blocks.contains(&expected),
                "{batch}: {template}: {blocks:?}"
            );
        }
        let articles = blocks
            .iter()
            .filter(|(_, label)| label == "content")
            .count();
        assert!(articles >= 3, "{batch}: the article is content: {blocks:?}");
    }
}

#[test]
fn date_batches_know_the_whole_day_page_batches_the_past() {
    let site = Site {
        host: "www.gazette.example",
    };
    let rows: Vec<Row> = (0..6)
        .map(|hour| site.article(hour, &format!("2011-10-01T{:02}:00:00", 10 + hour)))
        .collect();
    for (batch, boilerplate) in [("date", [true, true]), ("page", [false, true])] {
        let job = Job::of(&rows)
            .with("output.write=blocks")
            .with("paper.heuristic=strict")
            .with(&format!("paper.batching={batch}"));
        job.backfill("2011-10-01");
        let labels = job.rows(&format!(
            "SELECT label FROM blocks WHERE text = '{}' ORDER BY fetched_at",
            site.sidebar()
        ));
        assert_eq!(labels.len(), 6);
        let found = [0, 5].map(|page| text(&labels[page], "label") == "boilerplate");
        assert_eq!(
            found, boilerplate,
            "{batch}: first and last page of the day"
        );
    }
}
