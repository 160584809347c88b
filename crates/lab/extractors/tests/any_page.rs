//! Every method on extreme pages: each gives a result, and the same one each time.

use extractors::{ExtractError, Extraction, Extractor, Page, Site, by_name, extractors};

/// Extracts a page from a site with two other pages.
fn extract(method: &dyn Extractor, html: &str) -> Result<Extraction, ExtractError> {
    let site = Site::new(vec![
        Page::new("http://a.example/1", "<p>shared"),
        Page::new("http://a.example/2", "<div><p>shared</div>"),
    ]);
    method.extract(&Page::new("http://a.example/", html), &site)
}

/// Methods with a learned model, which may drop an artificial text.
const LEARNED: [&str; 4] = ["ncleaner", "ncleaner-nonlexical", "mss", "v-wrapper"];

/// The methods whose rules keep a text that is all there is.
fn not_learned() -> impl Iterator<Item = &'static dyn Extractor> {
    let methods = extractors().iter().copied();
    methods.filter(|method| !LEARNED.contains(&method.name()))
}

#[test]
fn methods_are_found_by_their_distinct_names() {
    let mut names: Vec<&str> = extractors().iter().map(|method| method.name()).collect();
    for method in extractors() {
        assert!(!method.summary().is_empty() && method.reference().len() > 40);
        let found = by_name(method.name()).expect("its own name");
        assert_eq!(found.name(), method.name());
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 16);
    let error = by_name("readability")
        .map(|method| method.name())
        .expect_err("no such name");
    let message = error.to_string();
    assert!(names.iter().all(|name| message.contains(name)), "{message}");
}

#[test]
fn a_page_without_text_is_an_error() {
    let pages = [
        "",
        " \n\t ",
        "<html><head><title>Title</title></head></html>",
        "<body></body>",
        "<body><div><p> </p><img src=a.png></div>",
        "<script>var a = 'text';</script><style>p { color: red }</style><!-- text -->",
        "<noscript>text</noscript>",
    ];
    for html in pages {
        for method in extractors() {
            let found = extract(*method, html);
            assert_eq!(
                found,
                Err(ExtractError::NoText),
                "{} of {html:?}",
                method.name()
            );
        }
    }
}

#[test]
fn a_text_without_markup_is_kept() {
    let text = "A page may be nothing but a text. It is all there is.";
    for method in not_learned() {
        let found = extract(method, text).expect("there is text");
        assert_eq!(found.text, text, "{}", method.name());
        assert_eq!(found.words, 13, "{}", method.name());
    }
}

#[test]
fn degenerate_pages_give_a_result() {
    let n = 100_000;
    let pages = [
        "<div>".repeat(n) + "deep text",
        "<div><p>text".repeat(n / 4),
        "<b>".repeat(n) + "bold text",
        "<a href=/1>link text".repeat(n / 4),
        "<table><tr><td>".repeat(n / 4) + "cell text",
        "<ul><li>".repeat(n / 4) + "item text",
        "<select><option>".repeat(n / 4) + "option text",
        "<p><font color=red><i><b>text".repeat(n / 20),
        "<svg><g>".repeat(n / 4) + &"</g></svg>".repeat(n / 4) + "text",
        "text</p></div></b>".repeat(n / 4),
        "<p>line</p>\n".repeat(n / 4),
        "<script>".repeat(n / 4) + "</script>text",
        "text<!--".repeat(n / 4),
        "text &amp; < <".repeat(n / 4),
        "<plaintext><p>text".to_owned(),
        "\u{feff}<p>te\u{0}xt\u{2028}\u{202e}".to_owned(),
    ];
    for html in &pages {
        for method in extractors() {
            let shape: String = html.chars().take(20).collect();
            let found = extract(*method, html);
            let found =
                found.unwrap_or_else(|error| panic!("{} of {shape}: {error}", method.name()));
            let lines_are_clean = found.text.lines().all(|line| line.trim() == line);
            assert!(lines_are_clean && !found.text.contains("\n\n"), "{shape}");
        }
    }
}

#[test]
fn unfinished_markup_gives_a_result_or_no_text() {
    let pages = [
        "<p ".repeat(100_000) + ">text",
        "<![CDATA[".repeat(25_000) + "text",
        "<!--".repeat(25_000) + "text",
        "<frameset><frame>text".to_owned(),
    ];
    for html in &pages {
        for method in extractors() {
            if let Err(error) = extract(*method, html) {
                assert_eq!(error, ExtractError::NoText, "{}", method.name());
            }
        }
    }
}

#[test]
fn a_giant_text_is_one_block() {
    let giant = "words without end ".repeat(100_000);
    let html = format!("<ul><li><a href=/>Home</a></ul><div><p>{giant}</p></div>");
    for method in not_learned() {
        let found = extract(method, &html).expect("there is text");
        let longest = found.text.lines().map(str::len).max().unwrap_or(0);
        assert!(
            longest > giant.len() * 9 / 10,
            "{}: {longest}",
            method.name()
        );
    }
}

#[test]
fn extraction_is_deterministic() {
    let paragraph = "<p>Some sentence that is as long as others are, 12 <a href=/2>here</a>.";
    let html = format!(
        "<title>Some sentence</title><ul>{}</ul><div class=b>{}</div>",
        "<li><a href=/1>One</a>\n".repeat(10),
        paragraph.repeat(30)
    );
    for method in extractors() {
        let first = extract(*method, &html).expect("there is text");
        for _ in 0..3 {
            assert_eq!(
                extract(*method, &html).as_ref(),
                Ok(&first),
                "{}",
                method.name()
            );
        }
    }
}
