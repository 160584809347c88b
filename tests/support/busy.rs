//! An archive with every case that a window must handle: twelve sites over forty days.
//! One publishes more pages a day than the window holds, one pauses, and one has only
//! known pages for weeks. Templates change, and pages are fetched again.

use std::path::Path;

use super::{Row, Site, micros, paragraph, write_groups};

pub(crate) const FIRST: &str = "2011-10-01";
pub(crate) const LAST: &str = "2011-11-09";
/// Up to this day a flood, a pause, a new template and a fortnight of copies have begun: half of the archive, for tests
/// that run it many times.
pub(crate) const HALF: &str = "2011-10-20";
const DAYS: u64 = 40;

const SITES: [Site; 12] = [
    Site {
        host: "www.flood.example",
    },
    Site {
        host: "pause.example",
    },
    Site {
        host: "news.repeats.example",
    },
    Site {
        host: "www.a.example",
    },
    Site {
        host: "www.b.example",
    },
    Site {
        host: "www.c.example",
    },
    Site {
        host: "www.d.example",
    },
    Site { host: "e.example" },
    Site { host: "f.example" },
    Site { host: "g.f.co.uk" },
    Site {
        host: "www.h.f.co.uk",
    },
    Site { host: "127.0.0.1" },
];

/// New pages of a site on a day.
fn new_pages(site: usize, day: u64) -> u64 {
    match (site, day) {
        // More pages in a day than the window holds.
        (0, _) if day % 13 == 5 => 45,
        (0, _) => 1,
        (1, 10..30) | (2, 11..27) => 0,
        (1, _) => 6,
        (2, _) => 5,
        _ => 3,
    }
}

/// Writes the archive with its rows unsorted, so that each file and row group has many
/// dates.
pub(crate) fn busy_archive(folder: &Path) {
    let rows = busy_rows();
    for (number, part) in rows.chunks(rows.len().div_ceil(3)).enumerate() {
        write_groups(&folder.join(format!("part-{number}.parquet")), part, 200);
    }
}

/// The rows of the archive, unsorted.
pub(crate) fn busy_rows() -> Vec<Row> {
    let mut rows: Vec<Row> = (0..SITES.len()).flat_map(rows_of_site).collect();
    rows.extend(bad_rows());
    let count = rows.len();
    // The stride is prime, so that each row is written once.
    (0..count)
        .map(|at| rows[at * 7919 % count].clone())
        .collect()
}

fn rows_of_site(index: usize) -> Vec<Row> {
    let site = SITES[index];
    let mut rows: Vec<Row> = Vec::new();
    let mut number = 0;
    for day in 0..DAYS {
        for place in 0..new_pages(index, day) {
            let page = Row {
                fetched_at: Some(time(day, place, number)),
                url: Some(address(site, number)),
                html: Some(html(site, number, day).into_bytes()),
                ..Row::default()
            };
            rows.extend(copies(site, &page, number, day));
            rows.push(page);
            number += 1;
        }
    }
    assert!(number >= 100, "{} has only {number} pages", site.host);
    rows
}

/// The fetch time: some pages share it, and some are at the first or last microsecond of
/// their day.
fn time(day: u64, place: u64, number: u64) -> i64 {
    let midnight = micros(&format!("{FIRST}T00:00:00")) + day as i64 * DAY;
    midnight
        + match number % 7 {
            0 => 0,
            1 => DAY - 1,
            2 | 3 => DAY / 2,
            _ => (place as i64 + 1) * 900_000_000,
        }
}

const DAY: i64 = 86_400_000_000;

/// The URL: in two sections of unequal size, one with subfolders, or with a query.
fn address(site: Site, number: u64) -> String {
    match number % 5 {
        0 => format!("http://{}/sport/{number}.html", site.host),
        1 => format!("http://{}/story?id={number}", site.host),
        _ => format!("http://{}/news/{}/{number}.html", site.host, number / 9),
    }
}

