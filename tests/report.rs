//! `urltree report`: its files, its numbers, and equal bytes for equal tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::{Job, Row, Site, text};

pub(crate) const SITES: [Site<'static>; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.herald.example",
    },
];
pub(crate) const DATES: &str = "2011-10-01..2011-10-08";

/// Two sites, one with a copy and a page without HTML. The job was not run.
pub(crate) fn unrun() -> Job {
    let mut rows = SITES[0].daily_articles(8);
    rows.extend(SITES[1].daily_articles(3));
    rows.push(SITES[0].article(3, "2011-10-08T13:00:00"));
    rows.push(Row {
        html: None,
        ..SITES[0].article(20, "2011-10-08T14:00:00")
    });
    Job::of(&rows).with("output.write=blocks")
}

pub(crate) fn job() -> Job {
    let job = unrun();
    job.run(DATES);
    job
}

fn written(job: &Job, name: &str, arguments: &[&str]) -> PathBuf {
    let folder = job.path(name);
    let output = folder.display().to_string();
    let finished = job.command("report", &[&["--output", &output], arguments].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    folder
}

/// The files below a folder, with their contents.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let (mut folders, mut files) = (vec![folder.to_owned()], BTreeMap::new());
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(&below).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("a file below");
                let content = std::fs::read_to_string(&path).expect("text");
                files.insert(name.to_owned(), content);
            }
        }
    }
    files
}

#[test]
fn a_report_has_the_numbers_of_the_tables() {
    let job = job();
    let files = files(&written(&job, "report", &["--pages", "1"]));
    let names: Vec<String> = files
        .keys()
        .map(|name| name.display().to_string())
        .collect();
    assert_eq!(names.len(), 3 + 2 + 2, "{names:?}");
    let file = |name: &str| &files[Path::new(name)];

    let overview = file("index.html");
    assert!(
        overview.contains("<dt>Rows of the archive</dt><dd>13<small>8 dates"),
        "{overview}"
    );
    assert!(
        overview.contains("<dt>Unique pages</dt><dd>11<small>85 % of the rows"),
        "{overview}"
    );
    assert!(overview.contains("identical_url") && overview.contains("missing_html"));
    let empty = job.row("SELECT count(*) AS pages FROM documents WHERE content_blocks = 0");
    let count = format!(
        "no text</th><td class=\"number\">{}</td>",
        text(&empty, "pages")
    );
    assert!(overview.contains(&count), "{count}: {overview}");
    let last = "13 rows, 11 unique pages of 2 sites. No other run has dates in the tables.";
    assert!(overview.contains(last), "{overview}");

    let domains = file("domains.html");
    let row = job
        .row("SELECT sum(content_chars) AS chars FROM documents WHERE domain = 'gazette.example'");
    let data = "[\"gazette.example\",8,1,";
    assert!(domains.contains(data), "{domains}");
    assert!(
        domains.contains(&format!(",{}]]", text(&row, "chars"))),
        "{domains}"
    );

    let quarantine = file("quarantine.html");
    let shown = format!(
        "[\"{}\",\"missing_html\",\"html is null\",\"pages.parquet\",12,",
        SITES[0].url(20)
    );
    assert!(quarantine.contains(&shown), "{quarantine}");

    let domain = file(&::report::domain_file("gazette.example"));
    let sidebar = job.row(
        "SELECT count(*) AS times FROM blocks WHERE label = 'boilerplate' AND text = 'Latest news' \
         AND domain = 'gazette.example'",
    );
    let times = text(&sidebar, "times");
    assert!(
        domain.contains(&format!("<td class=\"number\">{times}</td>")),
        "{domain}"
    );
    assert!(domain.contains("Latest news"), "{domain}");
    assert!(
        domain.contains("www.gazette.example/sport</span><span class=\"number\">4"),
        "{domain}"
    );
    assert!(domain.contains("main&#62;p"), "{domain}");
}

#[test]
fn an_overview_has_languages_what_the_last_run_has_changed_and_sites_that_need_a_look() {
    let mut rows = SITES[0].daily_articles(8);
    // The last two days of the site have pages without a text, and another site is new.
    let menu = |row: &Row| Row {
        html: Some(b"<title>Menu</title><nav><ul><li><a href=/>Home</a></ul></nav>".to_vec()),
        ..row.clone()
    };
    let empty: Vec<Row> = (0..5)
        .map(|second| menu(&rows[7].after(1, second + 1)))
        .collect();
    let empty = empty.into_iter().enumerate().map(|(number, row)| Row {
        url: Some(SITES[0].url(100 + number as u64)),
        ..row
    });
    rows.extend(empty);
    rows.push(Row {
        url: Some(SITES[1].url(0)),
        ..rows[7].after(1, 30)
    });
    let job = Job::of(&rows).with("output.write=language");
    job.run("2011-10-01..2011-10-08");
    job.run("2011-10-09");
    let overview = &files(&written(&job, "report", &[]))[Path::new("index.html")];
    for words in [
        "sl</th>",
        "2011-10-09: 6 rows, 6 unique pages of 2 sites. One of them is new.",
        "100 % of its new pages have no content, 0 % before",
        "new, with 1 page<",
        "5 of 13 pages have no content",
    ] {
        assert!(overview.contains(words), "{words}: {overview}");
    }
}

#[test]
fn equal_tables_give_equal_bytes_and_an_earlier_report_is_replaced() {
    let job = job();
    let one = files(&written(&job, "one", &["--pages", "1"]));
    let two = files(&written(
        &job,
        "two",
        &["--pages", "1", "--set", "run.threads=1"],
    ));
    assert_eq!(one, two);
    let few = files(&written(&job, "one", &["--domain-pages", "1"]));
    assert_eq!(few.len(), 3 + 1, "{:?}", few.keys());
}

#[test]
fn a_report_of_some_dates_has_only_those() {
    let job = job();
    let files = files(&written(
        &job,
        "report",
        &["--dates", "2011-10-01..2011-10-02"],
    ));
    let overview = &files[Path::new("index.html")];
    assert!(overview.contains("2011-10-01 to 2011-10-02"), "{overview}");
    assert!(
        overview.contains("<dt>Unique pages</dt><dd>4<small>"),
        "{overview}"
    );
    assert!(!overview.contains("2011-10-03"), "{overview}");
}

#[test]
fn a_folder_with_other_files_and_a_job_without_runs_are_refused() {
    let job = job();
    let archive = job.path("archive").display().to_string();
    let finished = job.command("report", &["--output", &archive]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stderr.contains("no report"), "{}", finished.stderr);
    assert!(job.archive("pages.parquet").exists());

    let unrun = Job::of(&SITES[0].daily_articles(1));
    let output = unrun.path("report").display().to_string();
    let finished = unrun.command("report", &["--output", &output]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.stderr.contains("urltree backfill"),
        "{}",
        finished.stderr
    );
}
