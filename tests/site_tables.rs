//! The optional tables `links` and `site_blocks`.

use serde_json::json;

use crate::support::{Job, Row, paragraph};

const DATES: &str = "2011-10-01..2011-10-06";

/// Articles of a site with a menu and an imprint, and links in their texts.
fn articles() -> Vec<Row> {
    let article = |number: u64| {
        let html = format!(
            "<title>Tea number {number}</title><base href=/shop/><body>\
             <nav><ul><li><a href=/>Home</a><li><a href=/all>All teas</a></ul></nav>\
             <main><h1>Tea number {number}</h1>\
             <p>{} See <a href=leaf/{number}>leaf {number}</a> and <a href='#top'>above</a>.</main>\
             <footer><p>Tea House, 12 Leaf Lane, telephone 0123 456789<a class=icon href=/feed></a></footer>",
            paragraph(number)
        );
        let time = format!("2011-10-{:02}T{:02}:00:00", 1 + number / 8, 8 + number % 8);
        Row::page(&time, format!("http://www.tea.example/news/{number}"), html)
    };
    (0..48).map(article).collect()
}

#[test]
fn links_of_a_page_are_absolute_and_say_whether_they_are_content() {
    let job = Job::of(&articles()).with("output.write=links");
    job.backfill(DATES);
    let sql = "SELECT ordinal, target, text, in_content FROM links WHERE url_key LIKE '%/news/40' ORDER BY ordinal";
    let link = |ordinal: i32, target: &str, text: &str, in_content: bool| {
        let target = format!("http://www.tea.example{target}");
        json!({"ordinal": ordinal, "target": target, "text": text, "in_content": in_content})
    };
    assert_eq!(
        job.rows(sql),
        [
            link(0, "/", "Home", false),
            link(1, "/all", "All teas", false),
            link(2, "/shop/leaf/40", "leaf 40", true),
            link(3, "/feed", "", false),
        ]
    );
    assert_eq!(
        job.row("SELECT count(*) AS links FROM links")["links"],
        4 * 48
    );
}

/// The rest of such a page is not kept through the sorts, and it is parsed again when it is written.
#[test]
fn a_page_with_too_many_links_has_the_first_and_a_warning() {
    let links = "<a href=/x>link</a> ".repeat(10_050);
    let html = format!("<title>All</title><p>All teas {links}");
    let pages = [Row::page(
        "2011-10-01T12:00:00",
        "http://www.tea.example/all",
        html,
    )];
    let job = Job::of(&pages).with("output.write=links");
    job.backfill(DATES);
    assert_eq!(
        job.row("SELECT count(*) AS links FROM links")["links"],
        10_000
    );
    let row = job.row("SELECT warnings FROM documents");
    assert_eq!(row["warnings"], json!(["links: 50 more are left out"]));
}

#[test]
fn a_site_has_what_its_texts_lack_once_a_date() {
    let job = Job::of(&articles()).with("output.write=site_blocks");
    job.backfill(DATES);
    let imprint = "Tea House, 12 Leaf Lane, telephone 0123 456789";
    let texts = job.row(&format!(
        "SELECT count(*) AS texts FROM documents WHERE text LIKE '%{imprint}%' AND date > '2011-10-01'"
    ));
    assert_eq!(texts["texts"], 0);
    let row = job.row(&format!(
        "SELECT count(*) AS dates, sum(pages) AS pages, sum(site_pages) AS of, min(date) AS first, max(date) AS last \
         FROM site_blocks WHERE domain = 'tea.example' AND text = '{imprint}' AND slot LIKE 'footer%'"
    ));
    let expected = json!({
        "dates": 6, "pages": 48, "of": 48, "first": "2011-10-01", "last": "2011-10-06"
    });
    assert_eq!(row, expected);
    // Nothing of a single page.
    let of_one = "SELECT text FROM site_blocks WHERE text LIKE 'Tea number%' OR count < 2";
    assert_eq!(job.lines(of_one), Vec::<String>::new());
}

/// They decide nothing: the other tables are the same, and the two may begin with any date.
#[test]
fn optional_tables_change_no_other() {
    let without = Job::of(&articles());
    without.backfill(DATES);
    let with = Job::of(&articles());
    with.backfill("2011-10-01..2011-10-03");
    let with = with.with("output.write=links,site_blocks");
    with.backfill("2011-10-04..2011-10-06");
    for table in ["documents", "url_keys", "window_entries"] {
        let rows = format!("SELECT * FROM {table} ORDER BY fetched_at, url_key");
        assert_eq!(with.lines(&rows), without.lines(&rows), "{table}");
    }
    let dates =
        "SELECT DISTINCT date FROM links UNION SELECT DISTINCT date FROM site_blocks ORDER BY date";
    assert_eq!(with.rows(dates)[0], json!({"date": "2011-10-04"}));
}
