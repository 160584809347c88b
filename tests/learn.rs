//! Parameters of URLs that no rule knows: what is learned, and that no page is lost.

use std::collections::BTreeMap;

use sample::{SampleOptions, pages};
use serde_json::{Value, json};

use crate::support::{
    Job, Row, Site, assert_same, contents, paragraph, shared, text, write, write_groups,
};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const FIRST: &str = "2011-10-01";
const DATES: &str = "2011-10-01..2011-10-12";

fn number(row: &Value, column: &str) -> i64 {
    row[column]
        .as_i64()
        .unwrap_or_else(|| panic!("no {column} in {row}"))
}

/// Article `number` of the site at another address, `days` after the first date.
fn at(address: &str, number: u64, days: i64, second: i64) -> Row {
    let article = SITE
        .article(number, "2011-10-01T08:00:00")
        .after(days, second);
    Row {
        url: Some(format!("http://{}{address}", SITE.host)),
        ..article
    }
}

/// Status and reason of each row, in time order.
fn statuses(job: &Job) -> Vec<(String, String)> {
    let rows = job.rows("SELECT status, merged_by FROM url_keys ORDER BY fetched_at, url");
    let reason = |row: &Value| row["merged_by"].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| (text(row, "status"), reason(row)))
        .collect()
}

fn count(job: &Job, status: &str) -> usize {
    statuses(job)
        .iter()
        .filter(|(found, _)| found == status)
        .count()
}

/// A page of more than 256 KB of text travels without it, also where Site finds that it repeats another.
#[test]
fn a_large_copy_under_another_address_is_a_duplicate_or_a_revision() {
    let text = |last: u64| {
        let paragraphs = (0..2000).map(paragraph).chain([paragraph(9000 + last)]);
        SITE.page("A long page", &paragraphs.collect::<Vec<_>>())
    };
    let page = |number: i64, last: u64| {
        let html = text(last);
        assert!(html.len() > 300_000, "{} bytes", html.len());
        Row {
            html: Some(html.into_bytes()),
            ..at(&format!("/long?view={number}"), 1, number, 0)
        }
    };
    let job = Job::of(&[page(0, 1), page(1, 1), page(2, 2)]).with("dedup.revisions=true");
    job.backfill(DATES);
    job.assert_accounts();
    let found = statuses(&job);
    assert_eq!(found[0].0, "unique");
    assert_eq!(
        found[1],
        ("duplicate".to_owned(), "same_content".to_owned())
    );
}

/// The last verdict about each parameter.
fn verdicts(job: &Job) -> BTreeMap<String, Value> {
    let rows = job.rows(
        "SELECT parameter, verdict, since, rows, same, differs, revised FROM url_parameters \
         ORDER BY date",
    );
    rows.into_iter()
        .map(|row| (text(&row, "parameter"), row))
        .collect()
}

#[test]
fn a_site_named_by_a_query_without_a_name_keeps_all_its_pages() {
    let rows: Vec<Row> = (0..40)
        .map(|number| {
            at(
                &format!("/spip.php?article{number}"),
                number,
                number as i64 / 5,
                0,
            )
        })
        .collect();
    let job = Job::of(&rows);
    job.backfill(DATES);
    assert_eq!(count(&job, "unique"), 40);
    let keys = job.rows("SELECT url_key FROM url_keys ORDER BY fetched_at, url");
    assert_eq!(
        text(&keys[7], "url_key"),
        "http://www.gazette.example/spip.php?article7"
    );
    let learned = &verdicts(&job)["?article"];
    assert_eq!(text(learned, "verdict"), "identifies");
    assert_eq!(number(learned, "rows"), 40);

    let dropped = Job::of(&rows).with("paper.queries=drop");
    dropped.backfill(DATES);
    assert_eq!(count(&dropped, "unique"), 1);
    assert!(!dropped.tables().join("url_parameters").exists());
    let learned = dropped.rows("SELECT parameter FROM url_parameters");
    assert!(learned.is_empty(), "a table without rows: {learned:?}");
}

