//! `urltree-lab reproduce`: the tables and figures of the source papers.

use serde_json::Value;

use super::{Folder, SITE, number, results};
use crate::support::{Job, Row, Site, run_in};

/// Two sites with linked pages, so that methods for sites have neighbours.
fn two_sites() -> Folder {
    let other = Site {
        host: "www.herald.example",
    };
    let mut rows: Vec<Row> = SITE.daily_articles(12);
    rows.extend(other.daily_articles(12));
    Folder::of(&rows)
}

fn experiments(folder: &Folder) -> Vec<Value> {
    folder.rows("reproduce --list")
}

#[test]
fn every_experiment_is_listed_with_what_it_needs() {
    let folder = Folder::new();
    let listed = experiments(&folder);
    assert!(listed.len() > 12, "{listed:?}");
    for experiment in &listed {
        let name = experiment["name"].as_str().expect("a name");
        let needs = experiment["needs"].as_str().expect("needs");
        let refused = folder.command(&format!("reproduce {name}"));
        assert_eq!(refused.code, Some(2), "{name}: {}", refused.stderr);
        let said = format!("{name} needs {needs}");
        assert!(refused.stderr.contains(&said), "{said}: {}", refused.stderr);
    }
    let unknown = folder.command("reproduce figure-9");
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(
        unknown.stderr.contains("url-tree-figure-4"),
        "{}",
        unknown.stderr
    );
}

/// Every experiment on gold makes a report with a table or a chart, and names its commands.
#[test]
fn every_experiment_on_gold_makes_its_report() {
    let folder = two_sites();
    let mut made = 0;
    for experiment in experiments(&folder) {
        let name = experiment["name"].as_str().expect("a name");
        let needs = experiment["needs"].as_str().expect("needs");
        if needs.contains("--job") {
            continue;
        }
        folder.prints(&format!("reproduce {name} --gold gold.parquet"));
        let report = folder.read(&format!("reproduced/{name}/report.md"));
        let source = experiment["source"].as_str().expect("a source");
        assert!(report.starts_with(&format!("# {source}\n")), "{report}");
        assert!(
            report.contains("| --- |") || report.contains(".svg)"),
            "{name}: {report}"
        );
        let is_eval = !["url-tree-tuning", "url-tree-memory"].contains(&name);
        assert_eq!(
            report.contains("    urltree-lab eval --gold gold.parquet"),
            is_eval,
            "{report}"
        );
        made += 1;
    }
    assert_eq!(made, 15);
}

#[test]
fn figure_4_has_the_scores_of_each_domain() {
    let folder = two_sites();
    let rows = folder.rows("reproduce url-tree-figure-4 --gold gold.parquet --output out");
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["domain"], "gazette.example");
    assert_eq!(rows[0]["pages"], 12);
    let results = results(&folder.path("out/url-tree-figure-4/results.parquet"));
    let last = results
        .iter()
        .rfind(|row| row["domain"] == "gazette.example");
    let last = number(last.expect("a page"), "mean_f1_of_domain");
    assert!((number(&rows[0], "f1") - last).abs() < 1e-4, "{rows:?}");
    assert!(
        number(&rows[0], "f1_after_10") < number(&rows[0], "f1"),
        "{rows:?}"
    );
    // A page was labelled when it was inserted: the first has its template.
    let f1 = number(&results[0], "f1");
    assert!(f1 < 0.9, "{f1}");
    let svg = folder.read("out/url-tree-figure-4/domains-strict.svg");
    assert!(svg.contains("herald.example"), "{svg}");
}

#[test]
fn figure_5_is_of_the_pages_after_the_prefix() {
    let folder = two_sites();
    let rows = folder.rows("reproduce url-tree-figure-5 --gold gold.parquet --prefix 0.5");
    let strict = rows
        .iter()
        .find(|row| row["extractor"] == "strict")
        .expect("strict");
    assert_eq!(strict["pages"], 12, "{rows:?}");
    assert_eq!(strict["published_f1"], 0.85);
    let report = folder.read("reproduced/url-tree-figure-5/report.md");
    assert!(
        report.contains("tests/peers/peers.toml does not exist"),
        "{report}"
    );
}

