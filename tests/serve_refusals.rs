//! `urltree serve`: the requests that it refuses, and hostile pages.

use ::report::{domain_address, page_address};

use crate::support::{Job, Response, Row, Served, Site};

const SITE: Site = Site {
    host: "www.gazette.example",
};

#[test]
fn requests_of_other_hosts_and_of_other_pages_are_refused() {
    let job = Job::of(&SITE.daily_articles(2));
    job.run("2011-10-01..2011-10-02");
    let served = Served::start(&job, &[]);
    let port = served.address.rsplit(':').next().expect("a port");
    let local = format!("localhost:{port}");
    let foreign = format!("evil.example:{port}");
    let get = |headers: &[(&str, &str)]| served.ask("GET", "/domains", headers, "");
    assert_eq!(get(&[("Host", &local)]).status, 200);
    for host in [foreign.as_str(), "localhost", "127.0.0.1"] {
        let refused = get(&[("Host", host)]);
        assert_eq!(refused.status, 421, "{host}");
        assert!(!refused.body.contains("gazette"), "{}", refused.body);
        assert_guarded(&refused);
    }
    // Requests that a page of another site can make a browser send.
    let host = ("Host", local.as_str());
    let cross = ("Sec-Fetch-Site", "cross-site");
    for headers in [
        vec![
            host,
            cross,
            ("Sec-Fetch-Mode", "no-cors"),
            ("Sec-Fetch-Dest", "image"),
        ],
        vec![
            host,
            cross,
            ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "iframe"),
        ],
        vec![
            host,
            ("Sec-Fetch-Site", "same-site"),
            ("Sec-Fetch-Mode", "cors"),
        ],
        vec![host, ("Origin", "http://localhost:1")],
        vec![host, ("Origin", "null")],
    ] {
        let refused = get(&headers);
        assert_eq!(refused.status, 403, "{headers:?}");
        assert!(!refused.body.contains("gazette"), "{}", refused.body);
    }
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let refused = served.post_sql("SELECT 1", &[host, ("Origin", origin)]);
        assert_eq!(refused.status, 403, "{origin}");
    }
    let refused = served.post_sql("SELECT 1", &[host, cross, ("Sec-Fetch-Mode", "navigate")]);
    assert_eq!(refused.status, 403);
    let own = format!("http://{local}");
    let headers = [
        host,
        ("Origin", own.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
    ];
    assert_eq!(served.post_sql("SELECT 1", &headers).status, 200);
    // A link from elsewhere shows the page, and a link to a query does not run it.
    let navigate = [
        ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "document"),
    ];
    assert_eq!(get(&[&[host, cross], &navigate[..]].concat()).status, 200);
}

fn assert_guarded(response: &Response) {
    let header = |name: &str| response.headers.get(name).map_or("", String::as_str);
    let policy = header("content-security-policy");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(
        !policy.contains("unsafe") && !policy.contains('*'),
        "{policy}"
    );
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("referrer-policy"), "same-origin");
    assert_eq!(header("cross-origin-resource-policy"), "same-origin");
    assert!(!response.headers.contains_key("access-control-allow-origin"));
}

/// Texts, titles, URLs, classes and names of objects that try to leave their place.
#[test]
fn hostile_texts_stay_texts() {
    let attack = "</script></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'";
    let shown = attack.replace('<', "&lt;").replace('"', "&quot;");
    let row = |number: u32| {
        let html = format!(
            "<title>{shown}</title><body class=\"a&quot;&gt;&lt;script&gt;alert(1)\"><ul><li>{shown} menu</ul>\
             <div><h1>{shown} {number}</h1><p><a href='javascript:alert(1)'>{shown}</a> \u{202e} and text number \
             {number} that is long enough for a paragraph.</div>"
        );
        let url = format!("http://www.evil.example/{attack}?{number}");
        Row::page(&format!("2011-10-24T12:{number:02}:00"), url, html)
    };
    let mut rows: Vec<Row> = (0..6).map(row).collect();
    rows.push(Row {
        html: None,
        ..row(30)
    });
    rows.push(Row {
        url: Some("javascript:alert(1)//<script>".to_owned()),
        ..row(31)
    });
    let job = Job::of(&rows).with("output.write=blocks");
    job.run("2011-10-24");
    let served = Served::start(&job, &[]);
    let url = format!("http://www.evil.example/{attack}?3");
    let address = |path: String| format!("/{path}");
    let mut pages = vec![
        served.get("/"),
        served.get("/domains"),
        served.get("/quarantine"),
        served.get("/domain?name=evil.example"),
        served.get("/search?domain=evil.example&text=%3Cscript%3Ealert(1)"),
        served.get(&address(page_address(&url, None))),
        served.get(&address(page_address(attack, Some(attack)))),
        served.get(&address(page_address(
            "javascript:alert(1)//<script>",
            None,
        ))),
        served.get(&address(domain_address(attack))),
        served.get("/sql?query=%3C/textarea%3E%3Cscript%3Ealert(1)%3C/script%3E"),
        served.get("/%3Cscript%3Ealert(1)%3C/script%3E"),
        served.sql(&format!(
            "SELECT '{}' AS \"<script>\"",
            attack.replace('\'', "''")
        )),
        served.sql("SELECT url, title, domain, html FROM archive"),
        served.sql("SELECT url, title, text, domain FROM documents"),
        served.sql("SELECT url, reason, detail FROM quarantine"),
        served.sql("SELECT text, slot, node FROM blocks"),
        served.sql("SELECT 'javascript:alert(1)' AS url, 'javascript:alert(1)' AS domain"),
        served.sql("SELECT \"<script>alert(1)</script>\" FROM runs"),
    ];
    let about_attack = pages
        .iter()
        .filter(|page| page.body.contains("alert(1)"))
        .count();
    assert!(about_attack >= 14, "{about_attack}");
    pages.push(served.get("/style.css"));
    for page in &pages {
        assert_guarded(page);
        assert!(page.status < 500, "{page:?}");
        let html = &page.body;
        let ours = html.replace("<script type=\"application/json\" id=\"data\">", "");
        let ours = ours.replace("<script src=\"table.js\">", "");
        // The frame of the original, which the server sends with another policy.
        let ours = ours.replace("<iframe class=\"original\" sandbox ", "");
        assert!(!ours.contains("srcdoc"), "{html}");
        for forbidden in ["<script", "<img", "<iframe", " style=", "\u{202e}", "<base"] {
            assert!(!ours.contains(forbidden), "{forbidden}: {html}");
        }
        for (at, _) in html.match_indices("href=\"") {
            let target = &html[at + 6..];
            let (target, _) = target.split_once('"').expect("an end");
            let (path, _) = target.split_once('?').unwrap_or((target, ""));
            let own = [
                "./",
                "domains",
                "domain",
                "quarantine",
                "search",
                "page",
                "mark",
                "sql",
                "style.css",
                "icon.svg",
            ];
            assert!(own.contains(&path) || path.starts_with('#'), "{target}");
        }
    }
}

#[test]
fn addresses_that_other_machines_reach_and_used_ports_are_refused() {
    let job = Job::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = job.command("serve", &["--listen", address]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let said = &refused.stderr;
        assert!(
            said.contains("no authentication") && said.contains("ssh -L"),
            "{said}"
        );
    }
    let served = Served::start(&job, &[]);
    let refused = job.command("serve", &["--listen", &served.address]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("port 0"), "{}", refused.stderr);
    let refused = job.command("serve", &["--listen", "8080"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
