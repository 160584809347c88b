//! The links of a page as a list.

use html_blocks::{BlockOptions, page_with};
use markdown::{LinkReader, Links};
use proptest::prelude::*;

const PAGE: &str = "https://www.tea.example/tr/leaves/green.html?page=2";

/// The links of a page, and the texts of the blocks that they begin in.
fn read(html: &str) -> (Links, Vec<String>) {
    let options = BlockOptions::default();
    let (page, reader) =
        page_with(html.as_bytes(), None, &options, LinkReader::default()).expect("a page");
    let found = reader.finish(PAGE);
    let blocks = found.links.iter().map(|link| {
        let block = page.blocks.get(link.block);
        block.map_or_else(String::new, |block| block.text.clone())
    });
    let blocks = blocks.collect();
    (found, blocks)
}

/// Target and text of each link.
fn links(html: &str) -> Vec<(String, String)> {
    let (found, _) = read(html);
    let pair = |link: markdown::Link| (link.target, link.text);
    found.links.into_iter().map(pair).collect()
}

fn expected(links: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(target, text): &(&str, &str)| ((*target).to_owned(), (*text).to_owned());
    links.iter().map(owned).collect()
}

#[test]
fn links_are_absolute_and_have_their_texts() {
    let html = "<head><base href=/shop/></head><p>See <a href=leaf>the  <b>lea</b>f</a>, <a href='../user/238'>Ann</a>, \
                <a href='//cdn.example/x?a=1&amp;b=2'>a file</a>, <a href=mailto:ann@tea.example>mail</a>.";
    assert_eq!(
        links(html),
        expected(&[
            ("https://www.tea.example/shop/leaf", "the leaf"),
            ("https://www.tea.example/user/238", "Ann"),
            ("https://cdn.example/x?a=1&b=2", "a file"),
            ("mailto:ann@tea.example", "mail"),
        ])
    );
}

#[test]
fn links_that_lead_to_no_other_page_are_left_out() {
    let html = "<p><a href='javascript:x()'>a</a> <a href='#top'>b</a> <a name=c>c</a> <a href=''>d</a> \
                <a href='data:text/plain,e'>e</a> <a href=f>f</a>";
    let only = expected(&[("https://www.tea.example/tr/leaves/f", "f")]);
    assert_eq!(links(html), only);
}

#[test]
fn images_areas_code_and_icons_are_links_too() {
    let html = "<a href=/cup><img src=c.png alt='A cup'></a><pre>see <a href=/src>main.rs</a></pre>\
                <map><area href=/pot alt=Pot></map><a class=icon href=/feed></a><p>Tea";
    assert_eq!(
        links(html),
        expected(&[
            ("https://www.tea.example/cup", "A cup"),
            ("https://www.tea.example/src", "main.rs"),
            ("https://www.tea.example/pot", "Pot"),
            ("https://www.tea.example/feed", ""),
        ])
    );
}

#[test]
fn a_link_is_in_the_block_of_its_first_word() {
    let html = "<p>Menu</p><a href=/1><h2>Green tea</h2><p>Of spring</p></a><p>See <a href=/2>this</a>\
                <p>End <a href=/3></a>";
    let (found, blocks) = read(html);
    assert_eq!(blocks, ["Green tea", "See this", "End"]);
    assert_eq!(found.links[0].text, "Green tea Of spring");
}

#[test]
fn a_link_ends_at_the_next_one_and_with_the_element_around_it() {
    let html =
        "<p><a href=/1>one <a href=/2>two</a> three</p><div><a href=/3>four</div><p>five</p>";
    let texts: Vec<String> = links(html).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["one", "two", "four"]);
}

#[test]
fn a_hostile_page_has_at_most_ten_thousand_links_with_short_texts() {
    let many = format!("<p>{}", "<a href=/x>y</a> ".repeat(10_007));
    let (found, _) = read(&many);
    assert_eq!((found.links.len(), found.left_out), (10_000, 7));
    let long = format!("<a href=/x>{}</a>", "ü ".repeat(5000));
    let text = &links(&long)[0].1;
    assert!((990..=1000).contains(&text.len()), "{}", text.len());
    let address = format!("<a href='/{}'>x</a><p>y", "a".repeat(2048));
    assert_eq!(links(&address), []);
}

proptest! {
    /// Every link has an absolute address, and its text is one line.
    #[test]
    fn any_page_gives_links_with_addresses_and_one_line_of_text(
        parts in proptest::collection::vec(
            prop::sample::select(vec![
                "<a href=/x>", "</a>", "<p>", "</p>", "<div>", "</div>", " a ", "b\n", "<img alt='i j'>", "<br>",
                "<base href=/y>", "<area href=z alt=' q '>", "<a>", "<a href='javascript:1'>", "<h2>", "</h2>",
            ]),
            0..40,
        )
    ) {
        let html = format!("<p>x{}", parts.concat());
        let (found, _) = read(&html);
        for link in found.links {
            prop_assert!(link.target.starts_with("https://www.tea.example/"), "{}", link.target);
            let words: Vec<&str> = link.text.split_whitespace().collect();
            prop_assert_eq!(words.join(" "), link.text);
        }
    }
}
