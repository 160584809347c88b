//! The first copy of a URL key with text is the page of the key: in one run, in several runs,
//! in chunks, and with any number of threads.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{at_once_and_in_pieces, job};
use crate::support::noisy::{Copy, SITE, noisy_rows};
use crate::support::{Job, Row, assert_same, contents, text, write_groups};

/// The dates of the archive, which are in two months.
const DATES: &str = "2011-10-29..2011-11-02";
const PIECES: [&str; 5] = [
    "2011-10-29",
    "2011-10-30",
    "2011-10-31",
    "2011-11-01",
    "2011-11-02",
];

/// Most copies of a page.
const COPIES: usize = 4;

/// Every sequence of copies.
fn sequences() -> Vec<Vec<Copy>> {
    let mut sequences = vec![Vec::new()];
    for length in 0..COPIES {
        let shorter = sequences.iter().filter(|copies| copies.len() == length);
        let longer = shorter.flat_map(|copies| {
            Copy::ALL.map(|copy| copies.iter().copied().chain([copy]).collect())
        });
        let longer: Vec<Vec<Copy>> = longer.collect();
        sequences.extend(longer);
    }
    sequences.split_off(1)
}

/// The day of each copy: one date, a date each, and some of both.
const DAYS: [[i64; COPIES]; 3] = [[1, 1, 1, 1], [0, 1, 2, 3], [2, 3, 3, 4]];

/// The pages of the archive: the copies of each, with their rows, in time order.
fn pages() -> Vec<Vec<(Copy, Row)>> {
    let mut pages = Vec::new();
    for days in DAYS {
        for copies in sequences() {
            let page = pages.len() as u64;
            let first = Row::page("2011-10-29T00:00:00", SITE.url(page), "");
            let row = |(number, copy): (u64, &Copy)| {
                let day = days[number as usize];
                // Copies of later minutes have smaller URLs.
                let query = ["?utm_source=feed", ""][(page + number) as usize % 2];
                let row = Row {
                    url: first.url.as_ref().map(|url| format!("{url}{query}")),
                    html: copy.html(page, number),
                    ..first.after(day, (60 * (page + 200 * number)) as i64)
                };
                (*copy, row)
            };
            pages.push((0..).zip(&copies).map(row).collect());
        }
    }
    pages
}

