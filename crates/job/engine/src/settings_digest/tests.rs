use std::collections::BTreeSet;

use serde_json::Value;
use template::marks::{MarkFile, Marks};

use super::{settings_digest, without_marks};
use crate::spec::{JobSpec, Method, PaperSpec};

/// Whether a setting decides rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decides {
    Rows,
    /// The content of a file decides, and the path does not.
    Content,
    /// A place, a resource, or the tables and partitions that are written.
    NoRow,
}
use Decides::{Content, NoRow, Rows};

/// Every setting of a job, another value than its default, and whether it decides rows. A new
/// setting belongs here, and if it decides rows, its baseline must be the value with which rows
/// are as they were before it.
const SETTINGS: &[(&str, &str, Decides)] = &[
    ("method", "'paper'", Rows),
    ("archive.location", "'elsewhere'", NoRow),
    ("archive.layout", "'hive'", NoRow),
    ("archive.dates", "'2000-01-01..'", NoRow),
    ("archive.columns.fetched_at", "'other'", Rows),
    ("archive.columns.url", "'other'", Rows),
    ("archive.columns.html", "'other'", Rows),
    ("archive.columns.request_url", "'other'", Rows),
    ("archive.columns.title", "'other'", Rows),
    ("archive.columns.content_type", "'other'", Rows),
    ("archive.columns.http_charset", "'other'", Rows),
    ("archive.columns.http_status", "'other'", Rows),
    ("output.location", "'elsewhere'", NoRow),
    ("output.partition", "'month'", NoRow),
    ("output.format", "'parquet'", NoRow),
    ("output.write", "'blocks'", NoRow),
    ("output.language_model", "'model.bin'", NoRow),
    ("output.markdown", "'links'", NoRow),
    ("output.archive_columns", "[\"warc_file\"]", NoRow),
    ("robots.rules", "'robots.parquet'", NoRow),
    ("robots.agent", "'tea-bot'", NoRow),
    ("archive.columns.x_robots_tag", "'robots'", NoRow),
    ("archive.columns.tdm_reservation", "'tdm'", NoRow),
    ("output.file_bytes", "'1MB'", NoRow),
    ("paper.title", "'html'", Rows),
    ("url_key.rules", "'elsewhere'", Content),
    ("paper.rules_need_parameters", "true", Rows),
    ("url_key.blocklist", "'elsewhere'", Content),
    ("paper.scheme", "'merge'", Rows),
    ("domain.grouping", "'host'", Rows),
    ("domain.extra_suffixes", "['go.com']", Rows),
    ("paper.queries", "'learn'", Rows),
    ("paper.lookback", "'30d'", Rows),
    ("dedup.revisions", "true", Rows),
    ("paper.split", "'html'", Rows),
    ("paper.joining", "'tight'", Rows),
    ("paper.heuristic", "'vote-fast'", Rows),
    ("paper.batching", "'run'", Rows),
    ("tree.relabel_days", "1", Rows),
    ("paper.n_min", "6", Rows),
    ("paper.c_max", "2", Rows),
    ("tree.paths", "'elsewhere'", Content),
    ("window.max_pages", "10001", Rows),
    ("window.max_age", "'14d 1ns'", Rows),
    ("window.min_pages", "101", Rows),
    ("limits.url_bytes", "8193", Rows),
    ("limits.page_bytes", "10485761", Rows),
    ("run.threads", "7", NoRow),
    ("run.memory_limit", "'7GB'", NoRow),
    ("run.chunk_bytes", "'7GB'", NoRow),
    ("run.buckets", "7", NoRow),
    ("run.heartbeat", "'7s'", NoRow),
    ("run.spill_dir", "'elsewhere'", NoRow),
    ("run.spill_limit", "'7GB'", NoRow),
    ("run.stall_timeout", "'7m'", NoRow),
    ("store.timeout", "'7s'", NoRow),
    ("store.retries", "7", NoRow),
];

/// The MD5 of no line: a job in which every setting has its baseline.
const BASELINE: &str = "v1:d41d8cd98f00b204e9800998ecf8427e";

fn spec(overrides: &[&str]) -> JobSpec {
    let overrides: Vec<_> = overrides.iter().map(ToString::to_string).collect();
    JobSpec::defaults(&overrides).unwrap()
}

fn digest(overrides: &[&str]) -> String {
    settings_digest(&spec(overrides), "", "", &Marks::default())
}

/// The dotted keys of the values below `value`.
fn keys(value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(section) => {
            for (name, value) in section {
                let separator = if prefix.is_empty() { "" } else { "." };
                keys(value, &format!("{prefix}{separator}{name}"), found);
            }
        }
        _ => assert!(found.insert(prefix.to_owned()), "{prefix}"),
    }
}

#[test]
fn every_setting_is_classified_once() {
    let mut all = BTreeSet::new();
    let mut spec = JobSpec::new("in", "out");
    spec.method = Method::Paper;
    spec.paper = Some(PaperSpec::default());
    keys(&serde_json::to_value(spec).unwrap(), "", &mut all);
    let classified: Vec<String> = SETTINGS.iter().map(|(key, ..)| (*key).to_owned()).collect();
    assert_eq!(classified.len(), all.len());
    assert_eq!(classified.into_iter().collect::<BTreeSet<_>>(), all);
}

/// A new setting needs a user, or the place of another. The last is `output.language_model`.
#[test]
fn the_default_method_has_at_most_46_settings() {
    let of_default = (SETTINGS.iter()).filter(|(key, ..)| !key.starts_with("paper."));
    assert!(of_default.count() <= 46);
}

