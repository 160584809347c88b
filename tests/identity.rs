//! `document_id`, `content_digest` and `minhash` of `documents`.

use std::collections::BTreeSet;

use serde_json::Value;
use sha2::{Digest, Sha256};
use text::near_duplicates::Signature;

use crate::support::{Job, Site, text};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-06";
const IDS: &str = "SELECT url, document_id FROM documents ORDER BY url";

fn job() -> Job {
    Job::of(&SITE.daily_articles(6))
}

#[test]
fn ids_are_equal_in_all_runs_and_with_all_labels() {
    let job = job();
    job.backfill(DATES);
    let ids = job.lines(IDS);
    let distinct: BTreeSet<String> = (job.rows(IDS).iter())
        .map(|row| text(row, "document_id"))
        .collect();
    assert_eq!(distinct.len(), 6);
    assert!(distinct.iter().all(|id| id.len() == 32), "{distinct:?}");
    job.backfill("2011-10-03..2011-10-06");
    assert_eq!(job.lines(IDS), ids);
    for setting in [
        "paper.heuristic=strict",
        "tree.relabel_days=2",
        "run.threads=1",
    ] {
        let other = self::job().with(setting);
        other.backfill(DATES);
        assert_eq!(other.lines(IDS), ids, "{setting}");
    }
}

#[test]
fn an_id_is_that_of_a_fetch_and_a_digest_is_that_of_a_text() {
    let mut rows = SITE.daily_articles(3);
    // The second article again, a day later, under another address.
    rows.push(crate::support::Row {
        url: Some("http://www.gazette.example/news/copy.html".to_owned()),
        ..rows[1].after(1, 0)
    });
    let job = Job::of(&rows).with("dedup.revisions=true");
    job.backfill("2011-10-01..2011-10-03");
    let query = "SELECT document_id, content_digest, text FROM documents";
    for row in job.rows(query) {
        let digest = hex::encode(Sha256::digest(text(&row, "text")));
        assert_eq!(row["content_digest"], digest, "{row}");
        assert_eq!(row["minhash"], Value::Null);
    }
    let before = job.lines(IDS);
    // An earlier fetch of the first article becomes its document.
    let mut rows = SITE.daily_articles(3);
    rows.push(rows[0].after(0, -60));
    let other = Job::of(&rows);
    other.backfill("2011-10-01..2011-10-03");
    let shared = |line: &&String| before.contains(line);
    assert_eq!(other.lines(IDS).iter().filter(shared).count(), 2);
}

#[test]
fn signatures_are_written_if_asked_for_and_change_no_other_column() {
    let without = job();
    without.backfill(DATES);
    let with = job();
    with.backfill("2011-10-01..2011-10-03");
    let with = with.with("output.write=minhash");
    with.backfill("2011-10-04..2011-10-06");
    let columns = "date, url, status, document_id, content_digest, text, support, node";
    let others = format!("SELECT {columns} FROM documents ORDER BY url");
    assert_eq!(with.lines(&others), without.lines(&others));
    let query = "SELECT text, encode(minhash, 'hex') AS minhash FROM documents";
    let (mut found, mut missing) = (0, 0);
    for row in with.rows(query) {
        if row["minhash"].is_null() {
            missing += 1;
            continue;
        }
        let expected = Signature::of(&text(&row, "text")).expect("a long text");
        assert_eq!(row["minhash"], hex::encode(expected.to_bytes()));
        found += 1;
    }
    assert_eq!((found, missing), (3, 3));
}

/// The keys of an index: a job that writes them later has them for later dates.
#[test]
fn surts_are_the_keys_of_pages_in_an_index_of_a_crawl() {
    let job = job();
    job.backfill("2011-10-01..2011-10-03");
    let others = "SELECT date, url, url_key, status, document_id, text FROM documents ORDER BY url";
    let without = self::job();
    without.backfill(DATES);
    let job = job.with("output.write=surt");
    job.backfill("2011-10-04..2011-10-06");
    assert_eq!(job.lines(others), without.lines(others));
    let rows = job.rows("SELECT date, url, surt, surt_host FROM documents ORDER BY date");
    for (position, row) in rows.iter().enumerate() {
        if position < 3 {
            assert_eq!(
                (&row["surt"], &row["surt_host"]),
                (&Value::Null, &Value::Null)
            );
            continue;
        }
        let url = text(row, "url");
        let path = url
            .strip_prefix("http://www.gazette.example")
            .expect("a page of the site");
        assert_eq!(row["surt"], format!("example,gazette){path}"));
        assert_eq!(row["surt_host"], "example,gazette");
    }
    assert_eq!(rows.len(), 6);
}
