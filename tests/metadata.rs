//! Metadata of pages and the language of their texts, in `documents`.

use serde_json::Value;

use crate::support::{Job, Row, paragraph, shared, skip};

const DATES: &str = "2011-10-01..2011-10-06";

/// Articles of a site. They say when and by whom they were written.
fn articles() -> Vec<Row> {
    let article = |number: u64| {
        let day = 1 + number / 8;
        let html = format!(
            "<html lang=de><title>Tea number {number}</title>\
             <meta property=og:site_name content='Tea Times'>\
             <meta name=description content='About tea {number}.'>\
             <link rel=canonical href=/tea/{number}>\
             <meta property=og:image content=http://www.tea.example/{number}.png>\
             <script type=application/ld+json>{{\"@type\": \"NewsArticle\", \
             \"datePublished\": \"2011-09-{:02}T10:00:00+02:00\", \
             \"dateModified\": \"2011-10-{day:02}T08:30:00Z\", \
             \"author\": {{\"name\": \"Ann Leaf\"}}}}</script>\
             <body><nav><a href=/>Home</a></nav>\
             <main><h1>Tea number {number}</h1><p>Der Tee Nummer {number} ist heute kalt, und niemand in dem \
             Haus will ihn noch trinken, weil es schon Abend ist. {}</main>\
             <footer><a rel=license href=//creativecommons.org/licenses/by-sa/4.0/>Lizenz</a></footer>",
            1 + number % 30,
            paragraph(number),
        );
        let time = format!("2011-10-{day:02}T12:00:00");
        Row::page(&time, format!("http://www.tea.example/news/{number}"), html)
    };
    (0..48).map(article).collect()
}

fn document(job: &Job, number: u64) -> Value {
    let columns = "published_at, published_at_source, modified_at, author, author_source, site_name, \
         site_name_source, description, canonical_url, canonical_url_source, image, licence, \
         licence_source, html_lang, language";
    job.row(&format!(
        "SELECT {columns} FROM documents WHERE url LIKE '%/{number}'"
    ))
}

#[test]
fn documents_have_what_their_pages_say_with_its_source() {
    let job = Job::of(&articles()).with("output.write=metadata");
    job.backfill(DATES);
    let said = document(&job, 40);
    for (column, expected) in [
        // In UTC.
        ("published_at", "2011-09-11T08:00:00Z"),
        ("published_at_source", "json_ld"),
        ("modified_at", "2011-10-06T08:30:00Z"),
        ("author", "Ann Leaf"),
        ("author_source", "json_ld"),
        ("site_name", "Tea Times"),
        ("site_name_source", "open_graph"),
        ("description", "About tea 40."),
        ("canonical_url", "http://www.tea.example/tea/40"),
        ("canonical_url_source", "link"),
        ("image", "http://www.tea.example/40.png"),
        ("licence", "CC-BY-SA-4.0"),
        ("licence_source", "link"),
        ("html_lang", "de"),
    ] {
        assert_eq!(said[column], expected, "{column}: {said}");
    }
    assert_eq!(said["language"], Value::Null);
}

/// They decide nothing: the other columns are the same, and they may begin with any date.
#[test]
fn metadata_and_language_change_no_other_column() {
    let without = Job::of(&articles());
    without.backfill(DATES);
    assert_eq!(document(&without, 40), serde_json::json!({}));
    let with = Job::of(&articles());
    with.backfill("2011-10-01..2011-10-03");
    let with = with.with("output.write=metadata,language");
    with.backfill("2011-10-04..2011-10-06");
    assert_eq!(document(&with, 4), serde_json::json!({}));
    assert_eq!(document(&with, 40)["author"], "Ann Leaf");
    let columns = "date, url, status, title, text, blocks, content_blocks, support, node, warnings";
    let others = format!("SELECT {columns} FROM documents ORDER BY url");
    assert_eq!(with.lines(&others), without.lines(&others));
}

/// A thread of a forum, as old software writes it.
fn thread(number: u64) -> Row {
    let posts = (0..8).map(|post| {
        format!(
            "<li class=post><div class=author><a href=/user/{post}>reader{post}</a> <span class=date>2011-10-0{post}</span></div>\
             <div class=message><p>Re: tea {number}. {}</p></div><div class=buttons><a href=/reply>Reply</a> <a href=/quote>Quote</a></div>",
            paragraph(number * 100 + post)
        )
    });
    let html = format!(
        "<title>Tea {number} - Forum</title><body><ul class=menu><li><a href=/>Forum</a><li><a href=/login>Log in</a></ul>\
         <h1>Tea {number}</h1><ol class='posts thread'>{}</ol><p><a href=/reply>Post reply</a>",
        posts.collect::<String>()
    );
    let url = format!("http://forum.cups.example/viewtopic/{number}");
    Row::page("2011-10-02T12:00:00", url, html)
}

