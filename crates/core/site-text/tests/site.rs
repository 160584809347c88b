//! A site that learns from invented pages.

use std::sync::Arc;

use markdown::MarkdownOptions;
use site_replay::Batching;
use site_text::{Fetched, PageText, Reason, Site, SiteError, SiteSettings, Status, extract_page};
use template::marks::MarkFile;
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

const DAY: i64 = 86_400_000_000;

fn settings() -> SiteSettings {
    let keyer = Keyer::new(
        KeyOptions::default(),
        RuleSet::empty(),
        Blocklist::default(),
    );
    SiteSettings::new(keyer.expect("default options"))
}

fn site() -> Site {
    Site::new(Arc::new(settings()))
}

/// A page with a menu, a story in words that no other story has, a table and a comment.
fn story(number: i64) -> String {
    // Digits do not tell blocks apart.
    let letter = |of: i64| char::from(b'a' + u8::try_from(of % 26).expect("a letter"));
    let word = |place: i64| format!("tea{}{}", letter(number), letter(place));
    let words: Vec<String> = (0..26).map(word).collect();
    format!(
        "<title>Story {number}</title><ul class=menu><li><a href=/>Home</a><li>Tea Times of the town</ul>
         <div class=story><h1>Story {number}</h1><p>{}.<p>The guests of {number}, {}.
         <table><tr><td>Cups {number}<td>{number}</table></div>
         <div class=comments><p>Reader {number}: what a fine tea house that is.</div>",
        words[..20].join(" "),
        words[10..].join(" "),
    )
}

fn url(number: i64) -> String {
    format!("http://www.tea.example/stories/{number}")
}

fn page<'a>(url: &'a str, html: &'a str, fetched_at: i64) -> Fetched<'a> {
    Fetched {
        url,
        html: Some(html.as_bytes()),
        charset: None,
        title: None,
        fetched_at: Some(fetched_at),
    }
}

