//! The bundled sample: `jobs/sample/pages.parquet` is what this file writes.
//!
//! Six sites that do not exist, eight weeks of them, with what makes archives
//! hard: templates, sections, teasers, comments, one page under several
//! addresses, and rows that are no pages. After a change here, write it again:
//!
//! ```sh
//! URLTREE_WRITE_SAMPLE=1 cargo test -p urltree --test urltree sample
//! ```

use std::fmt::Write;
use std::fs::File;

use arrow::compute::concat_batches;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::support::{GAMMA, Job, Row, batch, mix, repository, write};

const DAYS: i64 = 57;
const FIRST: &str = "2011-10-24T06:00:00";
const DATES: &str = "2011-10-24..2011-12-19";

struct Newspaper {
    host: &'static str,
    name: &'static str,
    town: &'static str,
    per_day: i64,
    sections: [&'static str; 3],
    menu: &'static str,
}

const NEWSPAPERS: [Newspaper; 6] = [
    Newspaper {
        host: "www.norwick-post.example",
        name: "The Norwick Post",
        town: "Norwick",
        per_day: 3,
        sections: ["politics", "business", "sport"],
        menu: "Home|Politics|Business|Sport|Weather|Jobs|Subscribe",
    },
    Newspaper {
        host: "herald.eastham.example",
        name: "Eastham Herald",
        town: "Eastham",
        per_day: 2,
        sections: ["local", "schools", "courts"],
        menu: "Front page|Local news|Schools|Courts|Notices|Contact us",
    },
    Newspaper {
        host: "www.harbour-times.example",
        name: "Harbour Times",
        town: "Saltmouth",
        per_day: 2,
        sections: ["shipping", "fishing", "weather"],
        menu: "Arrivals|Departures|Tides|Shipping|Fishing|Weather|Archive",
    },
    Newspaper {
        host: "blog.upland.example",
        name: "Notes from the Upland",
        town: "Upper Tarn",
        per_day: 1,
        sections: ["walks", "birds", "recipes"],
        menu: "About|Walks|Birds|Recipes|Older posts",
    },
    Newspaper {
        host: "www.midland-daily.example",
        name: "Midland Daily",
        town: "Brackton",
        per_day: 3,
        sections: ["news", "money", "football"],
        menu: "News|Money|Football|Opinion|Puzzles|Mobile edition",
    },
    Newspaper {
        host: "www.valley-echo.example",
        name: "Valley Echo",
        town: "Lower Wend",
        per_day: 1,
        sections: ["council", "farming", "events"],
        menu: "Today|Council|Farming|Events|Letters|Send us your story",
    },
];

const WHO: [&str; 12] = [
    "The town council",
    "A retired engineer",
    "The harbour board",
    "A group of parents",
    "The regional court",
    "A small bakery",
    "The football club",
    "The water company",
    "A former mayor",
    "The railway operator",
    "A local historian",
    "The fire service",
];
const DID: [&str; 12] = [
    "has approved plans for",
    "called for a second look at",
    "will close",
    "has raised money for",
    "warned of delays to",
    "has reopened",
    "refused to sell",
    "voted against",
    "promised to repair",
    "has found a buyer for",
    "will pay for",
    "apologised for the state of",
];
const WHAT: [&str; 12] = [
    "the old tram depot",
    "a new bridge over the river",
    "the swimming pool",
    "the covered market",
    "the night bus",
    "the library roof",
    "a cycle path to the station",
    "the lighthouse",
    "the school kitchen",
    "the flood wall",
    "the concert hall",
    "a row of empty shops",
];
const THEN: [&str; 10] = [
    "The decision came after a long meeting on {day} evening.",
    "Work is expected to begin in {number} weeks.",
    "Residents of {town} were told by letter that {number} houses are affected.",
    "The cost is put at {number} thousand, a third more than planned.",
    "An earlier attempt failed by {number} votes.",
    "Nobody from the office in {town} was available for comment on {day}.",
    "About {number} people had signed a petition before the meeting.",
    "A report with {number} pages will be published on {day}.",
    "Critics say that {town} has waited {number} years for less.",
    "The next hearing is set for {day}, with {number} speakers on the list.",
];
const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

struct Article {
    title: String,
    address: String,
    paragraphs: Vec<String>,
    comments: Vec<String>,
}

/// A generator of numbers: SplitMix64, so that the sample never changes by
/// itself.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(GAMMA);
        usize::try_from(number % sides as u64).expect("less than the sides")
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.throw(of.len())]
    }
}

fn article(paper: &Newspaper, number: i64, dice: &mut Dice) -> Article {
    let title = format!("{} {} {}", dice.one(&WHO), dice.one(&DID), dice.one(&WHAT));
    let section = dice.one(&paper.sections);
    let slug = title.to_lowercase().replace(' ', "-");
    let sentence = |dice: &mut Dice| {
        dice.one(&THEN)
            .replace("{town}", paper.town)
            .replace("{day}", dice.one(&WEEKDAYS))
            .replace("{number}", &(3 + dice.throw(900)).to_string())
    };
    let paragraphs = (0..3 + dice.throw(4))
        .map(|_| format!("{} {} {}", sentence(dice), sentence(dice), sentence(dice)))
        .collect();
    let comments = (0..dice.throw(3))
        .map(|_| format!("Reader {}: {}", dice.throw(5000), sentence(dice)))
        .collect();
    Article {
        address: format!("http://{}/{section}/2011/{number}-{slug}.html", paper.host),
        title,
        paragraphs,
        comments,
    }
}

