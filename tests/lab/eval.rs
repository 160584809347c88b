//! The commands that measure quality: `urltree-lab eval`, `tune`, `gold` and `extract`.

mod job_texts;
mod measures;
mod reports;
mod reproduce;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::json::LineDelimitedWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tempfile::TempDir;

use crate::gold_rows::with_gold;
use crate::support::{Finished, Job, Row, Site, batch, run_in, shared, write_batch};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-31";

/// A folder with a gold set, and `urltree-lab` started there.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// Creates a folder with the file `gold.parquet` of these pages.
    fn of(rows: &[Row]) -> Self {
        let folder = Self::new();
        folder.gold(rows);
        folder
    }

    fn gold(&self, rows: &[Row]) {
        write_batch(
            &self.path("gold.parquet"),
            &with_gold(rows, &articles(rows)),
            1000,
        );
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let folder = path.parent().expect("a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file of text")
    }

    fn command(&self, line: &str) -> Finished {
        let words = shlex::split(line).expect("words of a shell");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run_in(self.0.path(), "urltree-lab", &words)
    }

    /// Runs a command that must succeed. Returns its output.
    fn prints(&self, line: &str) -> String {
        let finished = self.command(line);
        assert_eq!(finished.code, Some(0), "{line}: {}", finished.stderr);
        finished.stdout
    }

    /// Runs a command that must succeed. Returns the rows that it prints as JSON.
    fn rows(&self, line: &str) -> Vec<Value> {
        objects(&self.prints(&format!("{line} --format json")))
    }
}

fn objects(lines: &str) -> Vec<Value> {
    let lines = lines.lines().filter(|line| !line.is_empty());
    (lines.map(serde_json::from_str))
        .collect::<Result<_, _>>()
        .expect("an object per line")
}

/// The articles of the pages: the texts of their `main` elements.
fn articles(rows: &[Row]) -> Vec<String> {
    let golds = rows.iter().map(|row| {
        let html = String::from_utf8_lossy(row.html.as_deref().unwrap_or_default()).into_owned();
        let (_, article) = html.split_once("<main>").unwrap_or_default();
        let (article, _) = article.split_once("</main>").unwrap_or_default();
        let text: Vec<&str> = (article.split('<'))
            .filter_map(|piece| Some(piece.split_once('>')?.1.trim()))
            .collect();
        text.join("\n")
    });
    golds.collect()
}

fn number(row: &Value, column: &str) -> f64 {
    row[column]
        .as_f64()
        .unwrap_or_else(|| panic!("{column} of {row}"))
}

/// The rows of a table of results.
fn results(file: &Path) -> Vec<Value> {
    let file = File::open(file).expect("a table of results");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let mut lines = LineDelimitedWriter::new(Vec::new());
    for batch in reader.build().expect("a reader") {
        (lines.write(&batch.expect("rows"))).expect("rows can be written");
    }
    lines.finish().expect("lines can be ended");
    objects(&String::from_utf8(lines.into_inner()).expect("JSON is UTF-8"))
}

/// The outcomes and counts of an extractor's pages, with their URLs.
fn outcomes<'r>(results: &'r [Value], extractor: &str) -> Vec<[&'r Value; 5]> {
    let columns = [
        "url",
        "outcome",
        "words_in_common",
        "words_extracted",
        "words_of_gold",
    ];
    let own = results.iter().filter(|row| row["extractor"] == extractor);
    own.map(|row| columns.map(|column| &row[column])).collect()
}

#[test]
fn the_documents_of_a_job_equal_a_replay() {
    let mut rows = SITE.daily_articles(20);
    // Another address of the fourth page, and a page that has no HTML.
    let copy = rows[3].clone();
    let url = format!(
        "{}?utm_source=feed",
        copy.url.as_deref().expect("an address")
    );
    rows.push(Row {
        url: Some(url),
        ..copy.after(3, 5)
    });
    rows.push(Row {
        html: None,
        ..SITE.article(77, "2011-10-25T12:00:00")
    });
    let folder = Folder::of(&rows);
    let job = Job::of(&rows).with("method=paper");
    job.backfill(DATES);
    let line = format!(
        "eval --gold gold.parquet --job {} --set archive.location={} --set output.location={} \
         --set method=paper --heuristics strict --results results.parquet --plots charts",
        job.path("job.toml").display(),
        job.archive("").display(),
        job.tables().display(),
    );
    let rows = folder.rows(&line);
    let of = |name: &str| {
        let found = rows.iter().find(|row| row["extractor"] == name);
        found.unwrap_or_else(|| panic!("{name} in {rows:?}"))
    };
    let (documents, strict) = (of("documents"), of("strict"));
    for row in [documents, strict] {
        assert_eq!(row["measured"], 21, "{row}");
        assert_eq!(row["failed_without_gold"], 1, "{row}");
        // The template of the first pages is not known yet.
        assert!((0.9..1.0).contains(&number(row, "f1")), "{row}");
    }
    for column in ["f1", "precision", "recall", "median_f1", "sd_f1"] {
        assert_eq!(documents[column], strict[column], "{column}");
    }
    let results = results(&folder.path("results.parquet"));
    assert_eq!(results.len(), 2 * 22);
    assert_eq!(
        outcomes(&results, "documents"),
        outcomes(&results, "strict")
    );
    let duplicates = folder.read("charts/duplicates.svg");
    assert!(duplicates.contains("URL key"), "{duplicates}");
    for chart in [
        "stream",
        "means",
        "distributions",
        "boundary-cases",
        "domains-strict",
    ] {
        let svg = folder.read(&format!("charts/{chart}.svg"));
        assert!(svg.starts_with("<svg") && svg.contains("</svg>"), "{chart}");
    }
}