/// The page: a template that changes every ten days, headlines of the previous two pages,
/// and an article.
fn html(site: Site, number: u64, day: u64) -> String {
    let era = 1_000_000 + day / 10;
    site.page(
        &headline(site, number),
        &[
            paragraph(seed(site, era)),
            headline(site, number.saturating_sub(1)),
            headline(site, number.saturating_sub(2)),
            paragraph(seed(site, 2 * number)),
            paragraph(seed(site, 2 * number + 1)),
        ],
    )
}

fn headline(site: Site, number: u64) -> String {
    let paragraph = paragraph(seed(site, 500_000 + number));
    paragraph.chars().take(40).collect()
}

fn seed(site: Site, number: u64) -> u64 {
    (site.host.bytes()).fold(number, |seed, byte| {
        seed * 31 % 1_000_000_007 + u64::from(byte)
    })
}

/// Later copies of the page: unchanged, at another URL, exactly at the end of the lookback
/// and a second after it, with little new text, and with much.
fn copies(site: Site, page: &Row, number: u64, day: u64) -> Vec<Row> {
    let html = String::from_utf8_lossy(page.html.as_deref().unwrap_or_default()).into_owned();
    let with = |text: &str| {
        Some(
            html.replace("</main>", &format!("<p>{text}</p></main>"))
                .into_bytes(),
        )
    };
    let update = paragraph(seed(site, 3_000_000 + number));
    let mut copies = match number % 6 {
        0 => vec![page.after(0, 60), page.after(5, 0)],
        1 => vec![page.after(5, 1), page.after(12, 0)],
        2 => vec![Row {
            html: with(&update),
            ..page.after(2, 30)
        }],
        3 => vec![
            Row {
                html: with("Corrected."),
                ..page.after(1, 0)
            },
            Row {
                html: with(&update),
                ..page.after(6, 0)
            },
            Row {
                html: with(&update),
                ..page.after(7, 0)
            },
        ],
        4 => vec![Row {
            url: page.url.as_ref().map(|url| format!("{url}#comments")),
            ..page.after(3, 7)
        }],
        _ => Vec::new(),
    };
    if site.host == SITES[2].host && day < 11 {
        // For a fortnight there are only copies of pages of two days. Whether a copy of an
        // older page is a known page then depends on how these advance the clock.
        copies = match day {
            9 | 10 => (1..16).map(|days| page.after(days, 0)).collect(),
            7 => vec![page.after(8, 0)],
            _ => Vec::new(),
        };
    }
    copies.retain(|copy| copy.fetched_at < Some(time(DAYS, 0, 0)));
    copies
}

/// Rows that cannot be processed, on every tenth day.
fn bad_rows() -> Vec<Row> {
    let page = |day| Row {
        fetched_at: Some(time(day, 0, 5)),
        url: Some(format!("http://{}/bad/{day}.html", SITES[3].host)),
        html: Some(Vec::new()),
        ..Row::default()
    };
    (0..DAYS)
        .step_by(10)
        .flat_map(|day| {
            // The third copy of this page is the first with text.
            let tried = |html: Option<&[u8]>, days, seconds| Row {
                url: Some(format!("http://{}/tried/{day}.html", SITES[3].host)),
                html: html.map(<[u8]>::to_vec),
                ..page(day).after(days, seconds)
            };
            let good = SITES[3].html(100 + day).into_bytes();
            [
                tried(None, 0, 0),
                tried(Some(b"%PDF-1.4 binary"), 0, 60),
                tried(Some(&good), 0, 120),
                tried(Some(&good), 2, 0),
                page(day),
                Row {
                    url: None,
                    ..page(day)
                },
                Row {
                    fetched_at: None,
                    ..page(day)
                },
                // A good page at the URL of one without text.
                Row {
                    html: Some(SITES[3].html(day).into_bytes()),
                    ..page(day).after(1, 0)
                },
            ]
        })
        .collect()
}
