//! Values of an archive are data: they never become part of a file name, a path outside
//! the job's folders, or a query.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use serde_json::json;

use crate::support::{Job, Row, Site, assert_same, contents, text, write};

const SITE: Site = Site {
    host: "www.gazette.example",
};

/// Valid hosts of URLs that have a meaning in SQL, shells, paths or Delta tables.
const HOSTS: [&str; 12] = [
    "o'reilly.example",
    "\"quoted\".example",
    "a;drop table documents;--.example",
    "$(id).example",
    "`id`.example",
    "{domain}.example",
    "*.example",
    "date=2011-10-01.example",
    "_delta_log.example",
    "xn--nxasmq6b.example",
    "[::1]",
    "0x7f.1",
];

/// URL paths that would be dangerous as paths of files, or in SQL or a shell.
const PATHS: [&str; 10] = [
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/x.html",
    "..%5c..%5cwindows",
    "/etc/passwd",
    "a%00b.parquet",
    "_delta_log/00000000000000000000.json",
    "date=2011-10-02/part-00000.parquet",
    "'; DROP TABLE documents; --",
    "%27%20OR%20%271%27=%271",
    "${HOME}/$(id)/`id`",
];

/// A page for every host and every path, over six days.
fn pages() -> Vec<Row> {
    let hosts = HOSTS.iter().map(|host| {
        // A host with a space would be invalid.
        format!("http://{}/news/1.html", host.replace(' ', ""))
    });
    let paths = PATHS
        .iter()
        .map(|path| format!("http://{}/{path}/2.html", SITE.host));
    (0..)
        .zip(hosts.chain(paths))
        .map(|(number, url)| Row {
            url: Some(url),
            title: Some("'; DROP TABLE url_keys; -- \0 ../../title".to_owned()),
            request_url: Some("http://../..%2f'\"\0".to_owned()),
            content_type: Some("text/html; charset=../../utf-8'\0".to_owned()),
            ..SITE.article(number, &format!("2011-10-{:02}T12:00:00", 1 + number % 6))
        })
        .collect()
}

/// Paths of all files below a folder, relative to it.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(folder).expect("a path in the folder");
                found.insert(path.to_owned());
            }
        }
    }
    found
}

/// Whether the folder is a partition by date.
fn is_partition(name: &str) -> bool {
    let date = name.strip_prefix("date=").unwrap_or_default();
    NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok()
}

/// Whether the name is such as `part-00000-<uuid>-c000.zstd.parquet`.
fn is_data_file(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    name.starts_with("part-") && name.ends_with(".parquet") && name.chars().all(plain)
}

#[test]
fn file_names_consist_of_table_date_and_random_id() {
    let job = Job::of(&pages()).with("output.write=blocks");
    let before = files(&job.path(""));
    job.backfill("2011-10-01..2011-10-06");
    let keyed = job.rows("SELECT * FROM documents").len();
    assert_eq!(keyed, HOSTS.len() + PATHS.len(), "all pages have keys");

    let written: Vec<PathBuf> = files(&job.path("")).difference(&before).cloned().collect();
    let tables = [
        "documents",
        "url_keys",
        "window_entries",
        "blocks",
        "quarantine",
        "runs",
        "url_parameters",
    ];
    let mut data_files = 0;
    for file in &written {
        let parts: Vec<&str> = (file.iter())
            .map(|part| part.to_str().expect("a name that is text"))
            .collect();
        let expected = match parts[..] {
            // A lease is named by its fencing token.
            ["tables", "_leases", name] => {
                let number = name.strip_suffix(".json").unwrap_or_default();
                number.len() == 8 && number.chars().all(|digit| digit.is_ascii_digit())
            }
            ["tables", table, "_delta_log", log] => tables.contains(&table) && !log.contains(".."),
            ["tables", table, partition, name] => {
                data_files += 1;
                tables.contains(&table) && is_partition(partition) && is_data_file(name)
            }
            _ => false,
        };
        assert!(expected, "{}", file.display());
    }
    assert!(data_files >= 30, "{written:?}");
}

#[test]
fn page_values_with_sql_syntax_are_looked_up_literally() {
    let settings = ["output.write=blocks", "domain.grouping=host"];
    let job = || {
        let job = Job::of(&pages());
        settings.iter().fold(job, |job, setting| job.with(setting))
    };
    let (at_once, in_pieces) = (job(), job());
    at_once.backfill("2011-10-01..2011-10-06");
    in_pieces.backfill("2011-10-01..2011-10-03");
    in_pieces.backfill("2011-10-04..2011-10-06");
    in_pieces.backfill("2011-10-03..2011-10-05");
    assert_same(&contents(&at_once), &contents(&in_pieces), "in pieces");
    let odd = at_once.row("SELECT domain, title FROM documents WHERE domain LIKE 'o''%'");
    assert_eq!(odd["domain"], "o'reilly.example");
}

#[test]
fn objects_of_an_archive_may_have_any_name() {
    let names = [
        "it's.parquet",
        "; DROP TABLE documents; --.parquet",
        "x..%2f..%2f%00.parquet",
        "x...parquet",
        "date=2011-13-99/{source}.parquet",
        "ü ö $(id) `id` \"x\".parquet",
    ];
    let job = Job::new();
    for (number, name) in (0..).zip(names) {
        write(
            &job.archive(name),
            &[SITE.article(number, "2011-10-01T12:00:00")],
        );
    }
    let before = files(&job.path("archive"));
    job.backfill("2011-10-01");
    job.backfill("2011-10-01");
    assert_eq!(job.rows("SELECT * FROM documents").len(), names.len());
    assert_eq!(job.rows("SELECT * FROM quarantine"), [json!(null); 0]);
    assert_eq!(
        files(&job.path("archive")),
        before,
        "the archive is only read"
    );
    let sources = job.rows("SELECT DISTINCT source FROM url_keys");
    let sources: BTreeSet<String> = sources.iter().map(|row| text(row, "source")).collect();
    assert_eq!(sources.len(), names.len(), "{sources:?}");
    assert!(sources.contains("it's.parquet"), "{sources:?}");
}