#[test]
fn a_job_without_tables_gives_the_heuristics_their_settings() {
    // With rules the rows are two pages; without rules the second is a duplicate.
    let mut rows = SITE.daily_articles(2);
    for (row, id) in rows.iter_mut().zip([1, 2]) {
        row.url = Some(format!("http://www.gazette.example/story?id={id}"));
    }
    let folder = Folder::of(&rows);
    folder.write(
        "job.toml",
        "method = 'paper'\n[archive]\nlocation = 'pages'\n[output]\nlocation = 'tables'\n[url_key]\nrules = 'none'\n",
    );
    let of_second = |options: &str| {
        let line = "eval --gold gold.parquet --heuristics strict --results results.parquet";
        let rows = folder.rows(&format!("{line} {options}"));
        assert_eq!(rows.len(), 1, "{options}: {rows:?}");
        let second = results(&folder.path("results.parquet")).swap_remove(1);
        number(&second, "words_in_common") == number(&second, "words_of_gold")
    };
    for (options, is_page) in [
        ("--set paper.queries=drop", true),
        ("--set paper.queries=drop --set url_key.rules=none", false),
        ("--job job.toml", false),
        ("--job job.toml --set url_key.rules=none", false),
        ("--job job.toml --set paper.queries=learn", true),
    ] {
        assert_eq!(of_second(options), is_page, "{options}");
    }
    let tables_alone = folder.command("eval --gold gold.parquet --job job.toml");
    assert_eq!(tables_alone.code, Some(2), "{}", tables_alone.stderr);
    assert!(tables_alone.stderr.contains("url_keys"), "{tables_alone:?}");
}

#[test]
fn an_extra_suffix_makes_a_host_a_domain() {
    let folder = Folder::of(&SITE.daily_articles(2));
    let domains = |options: &str| {
        let line = "eval --gold gold.parquet --heuristics strict --results results.parquet";
        folder.prints(&format!("{line} {options}"));
        results(&folder.path("results.parquet"))[0]["domain"].clone()
    };
    assert_eq!(domains(""), "gazette.example");
    let suffix = "--set 'domain.extra_suffixes=[\"gazette.example\"]'";
    assert_eq!(domains(suffix), "www.gazette.example");
}

/// Figure 2 of the paper: a row is compared with every earlier row, not only with the
/// first page of its URL key.
#[test]
fn duplicates_are_counted_by_the_addresses_of_each_step() {
    let mut rows = SITE.daily_articles(4);
    for (row, parameter) in rows.iter_mut().zip([1, 2, 2, 2]) {
        row.url = Some(format!("http://www.gazette.example/a.html?utm={parameter}"));
        row.title = Some("One title".to_owned());
    }
    // Another title after the same response, and another request.
    rows[3].title = Some("Another title".to_owned());
    rows[3].request_url = Some("http://short.example/a".to_owned());
    let count = |rows: &[Row]| -> Vec<String> {
        let folder = Folder::of(rows);
        let job = Job::of(rows).with("paper.queries=drop");
        job.backfill(DATES);
        folder.prints(&format!(
            "eval --gold gold.parquet --job {} --set archive.location={} \
             --set output.location={} --report report.md",
            job.path("job.toml").display(),
            job.archive("").display(),
            job.tables().display(),
        ));
        let report = folder.read("report.md");
        let (_, table) = (report.split_once("| step | address |")).expect("a table");
        let cells = table.lines().skip(2).take(4);
        let count = |line: &str| line.split(" | ").nth(2).expect("a count").to_owned();
        cells.map(count).collect()
    };
    // Raw URL, response URL, normalised URL with the content id, URL key.
    assert_eq!(count(&rows), ["1", "2", "1", "3"]);
    for row in &mut rows {
        row.title = None;
        row.request_url = None;
    }
    assert_eq!(count(&rows), ["2", "2", "2", "3"]);
}

