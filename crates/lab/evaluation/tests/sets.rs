//! Gold sets and texts from files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, RecordBatch, StringArray, StringViewArray};
use evaluation::{
    GoldSet, Measure, Measured, Text, Texts, compare, evenly, replay, section, standings,
};
use parquet::arrow::ArrowWriter;
use scoring::Outcome;
use site_replay::SiteSettings;
use tempfile::TempDir;
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    let rows = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let file = std::fs::File::create(path).expect("a file can be made");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), None).expect("a writer");
    writer.write(&rows).expect("rows can be written");
    writer.close().expect("a footer can be written");
}

fn strings(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from_iter(values.iter().copied()))
}

/// A set of these pages, all with the same template.
fn set(folder: &TempDir, pages: &[(&str, &str)]) -> GoldSet {
    let path = folder.path().join("site.parquet");
    let urls: Vec<_> = pages.iter().map(|(url, _)| Some(*url)).collect();
    let texts: Vec<_> = pages.iter().map(|(_, text)| Some(*text)).collect();
    let html = pages.iter().map(|(_, text)| {
        format!("<title>News</title><nav>Home | News</nav><p>{text}</p><footer>Imprint</footer>")
            .into_bytes()
    });
    let columns = vec![
        ("url", strings(&urls)),
        ("gold_text", strings(&texts)),
        (
            "html",
            Arc::new(BinaryArray::from_iter_values(html)) as ArrayRef,
        ),
    ];
    write(&path, columns);
    GoldSet::file(path)
}

/// The defaults of a job, without URL rules.
fn settings() -> SiteSettings {
    let keyer = Keyer::new(
        KeyOptions::default(),
        RuleSet::empty(),
        Blocklist::default(),
    );
    SiteSettings::new(keyer.expect("no extra suffixes"))
}

#[test]
fn a_replay_gives_every_page_a_text_or_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let urls: Vec<String> = ('a'..='l')
        .map(|page| format!("http://a.example/{page}"))
        .collect();
    // Blocks are counted by their letters.
    let stories: Vec<String> = ('a'..='l')
        .map(|page| format!("Story {page} of today"))
        .collect();
    let mut pages: Vec<(&str, &str)> = (urls.iter().zip(&stories))
        .map(|(url, story)| (url.as_str(), story.as_str()))
        .collect();
    // A duplicate of the first page, and a text that is not a URL.
    pages.push(("https://a.example/a?x=1", stories[0].as_str()));
    pages.push(("nonsense", "of no site"));
    let set = set(&folder, &pages);
    let gold = set.pages().expect("a set");
    assert_eq!(gold.len(), 14);

    let heuristics = ["strict", "strict-at-domain"].map(|name| name.parse().expect("a name"));
    let texts = replay(&set, &gold, &heuristics, &settings()).expect("the pages are there");
    for texts in &texts {
        let results = compare("site", &gold, |_| true, texts, Measure::default());
        let f1 = |url: &str| {
            let result = results.iter().find(|result| result.url == url);
            match result.expect("every page has a result").outcome {
                Outcome::Measured(score) => score.f1,
                other => panic!("{url}: {other:?}"),
            }
        };
        // "Home | News", "Imprint" and three more words, on the first page of a site.
        assert!(f1(&urls[0]) < 1.0);
        assert_eq!(f1(&urls[11]), 1.0);
        assert_eq!(f1("https://a.example/a?x=1"), f1(&urls[0]), "a duplicate");
        let lost: Vec<_> = (results.iter())
            .filter(|result| result.outcome == Outcome::Failed)
            .map(|result| (result.url.as_str(), result.error.is_some()))
            .collect();
        assert_eq!(lost, [("nonsense", true)]);
        let best = &standings(&results)[0];
        assert_eq!(best.summary.cases.pages(), 14);
        assert_eq!(best.summary.domains.len(), 2);
    }
}