/// A row of `url_keys`: status and `duplicate_of`.
type Outcome = (&'static str, Option<String>);

/// Writes the archive in three objects of small row groups, its rows unsorted. Returns the
/// outcome of each row by position, where a revision counts as a duplicate.
fn write_archive(folder: &Path, revisions: bool) -> BTreeMap<String, Outcome> {
    let pages = pages();
    let mut rows: Vec<(usize, usize)> = Vec::new();
    for (page, copies) in pages.iter().enumerate() {
        rows.extend((0..copies.len()).map(|copy| (page, copy)));
    }
    let count = rows.len();
    // The stride is prime, so that each row is written once.
    let rows: Vec<(usize, usize)> = (0..count).map(|at| rows[at * 7919 % count]).collect();
    let mut positions = BTreeMap::new();
    for (number, part) in rows.chunks(count.div_ceil(3)).enumerate() {
        let object = format!("part-{number}.parquet");
        let of_part: Vec<Row> = part
            .iter()
            .map(|(page, copy)| pages[*page][*copy].1.clone())
            .collect();
        write_groups(&folder.join(&object), &of_part, 7);
        for (row, copy) in part.iter().enumerate() {
            positions.insert(*copy, format!("{object}#{row}"));
        }
    }
    let mut outcomes = BTreeMap::new();
    for (page, copies) in pages.iter().enumerate() {
        let mut first: Option<String> = None;
        for (number, (copy, _)) in copies.iter().enumerate() {
            let position = positions[&(page, number)].clone();
            let status = match (copy, &first) {
                (Copy::Bad, None) => "quarantined",
                (Copy::Bad, Some(_)) if revisions => "quarantined",
                (Copy::Good | Copy::Empty, None) => "unique",
                (_, Some(_)) => "duplicate",
            };
            outcomes.insert(position.clone(), (status, first.clone()));
            if *copy == Copy::Good && first.is_none() {
                first = Some(position);
            }
        }
    }
    outcomes
}

/// The outcome of each row that `job` wrote.
fn outcomes(job: &Job) -> BTreeMap<String, (String, Option<String>)> {
    let rows = job.rows("SELECT source, row, status, duplicate_of FROM url_keys");
    let outcome = |row: &Value| {
        let position = format!("{}#{}", text(row, "source"), row["row"]);
        let status = text(row, "status").replace("revision", "duplicate");
        let original = row["duplicate_of"].as_str().map(str::to_owned);
        (position, (status, original))
    };
    rows.iter().map(outcome).collect()
}

#[test]
fn the_first_copy_with_text_is_the_page() {
    for revisions in [false, true] {
        let folder = tempfile::tempdir().expect("a folder for the archive");
        let expected = write_archive(folder.path(), revisions);
        let expected: BTreeMap<_, _> = expected
            .into_iter()
            .map(|(position, (status, original))| (position, (status.to_owned(), original)))
            .collect();
        let revisions = format!("dedup.revisions={revisions}");
        let one = job(folder.path(), &[&revisions]);
        one.run(DATES);
        one.assert_accounts();
        let found = outcomes(&one);
        assert_eq!(found.len(), expected.len());
        for (position, outcome) in &expected {
            assert_eq!(&found[position], outcome, "{position}, {revisions}");
        }
        let with_text = "SELECT count(*) AS pages FROM documents \
                         WHERE status = 'unique' AND blocks > 0";
        let pages = pages();
        let good = pages
            .iter()
            .filter(|copies| copies.iter().any(|(copy, _)| *copy == Copy::Good));
        assert_eq!(one.row(with_text)["pages"], good.count());
        let two = job(folder.path(), &[&revisions]).with("run.threads=2");
        two.run(DATES);
        assert_same(&contents(&one), &contents(&two), "with two threads");
    }
}

#[test]
fn later_copies_are_the_same_at_once_in_pieces_and_in_chunks() {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    write_archive(folder.path(), false);
    for settings in [
        &["dedup.revisions=true"][..],
        &["paper.batching=page", "paper.lookback=2d"],
        &["paper.batching=date", "paper.lookback=window"],
    ] {
        let (tables, difference) = at_once_and_in_pieces(folder.path(), settings, &PIECES);
        assert_eq!(difference, None, "{settings:?}");
        let revised = (tables["documents"].iter()).any(|row| row.contains("\"revision\""));
        assert_eq!(
            revised,
            settings[0] == "dedup.revisions=true",
            "{settings:?}"
        );
        let chunked = job(folder.path(), settings)
            .with("run.chunk_bytes=1KB")
            .with("run.threads=2");
        let many = chunked.backfill(DATES);
        assert!(many.stderr.contains("chunk 5 of 5 "), "{}", many.stderr);
        assert_same(&tables, &contents(&chunked), settings[0]);
    }
}

#[test]
fn copies_with_a_learned_parameter_are_the_same_at_once_in_pieces_and_in_chunks() {
    let folder = tempfile::tempdir().expect("a folder for the archive");
    write_groups(&folder.path().join("pages.parquet"), &noisy_rows(), 7);
    for revisions in [false, true] {
        let settings = [format!("dedup.revisions={revisions}")];
        let settings = settings.each_ref().map(String::as_str);
        let (tables, difference) = at_once_and_in_pieces(folder.path(), &settings, &PIECES);
        assert_eq!(difference, None, "{settings:?}");
        let noise = tables["url_parameters"]
            .iter()
            .filter(|row| row.contains("\"noise\""))
            .count();
        assert!(noise > 0, "nothing was learned");
        let learned = tables["url_keys"]
            .iter()
            .filter(|row| row.contains("learned_parameter"))
            .count();
        assert!(learned > 20, "{learned} duplicates");
        let chunked = job(folder.path(), &settings)
            .with("run.chunk_bytes=1KB")
            .with("run.threads=2");
        chunked.backfill(DATES);
        assert_same(&tables, &contents(&chunked), settings[0]);
    }
}