#[test]
fn a_setting_changes_the_digest_if_it_decides_rows() {
    let mut digests = BTreeSet::from([BASELINE.to_owned()]);
    for (key, value, decides) in SETTINGS {
        let setting = format!("{key}={value}");
        let digest = match key.starts_with("paper.") {
            true => digest(&["method=paper", &setting]),
            false => digest(&[&setting]),
        };
        match decides {
            Rows => assert!(digests.insert(digest), "{key}"),
            Content | NoRow => assert_eq!(digest, BASELINE, "{key}"),
        }
    }
}

/// A default that changes changes rows, so its baseline must stay. Then this test must name
/// the settings whose defaults are no longer their baselines.
#[test]
fn defaults_add_nothing() {
    assert_eq!(digest(&[]), BASELINE);
    let written_out = [
        "archive.columns.html=html",
        "method=template",
        "window.max_age=336h",
        "limits.url_bytes=8192",
        "limits.page_bytes='10 MiB'",
        "domain.extra_suffixes=[]",
    ];
    assert_eq!(digest(&written_out), BASELINE);
}

/// Digests that are in tables. If one of them changes, a run refuses these tables.
#[test]
fn digests_of_version_1_stay() {
    let settings = [
        "paper.heuristic=strict",
        "paper.batching=page",
        "window.max_age=30d",
        "limits.page_bytes=1MB",
        "archive.columns.html=body",
        "domain.extra_suffixes=['go.com','co.example']",
    ];
    let rules = "# ids\n^http://a/\tid\n";
    let blocklist = "http://b/\nhttp://a/\n";
    let settings = PaperSpec::beside_template(settings.map(str::to_owned).into());
    let spec = JobSpec::defaults(&settings).unwrap();
    let digest = settings_digest(&spec, rules, blocklist, &Marks::default());
    let lines = concat!(
        "archive.columns.html = \"body\"\n",
        "domain.extra_suffixes = [\"co.example\",\"go.com\"]\n",
        "limits.page_bytes = 1000000\n",
        "tree.batching = \"page\"\n",
        "tree.heuristic = \"strict\"\n",
        "url_key.blocklist = [\"http://a/\",\"http://b/\"]\n",
        "url_key.rules = [\"^http://a/\\tid\"]\n",
        "window.max_age = \"2592000000000000 ns\"\n",
    );
    let expected = format!("v1:{}", super::md5_hex(lines.as_bytes()));
    assert_eq!(digest, expected);
    assert_eq!(digest, "v1:ddec39d4916f2f031a8ccd6f4a457841");
    let of_paper = concat!(
        "blocks.joining = \"spaced\"\n",
        "blocks.split = \"original\"\n",
        "dedup.queries = \"drop\"\n",
        "tree.batching = \"page\"\n",
        "tree.heuristic = \"strict\"\n",
        "url_key.rules_need_parameters = false\n",
        "url_key.scheme = \"separate\"\n",
        "url_key.title = \"feed\"\n",
    );
    let expected = format!("v1:{}", super::md5_hex(of_paper.as_bytes()));
    assert_eq!(self::digest(&["method=paper"]), expected);
}

#[test]
fn comments_and_blank_lines_of_rule_files_do_not_count() {
    let digest = |rules: &str, blocklist: &str| {
        settings_digest(&spec(&[]), rules, blocklist, &Marks::default())
    };
    let plain = digest("a\tid\nb\tp\n", "http://x\nhttp://y\n");
    let commented = digest(
        "# one\n\n  a\tid  \r\n# two\nb\tp",
        "#\nhttp://y\n\nhttp://x\n",
    );
    assert_eq!(plain, commented);
    assert_eq!(digest("# nothing\n", "\n"), BASELINE);
    let first_wins = digest("b\tp\na\tid\n", "http://x\nhttp://y\n");
    assert_ne!(plain, first_wins);
    assert_ne!(plain, digest("a\tid\nb\tq\n", "http://x\nhttp://y\n"));
    assert_ne!(plain, digest("a\tid\nb\tp\n", "http://x\n"));
    // A space and a tab are different rules.
    assert_ne!(digest("a id\n", ""), digest("a\tid\n", ""));
}

#[test]
fn marks_are_a_part_of_their_own_and_count_by_path_and_label() {
    let digest = |text: &str| {
        let file = MarkFile::parse(text, |domain| Some(domain.to_owned())).unwrap();
        settings_digest(&spec(&[]), "", "", &file.marks())
    };
    assert_eq!(digest("# none\n\n"), BASELINE);
    let one = digest("b.example\tdiv.x\tcontent\na.example\tp\tboilerplate\n");
    let lines = "a.example\tp\tboilerplate\nb.example\tdiv.x\tcontent\n";
    let expected = format!("{BASELINE}+{}", super::md5_hex(lines.as_bytes()));
    assert_eq!(one, expected);
    let other_words = "# by Ann\na.example\tp\tboilerplate\tMay\nb.example\tdiv.x.y\tcontent\n";
    assert_eq!(digest(other_words), one);
    for other in ["a.example\tp\tcontent\n", "a.example\tdiv\tboilerplate\n"] {
        let other = digest(&format!("b.example\tdiv.x\tcontent\n{other}"));
        assert_ne!(other, one);
        assert_eq!(without_marks(&other), BASELINE);
    }
    assert_eq!(without_marks(BASELINE), BASELINE);
}

#[test]
fn numbers_one_apart_have_different_digests() {
    let digest = |limit: &str| digest(&[&format!("limits.page_bytes={limit}")]);
    assert_ne!(digest("20971520"), digest("20971521"));
    assert_eq!(digest("20971520"), digest("'20 MiB'"));
}