#[test]
fn a_replay_gives_a_key_the_first_copy_with_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let html = [
        None,
        Some(" "),
        Some("<title>The story"),
        Some("<p>The story"),
        None,
        Some("<p>Other"),
    ];
    let urls: Vec<String> = (0..html.len())
        .map(|copy| format!("http://a.example/story?utm_source={copy}"))
        .collect();
    let urls: Vec<_> = urls.iter().map(|url| Some(url.as_str())).collect();
    let path = folder.path().join("site.parquet");
    let html = BinaryArray::from_iter(html.map(|html| html.map(str::as_bytes)));
    let columns = vec![
        ("url", strings(&urls)),
        ("gold_text", strings(&vec![Some("The story"); urls.len()])),
        ("html", Arc::new(html) as ArrayRef),
    ];
    write(&path, columns);
    let set = GoldSet::file(path);
    let gold = set.pages().expect("a set");
    let heuristic = ["strict".parse().expect("a name")];
    for revisions in [false, true] {
        let mut settings = settings();
        settings.revisions = revisions;
        let texts = replay(&set, &gold, &heuristic, &settings).expect("the pages are there");
        let text = |copy: usize| {
            let text = texts[0].get(&gold[copy].url).expect("every page has one");
            text.text.clone().ok()
        };
        assert_eq!([text(0), text(1)], [None, None], "{revisions}");
        assert_eq!(text(2).as_deref(), Some(""), "{revisions}");
        assert_eq!(text(3).as_deref(), Some("The story"), "{revisions}");
        // With revisions, the copy without HTML is parsed, too.
        assert_eq!(text(4).is_none(), revisions);
        assert_eq!(text(5).as_deref(), Some("The story"), "{revisions}");
    }
}

#[test]
fn the_worst_pages_are_listed_with_their_causes() {
    let folder = tempfile::tempdir().expect("a folder");
    let story = "The storm of last night took forty trees in the park behind the theatre";
    let page = |text: &str| {
        format!("<nav>Open from nine to five on all days</nav><article>{text}</article>")
    };
    // The causes in turn: none, gold text in the navigation, too much text, and a gold text
    // with words that the page does not have.
    let rows = [
        ("http://a.example/", page(story), story.to_owned()),
        (
            "http://b.example/",
            page(story),
            format!("Open from nine to five on all days {story}"),
        ),
        (
            "http://c.example/",
            page(&format!("{story}<p>Read on in the paper of today</p>")),
            story.to_owned(),
        ),
        (
            "http://d.example/",
            page(story),
            format!("{story}, and ours"),
        ),
    ];
    let path = folder.path().join("sites.parquet");
    let html = rows.iter().map(|(_, html, _)| html.as_bytes());
    let golds: Vec<_> = rows
        .iter()
        .map(|(_, _, gold)| Some(gold.as_str()))
        .collect();
    let columns = vec![
        (
            "url",
            strings(&rows.each_ref().map(|(url, _, _)| Some(*url))),
        ),
        ("gold_text", strings(&golds)),
        (
            "html",
            Arc::new(BinaryArray::from_iter_values(html)) as ArrayRef,
        ),
    ];
    write(&path, columns);
    let set = GoldSet::file(&path);
    let gold = set.pages().expect("a set");
    let texts = replay(
        &set,
        &gold,
        &["template".parse().expect("a name")],
        &settings(),
    );
    let texts = texts.expect("the pages are there").swap_remove(0);
    let measured = Measured {
        name: "sites".to_owned(),
        measure: Measure::default(),
        sets: Vec::new(),
        left_out: BTreeSet::new(),
        results: compare("sites", &gold, |_| true, &texts, Measure::default()),
    };
    let section = section(&measured, &[]);
    let (_, worst) = (section.split_once("worst pages of template")).expect("a table of them");
    let cells: Vec<(&str, &str)> = (worst.lines().skip(4))
        .map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            (cells[5].trim_end_matches(" |"), cells[4])
        })
        .collect();
    let expected = [
        ("http://b.example/", "`skip_element` dropped 8 of 22 words"),
        ("http://c.example/", "`unique` kept 7 words too many"),
        ("http://d.example/", "2 of 16 words are in no block"),
        ("http://a.example/", ""),
    ];
    assert_eq!(cells, expected);
}