/// Pages of two real sites, with real addresses and charsets.
#[test]
fn a_replay_of_real_sites_equals_a_job() {
    let Some(streams) = shared("data/streams") else {
        return;
    };
    for (heuristic, method) in [
        ("vote-slow", "method=paper --set paper.heuristic=vote-slow"),
        ("template", "method=template"),
    ] {
        let folder = Folder::new();
        let job = Job::new().with("output.partition=year");
        let job = method.split(" --set ").fold(job, Job::with);
        for site in ["aakinshin_ru", "openpompei"] {
            let file = format!("{site}.parquet");
            let copied = std::fs::copy(streams.join(&file), job.archive(&file));
            copied.expect("a stream can be copied");
        }
        job.run("1997-01-01..2023-12-31");
        folder.prints(&format!(
            "eval --gold {archive} --job {} --set archive.location={archive} \
             --set output.location={} --set output.partition=year --set {method} --heuristics {heuristic} \
             --results results.parquet",
            job.path("job.toml").display(),
            job.tables().display(),
            archive = job.archive("").display(),
        ));
        let results = results(&folder.path("results.parquet"));
        let documents = outcomes(&results, "documents");
        assert!(documents.len() > 150, "{} pages", documents.len());
        let replayed = outcomes(&results, heuristic);
        for (document, replayed) in documents.iter().zip(&replayed) {
            assert_eq!(document, replayed, "{heuristic}");
        }
        assert_eq!(documents.len(), replayed.len());
    }
}

#[test]
fn a_threshold_is_lowered_only_for_a_reason() {
    let folder = Folder::of(&SITE.daily_articles(12));
    let hold =
        "eval --gold gold.parquet --heuristics strict,vote-slow --thresholds thresholds.toml";
    let missing = folder.command(hold);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    folder.prints(&format!("{hold} --raise-thresholds"));
    folder.prints(hold);
    let thresholds = folder.read("thresholds.toml");

    // Lower quality.
    let (before, f1) = thresholds.split_once("f1 = ").expect("a threshold");
    let (reached, after) = f1.split_once('\n').expect("a number");
    folder.write("thresholds.toml", &format!("{before}f1 = 0.9999\n{after}"));
    for line in [hold.to_owned(), format!("{hold} --raise-thresholds")] {
        let missed = folder.command(&line);
        assert_eq!(missed.code, Some(1), "{}", missed.stderr);
        let said = format!("gold: f1 of strict is {reached}, its threshold 0.9999");
        assert!(missed.stderr.contains(&said), "{}", missed.stderr);
    }
    folder.prints(&format!(
        "{hold} --raise-thresholds --lower-thresholds 'a new metric'"
    ));
    folder.prints(hold);
    assert!(
        folder
            .read("thresholds.toml")
            .contains("lowered = [\"a new metric\"]")
    );

    // A heuristic that is not measured, a heuristic without a threshold, and other pages.
    let less = folder.command(&hold.replace(",vote-slow", ""));
    assert!(
        less.stderr
            .contains("vote-slow has a threshold and was not measured"),
        "{less:?}"
    );
    let more = folder.command(&hold.replace(",vote-slow", ",vote-slow,vote-fast"));
    assert!(
        more.stderr.contains("vote-fast has no threshold"),
        "{more:?}"
    );
    folder.gold(&SITE.daily_articles(13));
    let others = folder.command(hold);
    assert_eq!(others.code, Some(1), "{}", others.stderr);
    assert!(
        others
            .stderr
            .contains("gold: the thresholds are for pages "),
        "{others:?}"
    );
}

#[test]
fn a_parameter_is_chosen_on_the_prefix_of_each_family() {
    let folder = Folder::of(&SITE.daily_articles(30));
    let rows = folder.rows("tune --gold gold.parquet --prefix 0.5 --report report.md");
    assert_eq!(rows.len(), 30);
    for family in ["strict-support-", "relaxed-at-domain-", "relaxed-strict-"] {
        let own = rows.iter().filter(|row| {
            let name = row["heuristic"].as_str().expect("a name");
            name.starts_with(family)
        });
        let chosen: Vec<&Value> = own.filter(|row| row["chosen"] == true).collect();
        assert_eq!(chosen.len(), 1, "{family}: {chosen:?}");
        // On 30 pages all are equal: the smallest is chosen.
        assert_eq!(chosen[0]["heuristic"], format!("{family}100"));
        assert!(number(chosen[0], "f1_rest") > 0.9, "{chosen:?}");
    }
    let unknown = folder.command("tune --gold gold.parquet --set paper.batching=week");
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    folder.prints("tune --gold gold.parquet --set paper.batching=run --set window.max_age=14d");
    assert!(folder.read("report.md").contains("| strict-support-100 | "));
}

