//! The peak memory of runs under `run.memory_limit`.

use std::path::Path;

use crate::support::{Job, Row, Site, can_watch, micros, mix, paragraph, skip, write_rows};

const DATES: u64 = 4;
pub(crate) const RANGE: &str = "2012-01-01..2012-01-04";

/// Archives whose pages are spread over sites in an extreme way.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// Half of all pages are on one site.
    GiantSite,
    /// Every site has one page.
    ManySites,
    /// All pages are at one path, and differ in a parameter that no rule knows.
    Trap,
}

impl Shape {
    fn page(self, number: u64) -> Row {
        let host = match self {
            Self::GiantSite if number.is_multiple_of(2) => "www.giant.example".to_owned(),
            Self::GiantSite => format!("www.site-{}.example", mix(number) % 500),
            Self::ManySites => format!("www.site-{number}.example"),
            Self::Trap => "www.trap.example".to_owned(),
        };
        let second = number / DATES % 86_400;
        let time = format!(
            "2012-01-{:02}T{:02}:{:02}:{:02}",
            1 + number % DATES,
            second / 3600,
            second / 60 % 60,
            second % 60
        );
        let article = Site { host: &host }.article(number, &time);
        match self {
            Self::Trap => Row {
                url: Some(format!("http://{host}/calendar?day={number}")),
                ..article
            },
            _ => article,
        }
    }

    pub(crate) fn archive(self, pages: u64) -> Job {
        let job = Job::new().with("run.threads=2");
        let rows = (0..pages).map(|number| self.page(number));
        write_rows(&job.archive("pages.parquet"), rows, 5000);
        job
    }
}

/// Runs the dates, which must succeed. Returns the peak memory in bytes.
fn peak(job: &Job, dates: &str) -> u64 {
    let run = job.watched(dates);
    assert_eq!(run.finished.code, Some(0), "{}", run.finished.stderr);
    job.assert_accounts();
    run.peak_bytes
}

#[test]
fn a_run_limited_to_48_mb_stays_below_600_mb() {
    if !can_watch() {
        return skip("/proc");
    }
    for shape in [Shape::ManySites, Shape::GiantSite, Shape::Trap] {
        // The rows are far larger than the memory of the sorts.
        let job = shape.archive(64_000).with("run.memory_limit=48MB");
        let held = peak(&job, RANGE);
        // The binary, the pages being parsed, and a row group of each of 32 open files take
        // memory beside the limit.
        assert!(held < 600_000_000, "{shape:?}: {held} bytes");
    }
}

/// With this limit each date is a chunk, which looks up its keys and windows among those of
/// the dates before.
#[test]
fn chunks_after_the_first_need_no_more_memory() {
    for shape in [Shape::ManySites, Shape::GiantSite] {
        let job = shape.archive(64_000).with("run.memory_limit=24MB");
        job.backfill(RANGE);
        assert_eq!(job.rows("SELECT DISTINCT seconds FROM runs").len(), 4);
    }
}

/// An article of ten thousand letters.
fn long(number: u64) -> Row {
    let host = format!("www.site-{}.example", number % 100);
    let site = Site { host: &host };
    let paragraphs: Vec<String> = (0..60).map(|at| paragraph(100 * number + at)).collect();
    Row {
        html: Some(site.page("Long read", &paragraphs).into_bytes()),
        ..site.article(number, &format!("2012-01-0{}T12:00:00", 1 + number % DATES))
    }
}

/// At the default of 1 GiB, with more data than sorts can hold then.
#[test]
fn a_run_stays_below_its_memory_limit() {
    if !can_watch() {
        return skip("/proc");
    }
    let job = Job::new()
        .with("run.threads=2")
        .with("run.memory_limit=1GiB");
    write_rows(&job.archive("pages.parquet"), (0..48_000).map(long), 5000);
    let held = peak(&job, RANGE);
    // Sorts and joins have taken their half of the limit.
    let spilled = job.row("SELECT max(spilled_bytes) > 0 AS spilled FROM runs");
    assert_eq!(spilled, serde_json::json!({"spilled": true}));
    assert!(held < 1 << 30, "{held} bytes");
}

