//! The measures of `urltree-lab eval --measure`, and the columns of `--results`.

use serde_json::Value;

use super::{Folder, SITE, number, results};
use crate::gold_rows::with_gold;
use crate::support::{Row, write_batch};

/// Gold of one page: a title of two words and four words of text.
const GOLD: &str = "Storm Warning\ntrees fell on Monday";

/// A folder with one page and the text that a tool found on it.
fn one_page(text: &str) -> Folder {
    let folder = Folder::new();
    let html = "<body><nav><p>Home</nav><div><h1>Storm Warning</h1><p>trees fell <b>on Monday</b>\
                </div><footer><p>Imprint</footer>";
    let rows = [Row::page("2011-10-01T12:00:00", "http://a.example/1", html)];
    let golds = [GOLD.to_owned()];
    write_batch(&folder.path("gold.parquet"), &with_gold(&rows, &golds), 10);
    let line = serde_json::json!({"url": "http://a.example/1", "text": text});
    folder.write("texts.jsonl", &line.to_string());
    folder
}

/// The row of the tool in the standings.
fn standing(text: &str, options: &str) -> Value {
    let line = "eval --gold gold.parquet --texts tool=texts.jsonl";
    let mut rows = one_page(text).rows(&format!("{line} {options}"));
    assert_eq!(rows.len(), 1, "{options}: {rows:?}");
    rows.swap_remove(0)
}

#[test]
fn a_bag_has_its_words_in_any_order() {
    let text = "trees fell on Monday. Storm Warning";
    assert_eq!(number(&standing(text, ""), "f1"), 0.6667);
    assert_eq!(number(&standing(text, "--overlap bag"), "f1"), 1.0);
}

#[test]
fn beta_weighs_recall() {
    // Precision 1, recall 1/3.
    let half = standing("Storm Warning", "--beta 0.5");
    assert_eq!(number(&half, "f1"), 0.5);
    assert_eq!(number(&half, "f_beta"), 0.7143);
    assert_eq!(
        number(&standing("Storm Warning", "--beta 2"), "f_beta"),
        0.3846
    );
    assert!(standing("Storm Warning", "").get("f_beta").is_none());
}

#[test]
fn the_edit_distance_is_of_words_inserted_and_deleted() {
    // Two of six words of gold are missing, one word is not of it.
    let folder = one_page("Home Storm Warning trees fell");
    let line = "eval --gold gold.parquet --texts tool=texts.jsonl --results results.parquet";
    let rows = folder.rows(&format!("{line} --measure edit"));
    assert_eq!(number(&rows[0], "edit_similarity"), 0.5714);
    let results = results(&folder.path("results.parquet"));
    assert_eq!(results[0]["edit_distance"], 3);
}

#[test]
fn words_have_the_weights_that_are_asked_for() {
    let weights = |weights: &str| format!("--measure weighted --weights {weights}");
    // Without the title: recall 4/6, and 4/10 if a word of the title weighs 3.
    let text = "trees fell on Monday";
    let equal = standing(text, &weights("title=1,start=1,inline=1"));
    assert_eq!(number(&equal, "recall"), 0.6667);
    let titled = standing(text, &weights("title=3,start=1,inline=1"));
    assert_eq!(number(&titled, "recall"), 0.4);
    // A word of noise costs more inside the text than behind it.
    let of = |text: &str| number(&standing(text, &weights("start=1,inline=6")), "precision");
    assert_eq!(of("Storm Warning trees ADS fell on Monday"), 0.5);
    assert_eq!(of("Storm Warning trees fell on Monday ADS"), 0.8571);
}

#[test]
fn nodes_are_those_that_a_text_covers() {
    // Of the gold: div, h1, its text, p, its text, b, its text. Of the text: without h1 and div.
    let found = standing("trees fell on Monday", "--measure nodes");
    assert_eq!(number(&found, "precision"), 1.0);
    assert_eq!(number(&found, "recall"), 0.5714);
    let all = standing(
        "Home Storm Warning trees fell on Monday Imprint",
        "--measure nodes",
    );
    assert_eq!(number(&all, "recall"), 1.0);
    assert!(number(&all, "precision") < 1.0, "{all}");
}

/// A method on a tree names the nodes that it kept: `nce` keeps the whole of a short page.
#[test]
fn a_method_on_a_tree_is_measured_by_the_nodes_that_it_kept() {
    let folder = one_page("");
    let line = "eval --gold gold.parquet --extractors nce --results results.parquet";
    folder.prints(&format!("{line} --measure nodes --report report.md"));
    let results = results(&folder.path("results.parquet"));
    let count = |column: &str| results[0][column].as_u64().expect("a count");
    assert_eq!(count("nodes_of_gold"), 7);
    assert_eq!(count("nodes_in_common"), 7);
    // body, nav and footer with a paragraph and a text each.
    assert_eq!(count("nodes_extracted"), 7 + 7);
    assert!(results[0].get("words_of_gold").is_none(), "{results:?}");
    assert!(
        folder
            .read("report.md")
            .contains("<!-- eval:gold-nodes -->")
    );
}

#[test]
fn results_have_the_time_and_the_running_means_of_equation_4() {
    let folder = Folder::of(&SITE.daily_articles(12));
    folder.prints("eval --gold gold.parquet --heuristics strict --results results.parquet");
    let results = results(&folder.path("results.parquet"));
    assert_eq!(results[3]["fetched_at"], "2011-10-04T12:00:00Z");
    let mut sum = 0.0;
    for (pages, row) in (1..).zip(&results) {
        sum += number(row, "f1");
        let mean = sum / f64::from(pages);
        for column in ["mean_f1", "mean_f1_of_domain"] {
            assert!(
                (number(row, column) - mean).abs() < 1e-12,
                "{column}: {row}"
            );
        }
    }
    // The first page has its template, so the mean rises.
    assert!(number(&results[0], "mean_f1") < number(&results[11], "mean_f1"));
}

#[test]
fn measures_that_exclude_each_other_are_refused() {
    let folder = one_page("Storm");
    for (options, said) in [
        (
            "--measure edit --overlap bag",
            "--overlap is for --measure words",
        ),
        ("--weights start=2", "--weights needs --measure weighted"),
        (
            "--measure weighted --weights end=2",
            "unknown weight \"end=2\"",
        ),
        ("--beta=-1", "expected a number from 0 to 100"),
        ("--beta x", "expected a number from 0 to 100"),
    ] {
        let line = format!("eval --gold gold.parquet --texts tool=texts.jsonl {options}");
        let refused = folder.command(&line);
        assert_eq!(refused.code, Some(2), "{options}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(said),
            "{options}: {}",
            refused.stderr
        );
    }
}
