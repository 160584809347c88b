//! `urltree serve`: its pages, its queries with their limits, and its end.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ::report::{LIVE_STYLE, domain_address, page_address};
use serde_json::Value;

use crate::report::{DATES, SITES, job, unrun};
use crate::support::{Job, Row, Served, files, signal, skip, text};

/// A query that never ends and has no row before its end.
const ENDLESS: &str =
    "SELECT count(DISTINCT value % 7) FROM generate_series(1, 1000000000000) AS series(value)";

/// The part of a page between the navigation and the foot.
fn main_of(page: &str) -> &str {
    let (_, rest) = page.split_once("<main").expect("a main part");
    rest.split_once("</main>").expect("its end").0
}

#[test]
fn live_pages_are_those_of_a_report() {
    let job = job();
    let folder = job.path("report");
    let written = job.command("report", &["--output", &folder.display().to_string()]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let file = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a page");
    let served = Served::start(&job, &[]);

    let overview = served.get("/").page(200);
    let of_report = file("index.html").replace("quarantine.html", "quarantine");
    assert_eq!(main_of(&overview), main_of(&of_report));
    assert!(overview.contains("<dt>Rows of the archive</dt><dd>13<small>8 dates"));
    let quarantine = served.get("/quarantine").page(200);
    assert_eq!(main_of(&quarantine), main_of(&file("quarantine.html")));
    let domains = served.get("/domains").page(200);
    let (live, mut of_report) = (rows(&domains), rows(&file("domains.html")));
    assert_eq!(of_report.len(), 2);
    for row in &mut of_report {
        let name = row[1][0].as_str().expect("a name").to_owned();
        row[0] = domain_address(&name).into();
        let cells = row[1].as_array_mut().expect("cells");
        // Changes of the template are on the page of the domain.
        cells.remove(7);
    }
    assert_eq!(live, of_report);
}

#[test]
fn every_domain_and_every_url_has_a_page() {
    let job = job();
    let served = Served::start(&job, &[]);
    let small = served.get("/domain?name=herald.example").page(200);
    assert!(small.contains("www.herald.example/sport</span>"), "{small}");
    let worst = format!("<a href=\"{}", page_address(&SITES[1].url(0), None));
    assert!(small.contains(&worst), "{small}");
    let (_, rest) = small.split_once(&worst).expect("a link");
    let (at, _) = rest.split_once('"').expect("its end");
    let at = at.replace("&#38;", "&").replace("&amp;", "&");
    let blocks = served.get(&format!("/{}{at}", page_address(&SITES[1].url(0), None)));
    assert!(blocks.page(200).contains("skip_element"));

    let url = |url: &str| served.get(&format!("/{}", page_address(url, None)));
    let page = url(&SITES[0].url(7)).page(200);
    assert!(
        page.contains("footer&#62;p") && page.contains("on 8 of 8 pages"),
        "{page}"
    );
    assert!(
        page.contains("href=\"domain?name=gazette%2Eexample\""),
        "{page}"
    );
    // The URL was fetched twice, and each fetch has its address.
    let copy = page_address(&SITES[0].url(3), Some("2011-10-08 13:00:00"));
    let first = url(&SITES[0].url(3)).page(200);
    assert!(first.contains(&copy.replace('&', "&#38;")), "{first}");
    let copy = served.get(&format!("/{copy}")).page(200);
    assert!(copy.contains("A duplicate by identical_url"), "{copy}");
    let quarantined = url(&SITES[0].url(20)).page(200);
    assert!(quarantined.contains("missing_html"), "{quarantined}");
    let none = url("http://www.gazette.example/none").page(404);
    assert!(none.contains(DATES), "{none}");
    let no_time = served.get(&format!(
        "/{}",
        page_address(&SITES[0].url(7), Some("2012"))
    ));
    assert!(no_time.page(404).contains("2011-10-08"));

    let part = served.get("/domain?name=aze").page(404);
    assert!(
        part.contains("href=\"domain?name=gazette%2Eexample\""),
        "{part}"
    );
    let quote = served.get("/domain?name=%27+OR+%27%27%3D%27").page(404);
    assert!(!quote.contains("href=\"domain?name="), "{quote}");
    served.get("/nothing").page(404);
    served.get("/domain").page(400);
}

/// The rows of the table of a page.
fn rows(page: &str) -> Vec<Value> {
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let (data, _) = data.split_once("</script>").expect("its end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    data["rows"].as_array().expect("rows").clone()
}

#[test]
fn pages_are_found_by_url_title_and_text_and_a_site_leads_to_all_of_its_pages() {
    let job = job();
    let served = Served::start(&job, &[]);
    let found = |query: &str| rows(&served.get(&format!("/search?{query}")).page(200));
    let row = job.row(&format!(
        "SELECT title, text FROM documents WHERE url = '{}'",
        SITES[0].url(7)
    ));
    let line = text(&row, "text")
        .lines()
        .last()
        .expect("a line")
        .to_uppercase();
    let of_url = SITES[0].url(7).replace("http://", "");
    for searched in [&of_url, &text(&row, "title"), &line] {
        let rows = found(&format!("text={}", searched.replace(' ', "+")));
        assert_eq!(rows.len(), 1, "{searched}: {rows:?}");
        assert_eq!(rows[0][1][0], SITES[0].url(7));
        let address = rows[0][0].as_str().expect("an address");
        assert!(
            served
                .get(&format!("/{address}"))
                .page(200)
                .contains("footer&#62;p")
        );
    }
    let site = served.get("/domain?name=gazette.example").page(200);
    assert!(
        site.contains("<a href=\"search?domain=gazette%2Eexample\">"),
        "{site}"
    );
    assert_eq!(found("domain=gazette.example").len(), 8);
    assert_eq!(found("").len(), 11);
    let other = format!("/search?domain=herald.example&text={of_url}");
    assert!(served.get(&other).page(200).contains("There is none"));
    // The text is no pattern and no SQL.
    let odd = served
        .get("/search?text=%25%27%20OR%20%27%27%3D%27%3Cscript%3E")
        .page(200);
    assert!(
        odd.contains("There is none") && !odd.contains("<script>"),
        "{odd}"
    );
}

#[test]
fn the_original_has_its_styles_and_is_shown_in_the_pages_of_the_server_alone() {
    let page = "<!DOCTYPE html><style>p{color:red}</style><link rel=preconnect href=http://evil.example>\
                <script>alert(1)</script><p>The ferry is late again, says its captain.";
    let url = "http://www.gazette.example/1";
    let job = Job::of(&[Row::page("2011-10-01T12:00:00", url, page)]);
    job.run("2011-10-01");
    let served = Served::start(&job, &[]);
    let at = Some("2011-10-01 12:00:00");
    let blocks = served.get(&format!("/{}", page_address(url, at))).page(200);
    let address = page_address(url, at).replacen("page", "original", 1);
    assert!(blocks.contains(&format!("src=\"{address}\"")), "{blocks}");
    assert!(!blocks.contains("alert(1)"), "{blocks}");
    let original = served.get(&format!("/{address}"));
    let policy = original.headers["content-security-policy"].clone();
    assert!(
        policy.contains("sandbox") && policy.contains("frame-ancestors 'self'"),
        "{policy}"
    );
    assert_eq!(original.page(200), page.replace("<link", "<meta"));
    served
        .get("/original?url=http://www.gazette.example/2")
        .page(404);
    let headers = [
        ("Host", served.address.as_str()),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "iframe"),
    ];
    let framed = served.ask("GET", &format!("/{address}"), &headers, "");
    assert_eq!(framed.status, 403);
}

#[test]
fn a_result_is_downloaded_as_csv_with_all_of_its_rows() {
    let job = job();
    let served = Served::start(&job, &["--max-rows", "5"]);
    let download = |sql| served.send("/sql", &[("query", sql), ("download", "csv")]);
    let sql = "SELECT url, content_chars FROM documents ORDER BY url";
    let file = download(sql);
    assert!(file.headers["content-disposition"].starts_with("attachment"));
    assert_eq!(file.page(200), job.sql("csv", sql));
    let empty = download("SELECT url FROM documents WHERE url = ''").page(200);
    assert_eq!(empty, "url\n");
    let failed = download("SELECT nothing FROM documents").page(422);
    assert!(
        failed.contains("SELECT nothing FROM documents</textarea>"),
        "{failed}"
    );
    let long = download("SELECT repeat('long', 10000000) AS text FROM generate_series(1, 4)");
    assert!(long.page(422).contains("--output FILE"));
}

#[test]
fn a_query_gives_rows_that_lead_to_pages() {
    let job = job();
    let served = Served::start(&job, &[]);
    let query =
        "SELECT url, domain, content_chars, title FROM documents ORDER BY fetched_at, url LIMIT 3";
    let page = served.sql(query).page(200);
    assert!(page.contains(&format!("\n{query}</textarea>")), "{page}");
    assert!(page.contains(">3 rows</p>"), "{page}");
    let link = format!("<a href=\"{}\">", page_address(&SITES[0].url(0), None));
    assert!(page.contains(&link), "{page}");
    let null = served
        .sql("SELECT NULL AS nothing, 'a\nb' AS text, [1, 2] AS list")
        .page(200);
    assert!(null.contains("class=\"null\""), "{null}");
    assert!(
        null.contains(">a b</td>") && null.contains(">[1, 2]</td>"),
        "{null}"
    );
    let archive = served.sql("SELECT count(*) AS rows FROM archive").page(200);
    assert!(archive.contains(">13</td>"), "{archive}");
    // A link fills the form in, and does not run the query.
    let form = served.get("/sql?query=SELECT+42+AS+answer").page(200);
    assert!(form.contains("SELECT 42 AS answer</textarea>"), "{form}");
    assert!(!form.contains("class=\"result\""), "{form}");
    assert!(
        form.contains("content_chars</code>"),
        "the columns of the tables: {form}"
    );
}

#[test]
fn a_query_beyond_a_limit_is_stopped_or_cut_off_and_the_page_says_so() {
    let job = job();
    let served = Served::start(&job, &["--query-timeout", "1s", "--max-rows", "5"]);
    let begun = Instant::now();
    let stopped = served.sql(ENDLESS).page(422);
    assert!(stopped.contains("stopped after 1s"), "{stopped}");
    assert!(
        stopped.contains(&format!("\n{ENDLESS}</textarea>")),
        "{stopped}"
    );
    let took = begun.elapsed();
    assert!(
        took > Duration::from_secs(1) && took < Duration::from_secs(20),
        "{took:?}"
    );
    if let Some(before) = cpu_ticks(&served) {
        // A query that still ran would use some 100 ticks a second.
        std::thread::sleep(Duration::from_secs(1));
        let ticks = cpu_ticks(&served).expect("a process") - before;
        assert!(ticks < 50, "{ticks} ticks after the query was stopped");
    } else {
        skip("/proc");
    }
    let cut = served
        .sql("SELECT value FROM generate_series(1, 1000000000000)")
        .page(200);
    assert_eq!(cut.matches("<td class=\"number\"").count(), 5, "{cut}");
    assert!(
        cut.contains("cut off") && cut.contains("--max-rows"),
        "{cut}"
    );
    let whole = served
        .sql("SELECT value FROM generate_series(1, 5)")
        .page(200);
    assert!(
        whole.contains(">5 rows</p>") && !whole.contains("cut off"),
        "{whole}"
    );
    let long = served
        .sql("SELECT repeat('long', 100000) AS text")
        .page(200);
    assert!(
        long.len() < 60_000 && long.contains("… (cut)"),
        "{} bytes",
        long.len()
    );
}

#[test]
fn the_query_of_a_reader_who_leaves_is_stopped() {
    let job = job();
    let served = Served::start(&job, &["--query-timeout", "10m"]);
    let Some(begin) = cpu_ticks(&served) else {
        return skip("/proc");
    };
    let asking = endless(&served);
    let ticks = || cpu_ticks(&served).expect("a process");
    while ticks() < begin + 30 {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(asking);
    std::thread::sleep(Duration::from_millis(500));
    let before = ticks();
    std::thread::sleep(Duration::from_secs(1));
    assert!(ticks() - before < 20, "{} ticks", ticks() - before);
}

/// Sends a query that does not end. It is stopped when the connection is dropped.
fn endless(served: &Served) -> TcpStream {
    let mut asking = TcpStream::connect(&served.address).expect("a connection");
    let body = format!("query={}", ENDLESS.replace(' ', "+").replace('%', "%25"));
    let request = format!(
        "POST /sql HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{body}",
        served.address,
        body.len()
    );
    asking.write_all(request.as_bytes()).expect("a request");
    asking
}

/// The CPU time of the server.
fn cpu_ticks(served: &Served) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", served.child.id())).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

#[test]
fn only_queries_are_run_and_errors_keep_the_query() {
    let job = job();
    let before = files(job.path("").as_path());
    let output = job.path("copy.csv").display().to_string();
    let served = Served::start(&job, &[]);
    for sql in [
        format!("COPY (SELECT 1) TO '{output}'"),
        "INSERT INTO documents SELECT * FROM documents".to_owned(),
        "DELETE FROM documents".to_owned(),
        "UPDATE documents SET text = ''".to_owned(),
        "CREATE TABLE copied AS SELECT 1".to_owned(),
        format!("CREATE EXTERNAL TABLE other STORED AS CSV LOCATION '{output}'"),
        "DROP TABLE documents".to_owned(),
        "SET datafusion.execution.batch_size = 1".to_owned(),
        "EXPLAIN ANALYZE INSERT INTO documents SELECT * FROM documents".to_owned(),
    ] {
        let page = served.sql(&sql).page(422);
        assert!(
            page.contains("the statement is not a query"),
            "{sql}: {page}"
        );
    }
    for (sql, reason) in [
        ("SELECT nothing FROM runs", "nothing"),
        ("SELECT 1; DROP TABLE documents", "role=\"alert\""),
        ("SELECT * FROM '/etc/passwd'", "not found"),
        ("SELECT 1 / 0", "zero"),
        ("  ", "empty"),
    ] {
        let page = served.sql(sql).page(422);
        assert!(page.contains(reason), "{sql}: {page}");
        let typed = sql.replace('\'', "&#39;");
        assert!(
            page.contains(&format!("\n{typed}</textarea>")),
            "{sql}: {page}"
        );
    }
    for (method, path) in [("POST", "/"), ("PUT", "/sql"), ("DELETE", "/domain?name=a")] {
        let refused = served.ask(method, path, &[("Host", &served.address)], "");
        assert_eq!(refused.status, 405, "{method} {path}");
    }
    assert_eq!(files(job.path("").as_path()), before);
}

#[test]
fn a_job_without_tables_says_what_to_run_and_later_runs_are_seen() {
    let job = unrun();
    let served = Served::start(&job, &[]);
    for path in [
        "/",
        "/domains",
        "/domain?name=a",
        "/quarantine",
        "/page?url=http://a/",
    ] {
        let page = served.get(path).page(404);
        assert!(
            page.contains("urltree backfill --job job.toml"),
            "{path}: {page}"
        );
    }
    let rows = "SELECT count(*) AS rows FROM documents";
    assert!(served.sql(rows).page(422).contains("documents"));
    served.sql("SELECT count(*) AS rows FROM archive").page(200);
    job.run("2011-10-01..2011-10-02");
    assert!(
        served
            .get("/")
            .page(200)
            .contains("2011-10-01 to 2011-10-02")
    );
    assert!(served.sql(rows).page(200).contains(">4</td>"));
    job.run("2011-10-03..2011-10-08");
    assert!(
        served
            .get("/")
            .page(200)
            .contains("2011-10-01 to 2011-10-08")
    );
    assert!(served.sql(rows).page(200).contains(">11</td>"));
    let page = format!("/{}", page_address(&SITES[0].url(7), None));
    assert!(served.get(&page).page(200).contains("on 8 of 8 pages"));
    // Dates that are run again replace what was there.
    job.run("2011-10-01");
    assert!(served.sql(rows).page(200).contains(">11</td>"));
}

#[test]
fn signals_end_the_server_in_order_while_a_query_runs() {
    let job = job();
    for kind in ["INT", "TERM"] {
        let mut served = Served::start(&job, &[]);
        // A connection that asks for nothing, and one whose query runs.
        let _idle = TcpStream::connect(&served.address).expect("a connection");
        let _asking = endless(&served);
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        signal(&served.child, kind);
        let ended = served.child.wait().expect("a child to wait for");
        assert_eq!(ended.code(), Some(0), "{kind}");
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(15), "{kind}: {took:?}");
    }
}

/// The form of a page hides the blocks of a reason by a rule of the style sheet.
#[test]
fn blocks_of_every_reason_can_be_hidden() {
    for reason in query::Reason::ALL {
        let rule = format!("body:has(#r-{reason}:not(:checked)) .r-{reason}");
        assert!(LIVE_STYLE.contains(&rule), "{rule}");
    }
}
