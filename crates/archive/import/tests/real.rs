//! Real files: the records that an import of the whole file finds, by an index of their places.

use std::collections::BTreeMap;
use std::path::PathBuf;

use import::{IndexOptions, Selection, Target};
use warc::{Limits, Records};

use crate::common::{Captured, import_whole, pages, run, with_short_waits};

/// The files that are not compressed as one member, so that each record has its own place.
const FILES: [&str; 8] = [
    "commoncrawl-whirlwind.warc.gz",
    "example-wget-1-14.warc.gz",
    "iana.warc.gz",
    "servo-reddit.warc.gz",
    "servo-sina.warc.gz",
    "servo-yahoo.warc.gz",
    "aut-archive.org.warc.gz",
    "pywb-example.warc",
];

/// The folder of real files. Prints that the test is skipped without it.
fn shared() -> Option<PathBuf> {
    let root = std::env::var_os("URLTREE_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared")),
        PathBuf::from,
    );
    let found = root.join("data/warc").canonicalize().ok();
    if found.is_none() {
        use std::io::Write;
        // `eprintln!` would be captured, and not shown for a test that passes.
        let _ = writeln!(std::io::stderr(), "SKIPPED real files: no shared/data/warc");
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn the_records_of_real_files_are_got_by_their_places() {
    let Some(folder) = shared() else {
        return;
    };
    let output = tempfile::tempdir().expect("a folder");
    let mut total = 0;
    for name in FILES {
        let path = folder.join(name);
        let size = std::fs::metadata(&path).expect("a file").len();
        let records = Records::new(
            std::fs::File::open(&path).expect("a file"),
            Limits::default(),
        );
        let mut places = Vec::new();
        for record in records.flatten() {
            let page = record
                .capture
                .filter(|capture| capture.is_html && capture.status == Some(200));
            let page = page.map(|page| (page.url, page.fetched_at, page.payload_digest));
            places.push((record.origin.offset, page));
        }
        let ends: Vec<u64> = places
            .iter()
            .skip(1)
            .map(|(offset, _)| *offset)
            .chain([size])
            .collect();
        let mut lines = String::new();
        let mut hosts = BTreeMap::new();
        for ((offset, page), end) in places.iter().zip(ends) {
            let Some((url, micros, digest)) = page else {
                continue;
            };
            let parsed = url::Url::parse(url).expect("a URL");
            hosts.insert(parsed.host_str().expect("a host").to_owned(), ());
            let time = chrono::DateTime::from_timestamp_micros(*micros).expect("a time");
            lines += &Captured {
                url: url.clone(),
                time: time.format("%Y%m%d%H%M%S").to_string(),
                mime: "text/html".to_owned(),
                digest: digest.clone(),
                file: name.to_owned(),
                offset: *offset,
                length: end - offset,
            }
            .line();
        }
        let targets = hosts.keys().map(|host| Target::host(host).expect("a host"));
        let selection = Selection::new(url_key::Keyer::default(), targets);
        let mut options = with_short_waits(IndexOptions::new(selection));
        options.base = Some(folder.display().to_string());
        let index = output.path().join("index.cdxj");
        std::fs::write(&index, lines).expect("a file");
        let archive = output.path().join(format!("{name}-chosen"));
        let report = run(&index.display().to_string(), &archive, &options).await;
        assert_eq!(report.asked, report.got, "{name}: {report:?}");
        let whole = output.path().join(format!("{name}-whole"));
        import_whole(&[path.display().to_string()], &whole).await;
        // A redirect is not chosen, so no row knows that it leads here.
        let plain = |row: String| {
            let (before, rest) = row.split_once("request_url=").expect("a column");
            format!(
                "{before}{}",
                rest.split_once("content_type=").expect("a column").1
            )
        };
        let expected: Vec<String> = pages(&whole).into_iter().map(plain).collect();
        let found: Vec<String> = if archive.exists() {
            pages(&archive)
        } else {
            Vec::new()
        };
        let found: Vec<String> = found.into_iter().map(plain).collect();
        let places: std::collections::BTreeSet<&String> = expected.iter().collect();
        for row in &found {
            assert!(
                places.contains(row),
                "{name}: {}",
                &row[..row.len().min(300)]
            );
        }
        assert_eq!(found.len() as u64, report.got, "{name}");
        println!("{name}: {} of {} pages", found.len(), expected.len());
        total += found.len();
    }
    assert!(total > 20, "{total}");
}