/// A story with a menu, as a newspaper writes it.
fn story(number: u64) -> Row {
    let menu: String = (0..24)
        .map(|at| format!("<li><a href=/section/{at}>Section {at}</a>"))
        .collect();
    let paragraphs = (0..9).map(|at| format!("<p>{}</p>", paragraph(number * 10 + at)));
    let html = format!(
        "<title>Tea number {number} - Tea Times</title><meta property=og:type content=article><body>\
         <header><nav><ul>{menu}</ul></nav></header><main><article><h1>Tea number {number}</h1>\
         <p class=byline>By Ann Leaf, 4 October 2011</p>{}</article></main>\
         <aside><h2>Most read</h2><ul><li><a href=/1>A kettle whistles</a><li><a href=/2>A cup breaks</a></ul></aside>\
         <footer><p>© Tea Times</p></footer>",
        paragraphs.collect::<String>()
    );
    let url = format!("http://www.times.example/news/{number}");
    Row::page("2011-10-03T12:00:00", url, html)
}

/// On sites that are known, where the prior labels nothing.
#[test]
fn pages_have_their_kind_and_how_likely_it_is() {
    let rows: Vec<Row> = (0..24).map(thread).chain((0..48).map(story)).collect();
    let job = Job::of(&rows).with("output.write=page_kind");
    job.backfill(DATES);
    let kinds = job.rows(
        "SELECT domain, page_kind, count(*) AS pages, min(page_kind_score) AS least FROM documents GROUP BY 1, 2 ORDER BY 1",
    );
    let [forum, stories] = &kinds[..] else {
        panic!("{kinds:?}");
    };
    assert_eq!(
        (&forum["page_kind"], &forum["pages"]),
        (&"forum".into(), &24.into())
    );
    assert_eq!(
        (&stories["page_kind"], &stories["pages"]),
        (&"article".into(), &48.into())
    );
    for row in &kinds {
        assert!(
            (Some(0.5)..=Some(1.0)).contains(&row["least"].as_f64()),
            "{row}"
        );
    }
    let without = Job::of(&rows);
    without.backfill(DATES);
    assert_eq!(
        without.row("SELECT count(page_kind) AS n FROM documents")["n"],
        0
    );
    let texts = "SELECT url, text FROM documents ORDER BY url";
    assert_eq!(job.lines(texts), without.lines(texts));
}

/// A page whose text is not kept through the sorts is parsed again when it is written.
#[test]
fn a_very_long_page_has_metadata_and_a_language() {
    let mut rows = articles();
    let text =
        "Der Tee ist heute kalt, und niemand in dem Haus will ihn noch trinken. ".repeat(6000);
    let html = format!("<meta name=author content='Ann Leaf'><title>All</title><p>{text}");
    let url = "http://www.tea.example/list/all";
    rows.push(Row::page("2011-10-06T13:00:00", url, html));
    let job = Job::of(&rows).with("output.write=metadata,language");
    job.backfill(DATES);
    let row =
        job.row("SELECT author, language, language_label, language_score FROM documents WHERE url LIKE '%/all'");
    assert_eq!(
        (&row["author"], &row["language"]),
        (&"Ann Leaf".into(), &"de".into()),
        "{row}"
    );
    assert_eq!(row["language_label"], "deu_Latn");
    assert!(row["language_score"].as_f64() > Some(0.5), "{row}");
}

/// Sites whose pages have no values for machines, and whose fetch times are those of the publication.
#[test]
fn tickets_and_a_forum_have_the_dates_of_their_first_posts() {
    for site in ["ckantrac", "compforum"] {
        let Some(archive) = shared(&format!("data/field/sites/{site}.parquet")) else {
            return skip(format!("data/field/sites/{site}.parquet"));
        };
        let job = Job::new()
            .reading(&archive)
            .with("output.partition=year")
            .with("output.write=metadata");
        job.run("2005-01-01..2014-12-31");
        let days = "abs(date_part('epoch', published_at) - date_part('epoch', fetched_at)) / 86400";
        let row = job.row(&format!(
            "SELECT count(*) AS pages, count(*) FILTER (WHERE {days} < 1.5) AS right FROM documents"
        ));
        let count = |name: &str| row[name].as_i64().unwrap_or_default();
        assert!(count("pages") >= 500, "{site}: {row}");
        assert_eq!(count("right"), count("pages"), "{site}");
    }
}