/// Articles with an identifying parameter and one that changes with each visit, in changing
/// order. Each is fetched on two days.
fn visits() -> Vec<Row> {
    let visit = |number: u64, visit: u64, days: i64| {
        let address = if visit.is_multiple_of(2) {
            format!("/show?doc={number}&visit={visit}")
        } else {
            format!("/show?visit={visit}&doc={number}")
        };
        at(&address, number, days, visit as i64)
    };
    let twice = |number: u64| {
        let day = number as i64 / 3;
        [
            visit(number, 3 * number, day),
            visit(number, 3 * number + 1, day + 2),
        ]
    };
    (0..24).flat_map(twice).collect()
}

#[test]
fn one_parameter_identifies_and_another_is_noise() {
    let job = Job::of(&visits());
    job.backfill(DATES);
    assert_eq!(count(&job, "unique"), 24);
    let verdicts = verdicts(&job);
    assert_eq!(text(&verdicts["doc"], "verdict"), "identifies");
    assert_eq!(text(&verdicts["visit"], "verdict"), "noise");
    let since = text(&verdicts["visit"], "since");
    let key = job.rows(&format!(
        "SELECT url_key, merged_by FROM url_keys WHERE date >= DATE '{since}' AND merged_by IS NOT NULL"
    ));
    assert!(key.len() > 5, "{key:?}");
    for row in &key {
        assert!(!text(row, "url_key").contains("visit"), "{row}");
        assert_eq!(text(row, "merged_by"), "learned_parameter");
    }
}

/// Pairs of addresses, of which one has what the other lacks.
const PAIRS: [(&str, &str); 8] = [
    ("/news/1.html", "/news/1.html?via=mail"),
    ("/news/1.html?via=mail", "/news/1.html"),
    ("/news/1.html?via=mail", "/news/1.html?VIA=feed"),
    ("/news/1.html?a=1&b=2", "/news/1.html?b=3"),
    ("/news/1.html", "/news/1.html/amp"),
    ("/news/1", "/news/1/index.html"),
    ("/news/1;sid=77", "/news/1"),
    ("/news/1/print", "/print/news/1"),
];

/// Each pair is on a site of its own, because sites learn nothing of each other.
#[test]
fn a_page_with_equal_content_is_a_duplicate_with_and_without_the_parameter() {
    let (mut rows, mut expected) = (Vec::new(), Vec::new());
    for (number, (first, second)) in PAIRS.iter().enumerate() {
        for (content, days, reason) in [(1, 0, "same_content"), (1, 1, "same_content"), (2, 0, "")]
        {
            let host = format!("{content}-{days}-{number}.example");
            let pair = [at(first, 1, 0, 0), at(second, content, days, 60)];
            rows.extend(pair.map(|row| Row {
                url: row.url.map(|url| url.replace(SITE.host, &host)),
                ..row
            }));
            expected.push(json!({"domain": host, "reasons": ["", reason]}));
        }
    }
    let job = Job::of(&rows);
    job.backfill(DATES);
    let by_domain = |row: &Value| text(row, "domain");
    expected.sort_by_key(by_domain);
    let found = job.rows(
        "SELECT domain, array_agg(coalesce(merged_by, '') ORDER BY fetched_at) AS reasons \
         FROM url_keys GROUP BY domain ORDER BY domain",
    );
    assert_eq!(found, expected);
    assert_eq!(count(&job, "unique"), 4 * PAIRS.len());

    let night = Job::of(&rows);
    night.run(FIRST);
    night.run("2011-10-02..2011-10-12");
    assert_same(&contents(&job), &contents(&night), "in two runs");
}

/// Two URLs with a part are on one date, and no other row is on the date of the page without it.
#[test]
fn a_page_without_parts_is_compared_on_a_date_of_its_own() {
    let rows = [
        at("/g/1-p?via=mail", 1, 0, 0),
        at("/g/1-p?via=feed", 1, 0, 60),
        at("/g/1-p", 1, 5, 0),
    ];
    let job = Job::of(&rows);
    job.backfill(DATES);
    let found = statuses(&job);
    let reasons: Vec<&str> = found.iter().map(|(_, reason)| &**reason).collect();
    assert_eq!(reasons, ["", "same_content", "same_content"]);
}

