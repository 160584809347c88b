//! A long run: many small pages of many sites over many dates, in chunks. Its peak memory
//! must not grow from chunk to chunk.
//!
//! ```sh
//! cargo test --workspace --test urltree -- --ignored --nocapture soak
//! ```
//!
//! `URLTREE_SOAK_PAGES` sets the number of pages, a million by default.
//! `URLTREE_SOAK_MEMORY` sets `run.memory_limit`, 256MB by default.
//! `URLTREE_SOAK_CHUNK` sets `run.chunk_bytes`, 48MB by default.

use chrono::{Days, NaiveDate};

use crate::support::{Job, Row, Site, can_watch, mix, skip, write_groups};

const PAGES: u64 = 1_000_000;
const DATES: u64 = 100;
const SITES: u64 = 2_000;

fn pages() -> u64 {
    let pages = setting("URLTREE_SOAK_PAGES", &PAGES.to_string());
    pages.parse().expect("URLTREE_SOAK_PAGES is a number")
}

fn setting(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

fn date(number: u64) -> NaiveDate {
    let first = NaiveDate::from_ymd_opt(2012, 1, 1).expect("a date");
    first + Days::new(number)
}

/// A small page. A tenth of the sites have more than half of all pages, and one page in
/// twenty is a copy of an earlier one.
fn page(number: u64) -> Row {
    let dice = mix(number);
    let sites = if dice.is_multiple_of(2) {
        SITES
    } else {
        SITES / 10
    };
    let host = format!("www.site-{}.example", (dice >> 8) % sites);
    let article = if dice.is_multiple_of(20) {
        number / 2
    } else {
        number
    };
    let second = (number / DATES) % 86_400;
    let time = format!(
        "{}T{:02}:{:02}:{:02}",
        date(number % DATES),
        second / 3600,
        second / 60 % 60,
        second % 60
    );
    let site = Site { host: &host };
    site.article(article, &time)
}

#[test]
#[ignore = "it takes a quarter of an hour; see the module"]
fn peak_memory_does_not_grow_over_a_long_run() {
    if !can_watch() {
        return skip("/proc");
    }
    let job = Job::new()
        .with(&format!(
            "run.memory_limit={}",
            setting("URLTREE_SOAK_MEMORY", "256MB")
        ))
        .with(&format!(
            "run.chunk_bytes={}",
            setting("URLTREE_SOAK_CHUNK", "48MB")
        ));
    let pages = pages();
    for day in 0..DATES {
        let rows: Vec<Row> = (0..pages / DATES)
            .map(|number| page(number * DATES + day))
            .collect();
        let file = job.archive(&format!("{}.parquet", date(day)));
        write_groups(&file, &rows, 5000);
    }
    let range = format!("{}..{}", date(0), date(DATES - 1));
    let run = job.watched(&range);
    assert_eq!(run.finished.code, Some(0), "{}", run.finished.stderr);
    job.assert_accounts();

    println!("chunk  seconds  peak MB");
    for (number, chunk) in (1..).zip(&run.chunks) {
        let megabytes = chunk.peak_bytes / 1_000_000;
        println!("{number:5}  {:7.0}  {megabytes:7}", chunk.seconds);
    }
    let seconds = run.chunks.last().map_or(0.0, |chunk| chunk.seconds);
    println!("{pages} pages, {:.0} pages/s", pages as f64 / seconds);

    let peaks: Vec<u64> = run.chunks.iter().map(|chunk| chunk.peak_bytes).collect();
    assert!(peaks.len() >= 16, "{} chunks are no soak", peaks.len());
    let most = |peaks: &[u64]| peaks.iter().copied().max().unwrap_or(0);
    let quarter = peaks.len() / 4;
    // The windows fill during the first quarter, so it is not compared.
    let (early, late) = (
        most(&peaks[quarter..2 * quarter]),
        most(&peaks[peaks.len() - quarter..]),
    );
    assert!(late < early + early / 4, "{early} bytes, later {late}");
}
