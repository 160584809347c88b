//! The pages of `urltree report`, `urltree explain --html` and `urltree serve` in a headless browser.
//!
//! `URLTREE_BROWSER_MODULES` names the folder `node_modules` with the packages of
//! `browser/package.json`, and `URLTREE_CHROMIUM` a Chromium that is not in the path. Without node, the packages
//! or a Chromium the tests are skipped. `URLTREE_SCREENSHOTS` is a folder for pictures of the pages.

use std::path::{Path, PathBuf};
use std::process::Command;

use ::report::{DomainRow, domain_address, domains_page, page_address};
use serde_json::json;

use crate::support::{Job, Row, Served, repository, run_in, skip, text};

struct Browser {
    modules: PathBuf,
    chromium: PathBuf,
}

/// The browser; `None` where it is missing, and the test is skipped.
fn browser() -> Option<Browser> {
    let Some(modules) = std::env::var_os("URLTREE_BROWSER_MODULES").map(PathBuf::from) else {
        skip("packages of tests/browser/package.json (URLTREE_BROWSER_MODULES)");
        return None;
    };
    for package in ["playwright-core", "axe-core"] {
        let path = modules.join(package);
        assert!(
            path.is_dir(),
            "URLTREE_BROWSER_MODULES: no folder {}",
            path.display()
        );
    }
    let named = std::env::var_os("URLTREE_CHROMIUM").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join("chromium"));
    let chromium = named.into_iter().chain(in_path).find(|path| path.is_file());
    let has_node = Command::new("node").arg("--version").output().is_ok();
    match chromium {
        Some(chromium) if has_node => Some(Browser { modules, chromium }),
        _ => {
            skip("node or chromium");
            None
        }
    }
}

/// A job over the sample, with a report in the folder `report`.
fn reported(folder: &Path) -> Job {
    let sample = folder.join("sample");
    let output = sample.display().to_string();
    let dates = "2011-10-24..2011-10-27";
    let words = ["--output", &output, "--dates", dates, "--pages", "400"];
    let made = run_in(folder, "urltree-sample", &words);
    assert_eq!(made.code, Some(0), "{made:?}");
    let job = Job::new()
        .reading(&sample.join("pages"))
        .with("archive.layout=hive")
        .with("output.write=blocks");
    job.run(dates);
    let report = job.path("report").display().to_string();
    let written = job.command("report", &["--output", &report, "--pages", "1"]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    job
}

/// The page of a document of the sample, block by block.
fn blocks_page(job: &Job) -> PathBuf {
    let row = job.row(
        "SELECT url FROM documents WHERE domain = (SELECT domain FROM documents GROUP BY domain \
         ORDER BY count(*) DESC, domain LIMIT 1) ORDER BY blocks DESC, url LIMIT 1",
    );
    let page = job.path("blocks.html");
    let html = page.display().to_string();
    let arguments = [&text(&row, "url"), "--html", &html];
    let finished = job.command("explain", &arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    page
}

/// A table of 100,000 domains.
fn many_domains(job: &Job) -> PathBuf {
    let domains = (0..100_000).map(|number: u64| DomainRow {
        domain: format!("site-{number}.example"),
        pages: 100_000 - number,
        content_chars: number * 7919 % 1000,
        boilerplate_chars: 500,
        support: number % 300,
        ..DomainRow::default()
    });
    let domains: Vec<DomainRow> = domains.collect();
    let path = job.path("many.html");
    std::fs::write(
        &path,
        domains_page(::report::Site::Files, "2011", &domains).expect("a page"),
    )
    .expect("a file");
    path
}

/// An image of one pixel.
const INSIDE: &str = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";

/// Pages about a site whose texts, titles, classes and URLs attack their reader.
fn hostile_pages() -> (Job, Vec<PathBuf>) {
    let attack = "</script></style><script>globalThis.hacked = 1; alert(1)</script>\
         <img src=http://evil.example/x onerror='globalThis.hacked = 1'>";
    let shown = attack.replace('<', "&lt;");
    let row = |number: u32, minute: u32| {
        let html = format!(
            "<title>{shown}</title><style>h1 {{ color: rgb(1, 2, 3) }}</style><body class=\"a&quot;&gt;&lt;script&gt;globalThis.hacked=1\">\
             <ul><li>{shown} menu</ul><div><h1>{shown} {number}</h1><p>{shown} and text number {number} \
             that is long enough for a paragraph.</div><img id=inside src={INSIDE}><img id=outside \
             src=http://evil.example/y><a id=away href=http://evil.example/>away</a>"
        );
        let url = format!("http://www.evil.example/{attack}?{number}");
        Row::page(&format!("2011-10-24T12:{minute:02}:00"), url, html)
    };
    let mut rows: Vec<Row> = (0..6).map(|number| row(number, number)).collect();
    rows.push(Row {
        html: None,
        ..row(9, 30)
    });
    let job = Job::of(&rows).with("output.write=blocks");
    job.run("2011-10-24");
    let report = job.path("report");
    let arguments = ["--output", &report.display().to_string(), "--pages", "1"];
    let written = job.command("report", &arguments);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let below = |folder: &str| {
        let file = ::report::domain_file("evil.example").replacen("domains", folder, 1);
        report.join(file)
    };
    let explained = below("pages").to_string_lossy().replace(".html", "-1.html");
    let pages = vec![
        report.join("quarantine.html"),
        below("domains"),
        explained.into(),
    ];
    (job, pages)
}

#[test]
fn a_reader_gets_from_the_overview_to_a_block_in_a_browser() {
    let Some(browser) = browser() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let job = reported(folder.path());
    let (evil, hostile) = hostile_pages();
    let url = evil.row("SELECT url FROM documents ORDER BY url LIMIT 1");
    let original = page_address(&text(&url, "url"), None);
    let hostile_live = [
        "domain?name=evil.example".to_owned(),
        "quarantine".to_owned(),
        original.clone(),
        "search?domain=evil.example".to_owned(),
        domain_address("<script>globalThis.hacked = 1</script>"),
        "sql?query=%3C/textarea%3E%3Cscript%3EglobalThis.hacked=1%3C/script%3E".to_owned(),
    ];
    let live = Served::start(&job, &[]);
    let evil = Served::start(&evil, &[]);
    let places = json!({
        "modules": browser.modules,
        "chromium": browser.chromium,
        "report": job.path("report"),
        "blocks": blocks_page(&job),
        "many": many_domains(&job),
        "hostile": hostile,
        "live": live.address,
        "evil": evil.address,
        "hostileLive": hostile_live,
        "original": original,
        "screenshots": std::env::var("URLTREE_SCREENSHOTS").ok(),
    });
    let script = repository().join("tests/browser/visit.mjs");
    let visited = Command::new("node")
        .arg(script)
        .arg(places.to_string())
        .output();
    let visited = visited.expect("node can be started");
    let said = String::from_utf8_lossy(&visited.stdout);
    let errors = String::from_utf8_lossy(&visited.stderr);
    assert!(visited.status.success(), "{said}\n{errors}");
    assert_eq!(said.matches("passed ").count(), 14, "{said}");
}