fn page(paper: &Newspaper, article: &Article, earlier: &[Article]) -> String {
    let mut html = format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{title} - {name}</title>\n\
         <script>var page = {{\"title\": \"{title}\"}};</script></head>\n\
         <body><div class=\"top\"><a href=\"/\">{name}</a><ul class=\"menu\">",
        title = article.title,
        name = paper.name,
    );
    for item in paper.menu.split('|') {
        let _ = write!(html, "<li><a href=\"#\">{item}</a></li>");
    }
    let _ = write!(
        html,
        "</ul></div>\n<div class=\"story\"><h1>{}</h1>\n",
        article.title
    );
    for paragraph in &article.paragraphs {
        let _ = writeln!(html, "<p>{paragraph}</p>");
    }
    html += "</div>\n<div class=\"side\"><h3>More stories</h3><ul>";
    for other in earlier.iter().rev().take(4) {
        let _ = write!(
            html,
            "<li><a href=\"{}\">{}</a></li>",
            other.address, other.title
        );
    }
    html += "</ul><h3>Newsletter</h3><p>Get the morning headlines by mail.</p></div>\n\
             <div class=\"comments\"><h3>What readers say</h3>";
    for comment in &article.comments {
        let _ = write!(html, "<p>{comment}</p>");
    }
    let _ = writeln!(
        html,
        "<p>Please be polite. Comments close after a week.</p></div>\n\
         <div class=\"foot\"><p>Published by {} in {}. All rights reserved.</p></div></body></html>",
        paper.name, paper.town
    );
    html
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, paper) in NEWSPAPERS.iter().enumerate() {
        let mut dice = Dice(2011 + index as u64);
        let mut earlier: Vec<Article> = Vec::new();
        for number in 0..DAYS * paper.per_day {
            let article = article(paper, 1000 + number, &mut dice);
            let html = page(paper, &article, &earlier);
            let seconds = (number % paper.per_day) * 18_000 + index as i64 * 600;
            let fetched =
                Row::page(FIRST, &article.address, html).after(number / paper.per_day, seconds);
            rows.extend(again(&fetched, &article, &mut dice));
            rows.push(Row {
                title: Some(article.title.clone()),
                request_url: Some(article.address.clone()),
                ..fetched
            });
            earlier.push(article);
        }
    }
    rows.extend(broken());
    rows.sort_by(|a, b| (a.fetched_at, &a.url).cmp(&(b.fetched_at, &b.url)));
    rows
}

/// The same page under other addresses, a few minutes later.
fn again(page: &Row, article: &Article, dice: &mut Dice) -> Vec<Row> {
    let later = |minutes: i64, url: String, request_url: String| Row {
        url: Some(url),
        request_url: Some(request_url),
        title: Some(article.title.clone()),
        ..page.after(0, minutes * 60)
    };
    let plain = &article.address;
    match dice.throw(6) {
        0 => {
            let url = format!("{plain}?utm_source=rss&utm_medium=feed");
            vec![later(10, url.clone(), url)]
        }
        1 => vec![later(
            20,
            plain.clone(),
            plain.replace("http://", "http://go."),
        )],
        2 => {
            let url = plain.replace("http://", "https://") + "#comments";
            vec![
                later(5, url.clone(), url),
                later(30, plain.clone(), plain.clone()),
            ]
        }
        _ => Vec::new(),
    }
}

/// Rows that are no pages.
fn broken() -> Vec<Row> {
    let row = |day: i64, url: &str, html: &[u8]| Row::page(FIRST, url, html).after(day, 77);
    vec![
        row(3, "http://www.norwick-post.example/empty.html", b""),
        row(
            9,
            "http://herald.eastham.example/notice.html",
            b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n",
        ),
        row(15, "www.harbour-times.example/no-scheme", b"<p>Tides</p>"),
        Row {
            url: None,
            ..row(20, "", b"<p>Nobody knows where this was.</p>")
        },
        Row {
            http_status: Some(404),
            ..row(
                31,
                "http://www.midland-daily.example/gone.html",
                b"<h1>Not found</h1>",
            )
        },
    ]
}

const SAMPLE: &str = "jobs/sample/pages.parquet";

#[test]
fn the_bundled_sample_is_what_this_file_writes() {
    let rows = rows();
    let sample = repository().join(SAMPLE);
    if std::env::var_os("URLTREE_WRITE_SAMPLE").is_some() {
        write(&sample, &rows);
    }
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(sample).expect("a sample"))
        .and_then(ParquetRecordBatchReaderBuilder::build)
        .expect("a Parquet file");
    let batches: Vec<_> = reader.map(|batch| batch.expect("rows")).collect();
    let written = concat_batches(&batches[0].schema(), &batches).expect("one schema");
    assert_eq!(written, batch(&rows));
}

#[test]
fn the_job_file_runs_the_sample_as_the_readme_says() {
    let job = Job::new().of_the_repository();
    job.backfill(DATES);
    let counts = job.row(
        "SELECT count(*) AS pages, \
           sum(CASE WHEN text = '' THEN 1 ELSE 0 END) AS empty, \
           sum(CASE WHEN strpos(text, 'All rights reserved') > 0 THEN 1 ELSE 0 END) AS template \
         FROM documents",
    );
    assert_eq!(counts["pages"], 57 * 12);
    assert_eq!(counts["empty"], 0);
    // Nothing is known of a template before its first day is over; with a day
    // in the tree, only sites of one page a day show it, on that page.
    assert_eq!(counts["template"], 2);
    let reasons = job.rows("SELECT reason FROM quarantine ORDER BY fetched_at");
    let reasons: Vec<_> = reasons.iter().map(|row| &row["reason"]).collect();
    assert_eq!(
        reasons,
        [
            "empty_html",
            "binary_html",
            "invalid_url",
            "missing_url",
            "http_status"
        ]
    );
}
