//! Quality does not fall unnoticed: `accuracy/thresholds.toml` has the scores that every
//! heuristic must reach on every gold set. `make thresholds` raises them, `make thresholds
//! REASON="..."` lowers them too.

use std::path::Path;

use chrono::NaiveDate;
use sample::{SampleOptions, pages};

use crate::gold_rows::with_gold;
use crate::support::{Row, repository, run_in, shared, write_batch};

/// Asserts that all heuristics reach their thresholds on the gold sets at `paths`. At most
/// 300 pages of each domain are compared.
fn assert_thresholds(paths: &[&Path]) {
    let thresholds = repository().join("tests/accuracy/thresholds.toml");
    let mut words = vec![
        "-q",
        "eval",
        "--heuristics",
        "all",
        "--max-pages-per-domain",
        "300",
        "--thresholds",
    ];
    let thresholds = thresholds.to_string_lossy();
    words.push(&thresholds);
    let reason = std::env::var("URLTREE_LOWER_THRESHOLDS").unwrap_or_default();
    if std::env::var_os("URLTREE_RAISE_THRESHOLDS").is_some() {
        words.push("--raise-thresholds");
        if !reason.is_empty() {
            words.extend(["--lower-thresholds", &reason]);
        }
    }
    words.push("--gold");
    let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
    words.extend(paths.iter().map(|path| &**path));
    let finished = run_in(&repository(), "urltree-lab", &words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
}

#[test]
fn quality_on_real_sites_is_not_below_its_thresholds() {
    if let Some(streams) = shared("data/streams") {
        assert_thresholds(&[&streams]);
    }
}

#[test]
fn quality_on_real_pages_is_not_below_its_thresholds() {
    if let Some(pages) = shared("data/pages") {
        assert_thresholds(&[&pages]);
    }
}

/// Every clone of the repository can generate these sites.
#[test]
fn quality_on_invented_sites_is_not_below_its_thresholds() {
    let date = |day| NaiveDate::from_ymd_opt(2011, 10, day).expect("a date");
    let options = SampleOptions {
        first: date(1),
        last: date(31),
        pages: 2000,
        seed: 1,
    };
    let (rows, golds): (Vec<Row>, Vec<String>) = pages(&options)
        .filter_map(|page| {
            let gold = page.gold?;
            let row = Row {
                fetched_at: Some(page.fetched_at),
                url: page.url,
                html: Some(page.html),
                request_url: page.request_url,
                title: page.title,
                http_charset: page.http_charset,
                ..Row::default()
            };
            Some((row, gold.text))
        })
        .unzip();
    assert!(rows.len() > 1000, "{} pages with gold", rows.len());
    let folder = tempfile::tempdir().expect("a folder");
    let set = folder.path().join("invented.parquet");
    write_batch(&set, &with_gold(&rows, &golds), 1000);
    assert_thresholds(&[&set]);
}
