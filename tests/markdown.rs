//! The column `markdown` of `documents`.

use serde_json::Value;

use crate::support::{Job, Row, paragraph, shared};

const DATES: &str = "2011-10-01..2011-10-06";

/// Articles of a site with a menu, whose text has structure.
fn articles() -> Vec<Row> {
    let article = |number: u64| {
        let (first, second) = (paragraph(2 * number), paragraph(2 * number + 1));
        let html = format!(
            "<title>Tea number {number}</title><body>\
             <nav><ul><li><a href=/>Home</a><li><a href=/all>All teas</a></ul></nav>\
             <main><h1>Tea number {number}</h1>\
             <p>{first} It is a <b>drink of {number}</b>, see <a href=/leaf/{number}>leaf {number}</a>.\
             <h2>How to make tea {number}</h2>\
             <ol><li>Boil {first}<li>Wait for <i>{second}</i></ol>\
             <p>{second}</main><footer><p>All rights of the tea house reserved</footer>"
        );
        let time = format!("2011-10-{:02}T12:00:00", 1 + number / 8);
        Row::page(&time, format!("http://www.tea.example/news/{number}"), html)
    };
    (0..48).map(article).collect()
}

fn markdown_of(job: &Job, number: u64) -> Option<String> {
    let sql = format!("SELECT markdown FROM documents WHERE url LIKE '%/{number}'");
    let row = job.row(&sql);
    row.get("markdown")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

#[test]
fn documents_have_their_content_as_markdown() {
    let job = Job::of(&articles()).with("output.write=markdown");
    job.backfill(DATES);
    let (first, second) = (paragraph(80), paragraph(81));
    let expected = format!(
        "# Tea number 40\n\n\
        {first} It is a **drink of 40**, see leaf 40.\n\n\
        ## How to make tea 40\n\n\
        1. Boil {first}\n\
        2. Wait for *{second}*\n\n\
        {second}\n"
    );
    assert_eq!(markdown_of(&job, 40).as_deref(), Some(&*expected));
    let job = job.with("output.markdown=links");
    job.backfill(DATES);
    let leaf = "[leaf 40](http://www.tea.example/leaf/40)";
    let expected = format!("{first} It is a drink of 40, see {leaf}.");
    let written = markdown_of(&job, 40).expect("Markdown");
    assert!(written.contains(&expected), "{written}");
}

/// It decides nothing: the tables are the same, and it may begin with any date.
#[test]
fn markdown_changes_no_other_column() {
    let without = Job::of(&articles());
    without.backfill(DATES);
    assert_eq!(markdown_of(&without, 40), None);
    let with = Job::of(&articles());
    with.backfill("2011-10-01..2011-10-03");
    let with = with.with("output.write=markdown");
    with.backfill("2011-10-04..2011-10-06");
    assert_eq!(markdown_of(&with, 4), None);
    assert!(markdown_of(&with, 40).is_some());
    let others = "SELECT * EXCEPT (markdown) FROM documents ORDER BY url";
    assert_eq!(with.lines(others), without.lines(others));
}

/// The text of such a page is not kept through the sorts, and it is parsed again when it is written.
#[test]
fn a_very_long_page_has_markdown() {
    let mut rows = articles();
    let items: String = (0..20_000)
        .map(|number| format!("<li>Item number {number}"))
        .collect();
    let html = format!("<title>All</title><h1>All teas</h1><ul>{items}</ul>");
    rows.push(Row::page(
        "2011-10-06T13:00:00",
        "http://www.tea.example/list/all",
        html,
    ));
    let job = Job::of(&rows).with("output.write=markdown");
    job.backfill(DATES);
    let row = job.row("SELECT markdown, warnings FROM documents WHERE url LIKE '%/all'");
    let written = row["markdown"].as_str().expect("Markdown");
    assert!(
        written.ends_with("- Item number 19998\n- Item number 19999\n"),
        "{row}"
    );
}

/// Real pages of many kinds: nothing fails, and no word of the text is lost.
#[test]
fn real_pages_keep_their_words() {
    let Some(crawl) = shared("data/warc") else {
        return;
    };
    let job = Job::new()
        .with("archive.layout=hive")
        .with("output.write=markdown");
    let imported = job.path("archive").display().to_string();
    let words = [
        "import",
        "warc",
        &crawl.display().to_string(),
        "--output",
        &imported,
    ];
    let finished = job.type_in(&words.map(str::to_owned));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let dates = job.row("SELECT min(fetched_at) AS first, max(fetched_at) AS last FROM archive");
    let day = |name: &str| dates[name].as_str().expect("a time")[..10].to_owned();
    job.backfill(&format!("{}..{}", day("first"), day("last")));
    let rows = job.rows("SELECT url, text, markdown, warnings FROM documents");
    assert!(rows.len() > 100, "{} pages", rows.len());
    let letters = |row: &Value, name: &str| -> String {
        let text = row[name].as_str().unwrap_or_default();
        text.chars()
            .filter(|letter| letter.is_alphanumeric())
            .collect()
    };
    for row in &rows {
        let (text, markdown) = (letters(row, "text"), letters(row, "markdown"));
        // Numbers of items are not in the text.
        assert!(markdown.len() >= text.len(), "{row}");
        assert!(
            !row["warnings"].to_string().contains("no_markdown"),
            "{row}"
        );
    }
}