#[test]
fn texts_come_from_json_lines_and_parquet() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = folder.path().join("texts.jsonl");
    let content = "{\"url\": \"http://a.example/1\", \"text\": \"one\", \"cpu_seconds\": 0.5}\n\n\
                   {\"url\": \"http://a.example/2\", \"error\": \"too deep\"}\n\
                   {\"url\": \"http://a.example/1\", \"text\": \"a duplicate\"}\n";
    std::fs::write(&lines, content).expect("a file can be written");
    let texts = Texts::read("other", &lines).expect("lines of JSON");
    assert_eq!(texts.len(), 2);
    let first = texts.get("http://a.example/1").expect("a text");
    assert_eq!(
        (first.text.as_deref(), first.cpu_seconds),
        (Ok("one"), Some(0.5))
    );
    assert_eq!(
        texts.get("http://a.example/2"),
        Some(&Text::failed("too deep"))
    );

    std::fs::write(&lines, "{\"url\": \"x\"}\n{\"text\": \"y\"}\n").expect("a file");
    let error = Texts::read("other", &lines)
        .expect_err("a line without a URL")
        .to_string();
    assert!(
        error.contains("texts.jsonl: line 2: missing field `url`"),
        "{error}"
    );

    let table = folder.path().join("texts.parquet");
    let views = StringViewArray::from_iter_values(["http://a.example/1", "http://a.example/2"]);
    let columns = vec![
        ("url", Arc::new(views) as ArrayRef),
        ("text", strings(&[Some("one"), None])),
    ];
    write(&table, columns);
    let texts = Texts::read("other", &table).expect("a table");
    assert_eq!(texts.get("http://a.example/2"), Some(&Text::of("")));

    write(&table, vec![("url", strings(&[Some("x")]))]);
    let error = Texts::read("other", &table)
        .expect_err("no texts")
        .to_string();
    assert!(
        error.ends_with("texts.parquet: there is no column `text`"),
        "{error}"
    );
}

#[test]
fn a_folder_has_a_set_per_file_or_one_partitioned_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = |url| {
        vec![
            ("url", strings(&[Some(url)])),
            ("gold_text", strings(&[Some("text")])),
        ]
    };
    write(
        &folder.path().join("sets/b.parquet"),
        page("http://b.example/"),
    );
    write(
        &folder.path().join("sets/a.parquet"),
        page("http://a.example/"),
    );
    for date in ["date=2011-10-24", "date=2011-10-25"] {
        let file = folder.path().join("gold").join(date).join("gold.parquet");
        write(&file, page(date));
    }
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    let at = |name: &str| GoldSet::at(&folder.path().join(name));
    let names = |sets: &[GoldSet]| -> Vec<String> {
        sets.iter().map(|set| set.name().to_owned()).collect()
    };
    assert_eq!(names(&at("sets").expect("two sets")), ["a", "b"]);
    let dated = at("gold").expect("one set");
    assert_eq!(names(&dated), ["gold"]);
    assert_eq!(dated[0].pages().expect("two pages").len(), 2);
    let error = at("empty").expect_err("no set").to_string();
    assert!(
        error.ends_with("empty: there is no .parquet file"),
        "{error}"
    );
    let error = at("sets/a.parquet").expect("a set")[0].for_each_fetched(|_| ());
    let error = error.expect_err("no pages").to_string();
    assert!(
        error.ends_with("a.parquet: there is no column `html`"),
        "{error}"
    );
}

#[test]
fn the_digest_depends_on_the_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let digest = |pages: &[(&str, &str)]| set(&folder, pages).digest().expect("a set");
    let one = digest(&[("http://a.example/1", "one"), ("http://a.example/2", "two")]);
    assert_eq!(one.len(), 32);
    assert_eq!(
        one,
        digest(&[("http://a.example/1", "one"), ("http://a.example/2", "two")])
    );
    assert_ne!(
        one,
        digest(&[("http://a.example/1", "one"), ("http://a.example/2", "too")])
    );
}

#[test]
fn pages_are_taken_evenly_from_each_domain() {
    let folder = tempfile::tempdir().expect("a folder");
    let urls: Vec<String> = (100..110)
        .map(|page| format!("http://a.example/{page}"))
        .collect();
    let mut pages: Vec<(&str, &str)> = urls.iter().map(|url| (url.as_str(), "text")).collect();
    pages.push(("http://b.example/", "text"));
    let gold = set(&folder, &pages).pages().expect("a set");
    let mut taken: Vec<&str> = evenly(&gold, 3).into_iter().collect();
    taken.sort_unstable();
    let expected = [
        "http://a.example/100",
        "http://a.example/103",
        "http://a.example/106",
    ];
    assert_eq!(taken[..3], expected);
    assert_eq!(taken[3..], ["http://b.example/"]);
}