#[test]
fn rules_and_listed_noise_are_applied_without_reading_a_page() {
    let rows = [
        at("/news/1.html", 1, 0, 0),
        // Other content, so a comparison would keep it.
        at("/news/1.html?utm_source=mail&fbclid=x", 2, 0, 1),
        at("/news/1.html;jsessionid=AB", 3, 0, 2),
    ];
    let job = Job::of(&rows);
    job.backfill(DATES);
    let found = statuses(&job);
    let reasons: Vec<&str> = found.iter().map(|(_, reason)| &**reason).collect();
    assert_eq!(reasons, ["", "dropped_query", "dropped_query"]);
}

/// A hundred pages with a parameter that is noise, then other pages at the same addresses.
fn changed_mind() -> Vec<Row> {
    let noise = (0..30_u64).flat_map(|number| {
        ["red", "blue"].map(|skin| at(&format!("/a/{number}-x?skin={skin}"), number, 0, 0))
    });
    // One URL in 64 is still read, so some hundred are needed to find the mistake.
    let other = (0..400_u64).map(|number| {
        let address = format!("/a/{}-x?skin=new{number}", number % 30);
        at(
            &address,
            1_000 + number,
            1 + (number / 100) as i64,
            number as i64,
        )
    });
    let later = (0..10_u64).map(|number| {
        at(
            &format!("/a/{number}-x?skin=last{number}"),
            5_000 + number,
            9,
            0,
        )
    });
    noise.chain(other).chain(later).collect()
}

#[test]
fn a_wrong_verdict_is_revised_for_later_dates_and_status_says_so() {
    let job = Job::of(&changed_mind());
    job.backfill(DATES);
    let learned = &verdicts(&job)["skin"];
    assert_eq!(text(learned, "verdict"), "identifies");
    assert_eq!(learned["revised"], json!(true));
    let of = |date: &str| {
        let query = format!("SELECT status FROM url_keys WHERE date = DATE '{date}'");
        let rows = job.rows(&query);
        rows.iter().filter(|row| row["status"] == "unique").count()
    };
    assert_eq!(
        of("2011-10-02"),
        0,
        "the verdict held, and rows that are written stay"
    );
    assert_eq!(of("2011-10-10"), 10, "later pages are kept");
    let status = job.command("status", &[]);
    assert!(status.stdout.contains("skin"), "{}", status.stdout);
}

/// Everything at once, over twelve days.
fn busy() -> Vec<Row> {
    let mut rows = visits();
    rows.extend(changed_mind());
    for number in 0..36_u64 {
        let day = number as i64 / 3;
        rows.push(at(&format!("/b/{number}-y?via={number}"), number, day, 5));
        rows.push(at(&format!("/b/{number}-y"), number, (day + 1).min(11), 6));
        rows.push(at(
            &format!("/b/{number}-y/amp"),
            number,
            (day + 2).min(11),
            7,
        ));
        rows.push(at(
            &format!("/c.php?page{number}&q={}", number % 4),
            number % 9,
            day,
            8,
        ));
        rows.push(at(
            &format!("/b/{number}-y?via={number}&q=1"),
            number,
            (day + 3).min(11),
            9,
        ));
        // The first copy has no text.
        let bad = at(&format!("/d/{number}-z?via=bad"), number, day, 10);
        rows.push(Row {
            html: Some(b"<html></html>".to_vec()),
            ..bad.clone()
        });
        rows.push(bad.after(i64::from(day < 11), 30));
        rows.push(at(&format!("/d/{number}-z"), number, (day + 2).min(11), 11));
    }
    // Another site: noise at first, later the pages without it, and nothing else.
    let elsewhere = |address: String, number: u64, days: i64| Row {
        url: Some(format!("http://www.quiet.example{address}")),
        ..at("", number, days, number as i64)
    };
    for number in 0..8_u64 {
        for skin in ["red", "blue"] {
            let address = format!("/e/{number}-p?skin={skin}");
            rows.push(elsewhere(address, number, 0));
        }
        rows.push(elsewhere(format!("/e/{number}-p"), number, 5));
    }
    // Noise at first, later pages with it and an undecided part, then copies with the noise alone.
    let mixed = |address: String, number: u64, days: i64| Row {
        url: Some(format!("http://www.mixed.example{address}")),
        ..at("", number, days, number as i64)
    };
    for number in 0..8_u64 {
        for skin in ["red", "blue"] {
            let address = format!("/f/{number}-p?skin={skin}");
            rows.push(mixed(address, number, 0));
        }
        let later = number + 20;
        let address = format!("/f/{later}-p?skin=red&via=mail");
        rows.push(mixed(address, later, 3));
        rows.push(mixed(format!("/f/{later}-p?skin=blue"), later, 5));
    }
    // Other content without the noise, which no audit looks at.
    for number in 0..300_u64 {
        let address = format!("/f/{}-p", number % 8);
        rows.push(mixed(address, 9_000 + number, 1 + (number / 30) as i64));
    }
    rows
}