/// Each date is a chunk. An allocator or a cache that keeps something of each would show: with another allocator, the last of
/// twenty chunks of 24,000 pages had two and a half times the memory of the second.
#[test]
fn memory_is_that_of_a_chunk_however_many_there_are() {
    const CHUNKS: u64 = 24;
    let columns = "output.write=['markdown', 'metadata', 'language', 'signals', 'minhash']";
    let job = Job::new()
        .with("run.threads=2")
        .with("run.memory_limit=128MB")
        .with("run.chunk_bytes=1kB")
        .with(columns);
    let pages = (0..CHUNKS * 400).map(|number| {
        let day = micros("2012-01-01T00:00:00") + (number / 400) as i64 * 86_400_000_000;
        let site = format!("www.site-{}.example", mix(number) % 50);
        let article = Site { host: &site }.article(number, "2012-01-01T00:00:00");
        Row {
            fetched_at: Some(day + (number % 400) as i64 * 1_000_000),
            url: Some(format!(
                "http://{site}/view?day={number}&from={}",
                number % 9
            )),
            ..article
        }
    });
    write_rows(&job.archive("pages.parquet"), pages, 400);
    job.backfill("2012-01-01..2012-01-24");
    let peaks = job.rows("SELECT peak_memory_bytes AS bytes FROM runs ORDER BY date");
    let peaks: Vec<u64> = (peaks.iter().filter_map(|row| row["bytes"].as_u64())).collect();
    if peaks.is_empty() {
        return skip("a system that tells the memory of a process");
    }
    assert_eq!(peaks.len() as u64, CHUNKS);
    let (eighth, last) = (peaks[7], peaks[peaks.len() - 1]);
    assert!(
        last < eighth + eighth / 5,
        "{eighth} bytes, then {last}: {peaks:?}"
    );
}

/// A page of many bytes that compresses to few.
fn huge(number: u64, bytes: usize) -> Row {
    let site = Site {
        host: "www.huge.example",
    };
    let article = site.article(number, "2012-01-01T12:00:00");
    let paragraph = format!("<p>{}</p>\n", site.sidebar());
    let html = site.html(number) + &paragraph.repeat(bytes / paragraph.len());
    Row {
        html: Some(html.into_bytes()),
        ..article
    }
}

fn huge_pages(archive: &Path, pages: u64, bytes: usize) {
    write_rows(archive, (0..pages).map(|number| huge(number, bytes)), 1000);
}

#[test]
fn only_a_few_pages_of_100_mb_are_in_memory() {
    if !can_watch() {
        return skip("/proc");
    }
    // Together more than the 2 GiB of an Arrow array of bytes.
    let pages = 24;
    let job = Job::new()
        .with("run.threads=2")
        .with("run.memory_limit=64MB");
    huge_pages(&job.archive("pages.parquet"), pages, 100_000_000);
    let peak = peak(&job, RANGE);
    let cut =
        job.rows("SELECT url FROM documents WHERE starts_with(warnings[1], 'page_bytes_limit')");
    assert_eq!(cut.len() as u64, pages);
    assert!(peak < 1_000_000_000, "{peak} bytes");
}

/// Prints the peak memory of runs under several limits. `URLTREE_MEMORY_PAGES` sets the
/// number of pages.
#[test]
#[ignore = "a measurement, to be read"]
fn print_the_peak_memory_of_runs() {
    let pages = std::env::var("URLTREE_MEMORY_PAGES").map_or(100_000, |pages| {
        pages.parse().expect("URLTREE_MEMORY_PAGES is a number")
    });
    let settings = ["128MB", "512MB", "1GiB"];
    let row = |name: &str, job: Job| {
        for memory in settings {
            let run = job.watched_with(&[&format!("run.memory_limit={memory}")], RANGE);
            let outcome = match run.finished.code {
                Some(0) => format!("{:6} MB", run.peak_bytes / 1_000_000),
                _ => "refused".to_owned(),
            };
            println!("{name}, run.memory_limit={memory}: {outcome}");
        }
    };
    row(
        "half of the pages on one site",
        Shape::GiantSite.archive(pages),
    );
    row("one page per site", Shape::ManySites.archive(pages));
    let job = Job::new().with("run.threads=2");
    huge_pages(&job.archive("pages.parquet"), 24, 100_000_000);
    row("pages of 100 MB", job);
}