#[test]
fn published_figures_stand_beside_the_set_that_they_are_of() {
    let folder = two_sites();
    let published = |set: &str| {
        std::fs::copy(
            folder.path("gold.parquet"),
            folder.path(&format!("{set}.parquet")),
        )
        .expect("a copy");
        let rows = folder.rows(&format!("reproduce kovacic-means --gold {set}.parquet"));
        let cetr = rows
            .iter()
            .find(|row| row["extractor"] == "cetr")
            .expect("cetr")
            .clone();
        cetr.get("published_f1").and_then(Value::as_f64)
    };
    assert_eq!(published("l3s-gn1"), Some(0.7473));
    assert_eq!(published("cleaneval"), Some(0.8737));
    assert_eq!(published("news"), None);
    let rows = folder.rows("reproduce kovacic-boundary-cases --gold l3s-gn1.parquet");
    let cetr = rows
        .iter()
        .find(|row| row["extractor"] == "cetr")
        .expect("cetr");
    assert_eq!(
        (&cetr["measured"], &cetr["published_measured"]),
        (&24.into(), &618.into())
    );
}

#[test]
fn methods_are_measured_by_nodes_and_by_words() {
    let folder = two_sites();
    let rows = folder.rows("reproduce alarte-table-3 --gold gold.parquet");
    let alarte = rows
        .iter()
        .find(|row| row["extractor"] == "alarte")
        .expect("alarte");
    assert_eq!(alarte["pages"], 24);
    assert!(number(alarte, "nodes_f1") > 0.5, "{alarte}");
    assert!(number(alarte, "words_f1") > 0.5, "{alarte}");
    assert_eq!(number(alarte, "published_nodes_f1"), 0.8791);
    assert_eq!(number(alarte, "published_words_f1"), 0.9114);
    folder.prints("reproduce alarte-figure-4 --gold gold.parquet");
    let svg = folder.read("reproduced/alarte-figure-4/time-alarte.svg");
    assert!(svg.contains("24 points"), "{svg}");
}

#[test]
fn the_share_of_relevant_content_is_the_precision_of_the_whole_text() {
    let folder = two_sites();
    let rows = folder.rows("reproduce nce-table-1 --gold gold.parquet");
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows[2]["site"], "all pages");
    for row in &rows {
        // Half of the page is menu, sidebar and footer.
        assert!((0.3..0.7).contains(&number(row, "relevant")), "{row}");
        assert!(number(row, "f1") >= number(row, "relevant"), "{row}");
    }
}

#[test]
fn figure_2_is_read_from_the_tables_of_a_job() {
    let mut rows = SITE.daily_articles(3);
    let copy = rows[0].after(1, 5);
    rows.push(copy);
    let folder = Folder::of(&rows);
    let job = Job::of(&rows);
    job.backfill("2011-10-01..2011-10-31");
    let rows = folder.rows(&format!(
        "reproduce url-tree-figure-2 --job {} --set archive.location={} --set output.location={}",
        job.path("job.toml").display(),
        job.archive("").display(),
        job.tables().display(),
    ));
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert_eq!(
        (&rows[3]["rows"], &rows[3]["duplicates"]),
        (&4.into(), &1.into())
    );
    let svg = folder.read("reproduced/url-tree-figure-2/duplicates.svg");
    assert!(svg.contains("URL key"), "{svg}");
}

/// A clone has no other gold than that of the sample.
#[test]
fn the_gold_of_the_sample_is_enough_to_compare() {
    let folder = Folder::new();
    let words = "--output sample --dates 2011-10-24..2011-10-25 --pages 60";
    let words: Vec<&str> = words.split(' ').collect();
    let made = run_in(folder.0.path(), "urltree-sample", &words);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let line = "eval --gold sample/gold --heuristics template,strict --extractors cetd";
    let rows = folder.rows(line);
    assert_eq!(rows.len(), 3, "{rows:?}");
    for row in &rows {
        assert!(number(row, "f1") > 0.3, "{row}");
        assert_eq!(row["failed"], 0, "{row}");
    }
    let rows = folder.rows("reproduce url-tree-memory --gold sample/gold");
    let all = rows.last().expect("a row");
    assert_eq!(
        (&all["domain"], &all["published_mb_per_1000_pages"]),
        (&"all domains".into(), &6.5.into())
    );
    assert!(number(all, "mb_per_1000_pages") > 0.0, "{all}");
}