#[test]
fn nights_chunks_threads_and_file_order_learn_the_same() {
    let rows = busy();
    let job = Job::of(&rows).with("run.threads=2");
    job.backfill(DATES);
    let expected = contents(&job);
    assert!(verdicts(&job).len() >= 5, "{:?}", verdicts(&job));
    let quiet = "SELECT * FROM url_keys WHERE domain = 'quiet.example' AND status = 'unique'";
    assert_eq!(job.rows(quiet).len(), 8);
    let mixed = "SELECT * FROM url_keys WHERE domain = 'mixed.example' AND status = 'unique'";
    assert_eq!(job.rows(mixed).len(), 16);

    let nights = Job::of(&rows);
    for pieces in [
        "2011-10-01",
        "2011-10-02",
        "2011-10-03..2011-10-05",
        "2011-10-06",
        "2011-10-07..2011-10-11",
        "2011-10-12",
    ] {
        nights.run(pieces);
    }
    assert_same(&expected, &contents(&nights), "nights");
    let chunks = Job::of(&rows)
        .with("run.threads=1")
        .with("run.chunk_bytes=1B");
    chunks.run(DATES);
    assert_same(&expected, &contents(&chunks), "chunks");

    // Row groups with few rows, in another order: positions differ, statuses do not.
    let mut reversed = rows;
    reversed.reverse();
    let shuffled = Job::new();
    write_groups(&shuffled.archive("a.parquet"), &reversed[..200], 7);
    write(&shuffled.archive("b.parquet"), &reversed[200..]);
    shuffled.run(DATES);
    assert_eq!(statuses(&job), statuses(&shuffled));
    assert_eq!(verdicts(&job), verdicts(&shuffled));
}

/// A calendar has a page for every value, without end.
#[test]
fn a_parameter_with_a_value_per_page_is_reported_by_name() {
    let day = |number: u64| {
        let text = [paragraph(number), paragraph(number + 100_000)];
        Row {
            html: Some(SITE.page("Calendar", &text).into_bytes()),
            ..at(
                &format!("/calendar?day={number}"),
                1,
                number as i64 / 1_500,
                number as i64 % 80_000,
            )
        }
    };
    let rows: Vec<Row> = (0..3_000).map(day).collect();
    let job = Job::of(&rows);
    job.backfill(DATES);
    let learned = &verdicts(&job)["day"];
    assert_eq!(number(learned, "rows"), 3_000);
    assert_eq!(text(learned, "verdict"), "identifies");
    assert_eq!(count(&job, "unique"), 3_000);
}

#[test]
fn real_articles_that_are_named_by_a_query_are_all_kept() {
    let Some(site) = shared("data/field/sites/wechange.parquet") else {
        return;
    };
    let job = Job::new().reading(&site).with("output.partition=year");
    job.backfill("2006-01-01..2014-12-31");
    assert_eq!(count(&job, "unique"), 600);
}