/// Calls `each` with the stories of `days`, one per day.
fn stories(days: std::ops::Range<i64>, mut each: impl FnMut(&Fetched<'_>)) {
    for day in days {
        each(&page(&url(day), &story(day), day * DAY));
    }
}

fn reasons(page: &PageText) -> Vec<Reason> {
    page.blocks.iter().map(|block| block.reason).collect()
}

#[test]
fn a_page_that_was_added_is_labelled_by_all_later_pages_too() {
    let (mut online, mut added) = (site(), site());
    let mut first = None;
    stories(1..12, |fetched| {
        let page = online.extract(fetched).expect("the pages are in order");
        assert_eq!(page.status, Status::Unique);
        first.get_or_insert(page);
        let status = added.add(fetched).expect("the pages are in order");
        assert_eq!(status, Status::Unique);
    });
    let again = added.extract(&page(&url(1), &story(1), DAY));
    let again = again.expect("a page that is known may be older");
    assert_eq!((again.status, again.support), (Status::Known, 11));
    assert_eq!(again.duplicate_of, None);
    let first = first.expect("a first page");
    assert_eq!((first.status, first.support), (Status::Unique, 1));
    // The menu is on all pages: the site knows that now, and did not when the page came.
    let menu = |page: &PageText| page.blocks[1].count;
    assert_eq!((menu(&first), menu(&again)), (1, 11));
    assert!(again.text().contains("\nteaba teabb"), "{}", again.text());
}

#[test]
fn marked_paths_have_the_labels_of_their_marks() {
    let text = "tea.example\tdiv.comments\tcontent\ntea.example\tdiv.story>table\tboilerplate\n";
    let file = MarkFile::parse(text, |domain| Some(domain.to_owned())).expect("a file of marks");
    let mut marked = settings();
    marked.marks = Arc::new(file.marks());
    let (mut plain, mut marked) = (site(), Site::new(Arc::new(marked)));
    stories(1..12, |fetched| {
        let before = plain.extract(fetched).expect("the pages are in order");
        let after = marked.extract(fetched).expect("the pages are in order");
        for (before, after) in before.blocks.iter().zip(&after.blocks) {
            let expected = match &*after.dom_path {
                path if path.starts_with("div.comments") => Reason::MarkedContent,
                path if path.starts_with("div.story>table") => Reason::MarkedBoilerplate,
                _ => before.reason,
            };
            assert_eq!(after.reason, expected, "{}", after.dom_path);
        }
        assert!(
            after.text().contains("what a fine tea house"),
            "{}",
            after.text()
        );
        assert!(!after.text().contains("Cups"), "{}", after.text());
    });
    let html = story(1);
    let elsewhere = page("http://www.coffee.example/1", &html, DAY);
    let mut other = settings();
    other.marks = Arc::new(file.marks());
    let other = Site::new(Arc::new(other))
        .extract(&elsewhere)
        .expect("a page");
    assert!(!reasons(&other).contains(&Reason::MarkedContent));
}

#[test]
fn pushed_pages_wait_for_the_last_page_of_their_day() {
    let mut site = site();
    let (urls, htmls): (Vec<_>, Vec<_>) =
        (1..=4).map(|number| (url(number), story(number))).unzip();
    let mut push = |number: usize, time| {
        let pages = site.push(&page(&urls[number - 1], &htmls[number - 1], time));
        let pages = pages.expect("the pages are in order");
        let of = pages.iter().map(|page| (page.id.url.clone(), page.support));
        of.collect::<Vec<_>>()
    };
    assert_eq!(push(1, 0), []);
    assert_eq!(push(2, 5), []);
    assert_eq!(push(3, DAY), [(url(1), 2), (url(2), 2)]);
    assert_eq!(push(4, DAY), []);
    let refused = site.add(&page(&urls[0], &htmls[0], 2 * DAY));
    assert_eq!(refused, Err(SiteError::Waiting(2)));
    let rest = site.finish();
    assert_eq!(rest.len(), 2);
    assert!(rest.iter().all(|page| page.support == 4));
    assert!(site.add(&page(&urls[0], &htmls[0], 2 * DAY)).is_ok());
}

#[test]
fn other_domains_and_older_pages_are_refused_and_change_nothing() {
    let mut site = site();
    stories(5..8, |fetched| assert!(site.add(fetched).is_ok()));
    let html = story(1);
    let error = site
        .add(&page("http://milk.example/1", &html, 9 * DAY))
        .expect_err("another domain");
    assert!(matches!(error, SiteError::OtherDomain { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("milk.example") && text.contains("tea.example"),
        "{text}"
    );
    let error = site
        .add(&page(&url(1), &html, DAY))
        .expect_err("an older page");
    let text = error.to_string();
    assert!(
        text.contains("1970-01-02T00:00:00+00:00") && text.contains("1970-01-08"),
        "{text}"
    );
    let error = site
        .extract(&page(&url(1), &html, DAY))
        .expect_err("an older page that is unknown");
    assert!(matches!(error, SiteError::Order { .. }), "{error}");
    let seen = site
        .look(&page(&url(1), &html, DAY))
        .expect("a look needs no order");
    assert_eq!((seen.status, seen.support), (Status::NotAdded, 3));
    assert_eq!(site.domain(), Some("tea.example"));
}

#[test]
fn a_duplicate_is_labelled_and_not_counted() {
    let mut site = site();
    stories(1..6, |fetched| assert!(site.add(fetched).is_ok()));
    let html = story(5).replace("guests", "people");
    let copy = site
        .extract(&page(&url(5), &html, 6 * DAY))
        .expect("in order");
    assert_eq!((copy.status, copy.support), (Status::Duplicate, 5));
    let first = copy.duplicate_of.as_ref().expect("the first page");
    assert_eq!(
        (first.url.as_str(), first.fetched_at),
        (&*url(5), Some(5 * DAY))
    );
    assert!(copy.text().contains("people"), "{}", copy.text());
}

#[test]
fn a_page_without_text_gives_way_to_a_later_copy() {
    let mut site = site();
    assert_eq!(
        site.add(&page(&url(1), "\0\u{1}\u{2}\0\0\0", 0)),
        Ok(Status::Quarantined)
    );
    let address = url(1);
    let missing = Fetched {
        html: None,
        ..page(&address, "", 0)
    };
    assert_eq!(site.add(&missing), Ok(Status::Quarantined));
    assert_eq!(site.add(&page(&url(1), &story(1), DAY)), Ok(Status::Unique));
    let wrong = site
        .extract(&page("not a url", &story(1), DAY))
        .expect("no error");
    assert_eq!(wrong.status, Status::Quarantined);
    assert!(
        wrong
            .problem
            .is_some_and(|problem| problem.contains("not a URL"))
    );
    assert_eq!(wrong.blocks, []);
}

#[test]
fn a_revision_adds_its_unseen_text() {
    let mut settings = settings();
    settings.revisions = true;
    settings.batching = Batching::Page;
    let mut site = Site::new(Arc::new(settings));
    stories(1..6, |fetched| assert!(site.add(fetched).is_ok()));
    let news = format!(
        "{}<p>{}</p>",
        story(5),
        "The tea house closes again. ".repeat(9)
    );
    let revised = site
        .extract(&page(&url(5), &news, 6 * DAY))
        .expect("in order");
    assert_eq!(revised.status, Status::Revision);
    let same = site
        .extract(&page(&url(5), &news, 6 * DAY))
        .expect("in order");
    assert_eq!(same.status, Status::Duplicate);
}

#[test]
fn a_look_at_a_site_without_pages_is_the_first_page() {
    let site = site();
    let html = story(1);
    let seen = site.look(&page(&url(1), &html, DAY)).expect("a page");
    assert_eq!((seen.status, seen.support), (Status::NotAdded, 0));
    assert_eq!(site.domain(), None);
}

#[test]
fn one_page_has_the_labels_of_the_first_page_of_a_site() {
    let html = story(3);
    let alone = extract_page(html.as_bytes(), None, None, None, &settings().blocks);
    let alone = alone.expect("a page");
    let first = site().extract(&page(&url(3), &html, 0)).expect("a page");
    assert_eq!(reasons(&alone), reasons(&first));
    assert_eq!(alone.text(), first.text());
    assert_eq!(alone.title.as_deref(), Some("Story 3"));
    assert!(extract_page(b"", None, None, None, &settings().blocks).is_err());
}

#[test]
fn links_in_markdown_are_absolute_if_the_page_has_an_address() {
    let html = "<base href=/shop/><p>The kettle of the house is older than its owner, as \
                <a href=guests>guests</a> of the tea house say each year.</p>";
    let options = MarkdownOptions::default().with_links(true);
    for (url, link) in [
        (
            Some("http://tea.example/a/b"),
            "[guests](http://tea.example/shop/guests)",
        ),
        (None, "[guests](guests)"),
    ] {
        let alone = extract_page(html.as_bytes(), url, None, None, &settings().blocks);
        let written = alone.expect("a page").markdown_of(&options, |_| true);
        let written = written.expect("Markdown");
        assert!(written.contains(link), "{written}");
    }
}

/// A line above each entry that differs in figures only is the dateline of a list of entries, and not the
/// heading of the text below it.
#[test]
fn a_line_above_every_entry_with_other_figures_is_no_heading_of_a_text() {
    let mut site = site();
    for number in 0..12 {
        let letter = |of: i64| char::from(b'a' + u8::try_from(of % 26).expect("a letter"));
        let entry = |entry: i64| {
            let words: Vec<String> = (0..30)
                .map(|word| format!("tea{}{}{}", letter(number), letter(entry), letter(word)))
                .collect();
            format!(
                "<h3>Changed {} years ago by Ann</h3><p>{}.</p>",
                entry + 1,
                words.join(" ")
            )
        };
        let html = format!("<div>{}{}{}</div>", entry(0), entry(1), entry(2));
        let address = url(number);
        let page = site.extract(&page(&address, &html, number * DAY));
        let text = page.expect("a page").text();
        if number > 5 {
            assert!(!text.contains("Changed"), "{text}");
            assert_eq!(text.lines().count(), 3, "{text}");
        }
    }
}

/// The hash of a block has letters only, so the sentences of a daily report repeat.
#[test]
fn a_daily_report_has_its_sentences_on_a_known_site() {
    let mut site = site();
    for number in 0..30 {
        let sentence = |figure: i64| {
            format!(
                "The wind at the pier came from the west, with {figure} knots at noon, and the sea was calm."
            )
        };
        let html = format!(
            "<title>Report</title><div class=menu><p>Home and weather</div><div class=report><p>{}<p>{}</div>
             <footer><p>Gazette of the harbour, 12 Pier Road, all rights reserved since 1997, no warranty given.</footer>",
            sentence(number + 3),
            sentence(number * 7 + 1),
        );
        let address = url(number);
        let page = site.extract(&page(&address, &html, number * DAY));
        let text = page.expect("a page").text();
        let expected = [sentence(number + 3), sentence(number * 7 + 1)].join("\n");
        if number > 12 {
            assert!(text.contains(&expected), "{number}: {text}");
            assert!(!text.contains("rights"), "{number}: {text}");
        }
    }
}

#[test]
fn a_page_that_goes_to_another_process_keeps_its_texts_and_labels() {
    let mut site = site();
    let mut pages = Vec::new();
    stories(0..8, |page| {
        pages.push(site.extract(page).expect("in order"))
    });
    let address = format!("{}?utm_source=mail", url(7));
    let copy = story(7);
    pages.push(
        site.extract(&page(&address, &copy, 8 * DAY))
            .expect("in order"),
    );
    assert_eq!(pages[8].status, Status::Duplicate);
    let options = MarkdownOptions::default().with_links(true);
    for page in pages {
        let sent = serde_json::to_string(&page).expect("a text");
        let got: PageText = serde_json::from_str(&sent).expect("a page");
        assert_eq!((got.text(), &got.blocks), (page.text(), &page.blocks));
        assert_eq!(got.markdown(&options), page.markdown(&options));
        assert_eq!(got.metadata, page.metadata);
        assert_eq!(
            (got.status, &got.duplicate_of),
            (page.status, &page.duplicate_of)
        );
        assert_eq!(serde_json::to_string(&got).expect("a text"), sent);
        let unknown = sent.replacen("off_main_branch", "off_the_map", 1);
        assert!(serde_json::from_str::<PageText>(&unknown).is_err());
    }
}