#[test]
fn a_published_collection_becomes_a_gold_set() {
    let folder = Folder::new();
    folder.write(
        "golds/1-cleaned.txt",
        "URL: http://a.example/1\n\n<h>Storm\n<p>Trees fell.",
    );
    folder.write(
        "golds/2-cleaned.txt",
        "URL: http://a.example/2\n\n<p>Nobody was hurt.",
    );
    folder.write(
        "pages/1.html",
        "<h1>Storm</h1><p>Trees fell.</p><footer>Imprint</footer>",
    );
    folder.write("pages/3.html", "<p>No gold");
    let said =
        folder.prints("gold --format cleaneval --gold golds --pages pages --output set.parquet");
    assert!(
        said.contains("2 pages, 1 of them without HTML; 1 pages without gold were left out"),
        "{said}"
    );
    let rows = folder.rows("eval --gold set.parquet --extractors cetd-ds");
    assert_eq!(
        (&rows[0]["measured"], &rows[0]["failed"]),
        (&1.into(), &1.into()),
        "{rows:?}"
    );
    let said = folder.prints("extract --extractor cetd-ds pages/1.html pages/3.html");
    assert!(said.starts_with("==> pages/1.html <==\n"), "{said}");
    assert!(said.contains("Trees fell."), "{said}");
    // The help has every name that the error for an unknown one has.
    let refused = folder
        .command("extract --extractor best pages/1.html")
        .stderr;
    let (_, names) = refused.split_once("the names are ").expect("names");
    let help = folder.prints("extract --help");
    for name in names
        .split_whitespace()
        .map(|name| name.trim_end_matches(','))
    {
        let is_there = |word: &str| word.trim_matches(['.', ',']) == name;
        assert!(help.split_whitespace().any(is_there), "{name} in {help}");
    }
    // Options change what an extractor does, and are part of its name in a comparison.
    let said = folder.prints("extract --extractor ncleaner:bias=8 pages/1.html");
    assert_eq!(said.trim(), "", "{said}");
    let rows = folder.rows(
        "eval --gold set.parquet --extractors cetd,nce:comments=keep,leaf_chars=5 --extractors ccb",
    );
    let names: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row["extractor"].as_str())
        .collect();
    assert_eq!(
        names,
        BTreeSet::from(["ccb", "cetd", "nce:comments=keep,leaf_chars=5"])
    );
    let pages = folder.rows("extract --extractor nce pages/1.html");
    let url = pages[0]["url"].as_str().expect("an address");
    assert!(
        url.starts_with("file:///") && url.ends_with("/pages/1.html"),
        "{url}"
    );
    assert!(
        pages[0]["words"].is_u64() && pages[0]["nodes"].is_u64(),
        "{pages:?}"
    );
}

#[test]
fn inputs_that_cannot_be_measured_are_refused() {
    let folder = Folder::of(&SITE.daily_articles(2));
    folder.write("broken.jsonl", "{\"url\": 1}\n");
    folder.write("figures.toml", "[[figure]]\nname = 'x'\n");
    write_batch(
        &folder.path("bare.parquet"),
        &batch(&SITE.daily_articles(2)),
        10,
    );
    for (line, code, said) in [
        (
            "--gold gold.parquet --heuristics loose",
            2,
            "unknown heuristic \"loose\"",
        ),
        (
            "--gold gold.parquet --extractors best",
            2,
            "no extractor is called \"best\"",
        ),
        (
            "--gold gold.parquet --extractors alarte:pages=none",
            2,
            "extractor alarte: pages=none: expected a whole number from 1 to 50",
        ),
        (
            "--gold gold.parquet --heuristics strict --set paper.batching=week",
            2,
            "paper.batching: unknown variant `week`",
        ),
        (
            "--gold gold.parquet --texts other",
            2,
            "--texts other: expected NAME=FILE",
        ),
        (
            "--gold gold.parquet --texts o=broken.jsonl",
            3,
            "broken.jsonl: line 1: ",
        ),
        (
            "--gold gold.parquet --peers all --peers-file no.toml",
            3,
            "no.toml: ",
        ),
        (
            "--gold gold.parquet --report r.md --published figures.toml",
            2,
            "figures.toml: ",
        ),
        (
            "--gold gold.parquet --report r.md",
            2,
            "nothing to compare with the gold: give --job, ",
        ),
        ("--gold no.parquet --heuristics strict", 3, "no.parquet: "),
        (
            "--gold bare.parquet --heuristics strict",
            3,
            "bare.parquet: there is no column `gold_text`",
        ),
    ] {
        let refused = folder.command(&format!("eval {line}"));
        assert_eq!(refused.code, Some(code), "{line}: {}", refused.stderr);
        assert!(refused.stderr.contains(said), "{line}: {}", refused.stderr);
    }
    let refused = folder.command("extract --extractor cetd no.html");
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.contains("no.html"), "{}", refused.stderr);
    let refused = folder.command("gold --format plain --gold nowhere --output set.parquet");
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
}