/// Twins of real pages with their canonical URLs: `replytocom` and AMP.
#[test]
fn real_twins_are_merged_by_their_canonical_urls() {
    for (site, twins) in [
        ("melmelboo", "melmelboo_amp"),
        ("openpompei", "openpompei_query"),
    ] {
        let paths = [
            shared(&format!("data/streams/{site}.parquet")),
            shared(&format!("data/duplicates/{twins}.parquet")),
        ];
        let [Some(stream), Some(twins)] = paths else {
            return;
        };
        let job = Job::new().with("output.partition=year");
        for (name, path) in [("stream", stream), ("twins", twins)] {
            let copy = job.archive(&format!("{name}.parquet"));
            std::fs::copy(path, copy).expect("the archive can be copied");
        }
        job.backfill("2000-01-01..2022-12-31");
        let canonical = "WITH a AS (SELECT DISTINCT url, coalesce(canonical_url, url) AS canonical \
             FROM archive), \
             k AS (SELECT url_keys.*, canonical FROM url_keys JOIN a ON a.url = url_keys.url)";
        let merged = job.row(&format!(
            "{canonical} SELECT count(*) AS merged, \
             sum(CASE WHEN d.canonical = o.canonical THEN 1 ELSE 0 END) AS correct \
             FROM k d JOIN k o ON d.duplicate_of = concat(o.source, '#', o.row)"
        ));
        let pages = job.row(&format!(
            "{canonical} SELECT sum(copies - 1) AS copies, sum(pages - 1) AS missed FROM \
             (SELECT count(*) AS copies, sum(CASE WHEN status = 'unique' THEN 1 ELSE 0 END) AS pages \
              FROM k GROUP BY canonical)"
        ));
        let (found, correct) = (number(&merged, "merged"), number(&merged, "correct"));
        let (copies, missed) = (number(&pages, "copies"), number(&pages, "missed"));
        assert!(copies > 50, "{pages}");
        assert!(
            correct * 1000 >= found * 995,
            "precision on {site}: {merged}"
        );
        assert!(
            (copies - missed) * 100 >= copies * 95,
            "recall on {site}: {pages}"
        );
    }
}

/// Of the invented sites that no rule knows: a row with the text of another is its duplicate, and
/// no other is.
#[test]
fn invented_sites_are_merged_by_their_text() {
    const SITES: [&str; 7] = [
        "gazette-marlieu.example",
        "brunnthaler-anzeiger.example",
        "crossbeck-ledger.example",
        "tarn-observer.example",
        "tribuna-arenal.example",
        "zareski-dnevnik.example",
        "wendholm-journal.example",
    ];
    let date = |text: &str| text.parse().expect("a date");
    let options = SampleOptions {
        first: date("2011-10-24"),
        last: date("2011-12-19"),
        pages: 6000,
        seed: 1,
    };
    let pages = pages(&options).filter_map(|page| {
        let gold = page.gold?;
        let row = Row {
            fetched_at: Some(page.fetched_at),
            url: page.url,
            html: Some(page.html),
            http_charset: page.http_charset,
            ..Row::default()
        };
        SITES.contains(&gold.site).then_some((row, gold.text))
    });
    let (rows, texts): (Vec<Row>, Vec<String>) = pages.unzip();
    assert!(rows.len() > 800, "{}", rows.len());
    let job = Job::of(&rows);
    job.backfill("2011-10-24..2011-12-19");
    let (mut merged, mut correct, mut missed) = (0, 0, 0);
    let mut pages: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for row in job.rows("SELECT row, domain, status, duplicate_of FROM url_keys ORDER BY row") {
        let text_of = |row: usize| &*texts[row];
        let own = text_of(number(&row, "row") as usize);
        if let Some(original) = row["duplicate_of"].as_str() {
            let (_, original) = original.split_once('#').expect("source#row");
            merged += 1;
            correct += usize::from(text_of(original.parse().expect("a row")) == own);
        } else {
            let copies = pages.entry((text(&row, "domain"), own)).or_default();
            missed += usize::from(*copies > 0);
            *copies += 1;
        }
    }
    assert_eq!(correct, merged, "a page was merged with another page");
    assert!(merged > 400, "{merged}");
    assert!(
        missed * 100 <= merged + missed,
        "{missed} of {merged} duplicates are missed"
    );
}
