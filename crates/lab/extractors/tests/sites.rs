//! Methods that compare pages of a site, on a handmade site.

use extractors::{ExtractError, Extraction, Page, Scope, Site, by_name, extractors};

const STORIES: [&str; 6] = [
    "Assam",
    "Ceylon",
    "Darjeeling",
    "Keemun",
    "Oolong",
    "Sencha",
];

/// A page of the site: a menu, an article of three paragraphs, a line that other pages
/// do not have under a shared heading, and a footer.
fn html(story: &str) -> String {
    let menu: String = STORIES
        .iter()
        .map(|story| format!("<li><a href={story}>{story}</a></li>"))
        .collect();
    format!(
        "<body class=page-{story}><ul id=menu>{menu}</ul>
         <div id=content><h2>All about {story}</h2><p>{story} is a tea.</p>
         <p>It is from the region of {story}.</p><p>Share this page</p></div>
         <div id=side><h3>Today</h3><p>{story} of the day</p></div>
         <div id=foot><p>All rights reserved</p></div>"
    )
}

fn url(story: &str) -> String {
    format!("http://tea.example/p/{story}")
}

/// Extracts the page of the first story from a site with the first `count` stories.
fn extract(method: &str, count: usize) -> Result<Extraction, ExtractError> {
    let pages: Vec<(String, String)> = (STORIES[..count].iter())
        .map(|story| (url(story), html(story)))
        .collect();
    let site = Site::new(
        pages
            .iter()
            .map(|(url, html)| Page::new(url, html))
            .collect(),
    );
    let first = (url(STORIES[0]), html(STORIES[0]));
    let page = Page::new(&first.0, &first.1);
    by_name(method).expect("a method").extract(&page, &site)
}

#[test]
fn alarte_keeps_the_branch_with_most_new_nodes() {
    // The candidates are h2 and two paragraphs below content and one paragraph below side,
    // with their texts. content has 8 descendants, side has 4. The three candidates below
    // content are siblings, so content replaces them, with its shared line.
    let found = extract("alarte", 6).expect("an extraction");
    assert_eq!(
        found.text,
        "All about Assam\nAssam is a tea.\nIt is from the region of Assam.\nShare this page"
    );
    assert_eq!(found.nodes, Some(9));
    assert_eq!(found.words, 3 + 4 + 7 + 3);
}

#[test]
fn temex_keeps_nodes_that_are_not_template() {
    let found = extract("temex", 6).expect("an extraction");
    assert_eq!(
        found.text,
        "All about Assam\nAssam is a tea.\nIt is from the region of Assam.\nAssam of the day"
    );
    // One h2, three p, and four texts.
    assert_eq!(found.nodes, Some(8));
}

#[test]
fn temex_needs_two_pages_to_call_a_node_template() {
    // With two pages to compare with, both must have the node.
    let shared = "<div><p>Shared</p></div>";
    let own = "<div><p>Own</p></div>";
    let text = |others: [&str; 2]| {
        let site = Site::new(vec![
            Page::new("http://a.example/1", others[0]),
            Page::new("http://a.example/2", others[1]),
        ]);
        let page = Page::new("http://a.example/", shared);
        by_name("temex")
            .expect("a method")
            .extract(&page, &site)
            .expect("an extraction")
            .text
    };
    assert_eq!(text([shared, shared]), "");
    assert_eq!(text([shared, own]), "Shared");
}

#[test]
fn iwptd_drops_blocks_of_texts_that_are_on_five_pages() {
    // Every text of menu and foot is on all six pages. In content one text of four is, in
    // side one of two; these two blocks are kept whole.
    let found = extract("iwptd", 6).expect("an extraction");
    assert_eq!(
        found.text,
        "All about Assam\nAssam is a tea.\nIt is from the region of Assam.\nShare this page\n\
         Today\nAssam of the day"
    );
    // With four pages no text is on five.
    let found = extract("iwptd", 4).expect("an extraction");
    assert!(found.text.starts_with("Assam\nCeylon") && found.text.ends_with("reserved"));
}

#[test]
fn rtdm_td_keeps_nodes_that_are_not_mapped_in_all_pages() {
    let found = extract("rtdm-td", 6).expect("an extraction");
    assert_eq!(
        found.text,
        "All about Assam\nAssam is a tea.\nIt is from the region of Assam.\nAssam of the day"
    );
    // The elements around the four texts are mapped: they have equal names.
    assert_eq!(found.nodes, Some(4));
}

#[test]
fn rbmtd_keeps_nodes_whose_subtree_is_not_in_all_pages() {
    let found = extract("rbmtd", 6).expect("an extraction");
    assert_eq!(
        found.text,
        "All about Assam\nAssam is a tea.\nIt is from the region of Assam.\nAssam of the day"
    );
    // The four texts, an h2 and three p, and the content, side and body around them.
    assert_eq!(found.nodes, Some(4 + 4 + 3));
}

#[test]
fn sst_keeps_leaves_whose_words_differ() {
    // On six pages, a word of all has entropy 1 and the name of each story 0. `All about Assam`
    // has two such words beside six names, so its importance is 1 - 2/8 = .75. `Assam is a tea`
    // and `Assam of the day` have 1 - 3/9 = .67, and `It is from the region of Assam` has
    // 1 - 6/12 = .5. The rest has 0.
    let found = extract("sst", 6).expect("an extraction");
    assert_eq!(
        found.text,
        "All about Assam\nAssam is a tea.\nIt is from the region of Assam.\nAssam of the day"
    );
    let text = |threshold: &str| {
        let pages: Vec<(String, String)> = STORIES.map(|story| (url(story), html(story))).into();
        let site = Site::new(pages.iter().map(|(u, h)| Page::new(u, h)).collect());
        let sst = extractors::select_one(&format!("sst:threshold={threshold}"));
        let sst = sst.expect("an extractor with an option");
        let page = Page::new(&pages[0].0, &pages[0].1);
        (sst.extractor().extract(&page, &site))
            .expect("an extraction")
            .text
    };
    assert_eq!(text("0.49"), found.text);
    assert!(!text("0.51").contains("from the region"));
    assert_eq!(text("0.7"), "All about Assam");
    assert_eq!(text("1"), "");
}

#[test]
fn options_change_the_pages_and_what_may_be_repeated() {
    // Half of the site has the line, so the choice of pages decides whether it is template.
    let story = |line: &str, story: &str| {
        html(story).replace(
            "Share this page",
            if line.is_empty() { story } else { line },
        )
    };
    let pages: Vec<(String, String)> = (STORIES.iter().enumerate())
        .map(|(at, name)| (url(name), story(["Share", ""][at % 2], name)))
        .collect();
    let site = Site::new(pages.iter().map(|(u, h)| Page::new(u, h)).collect());
    let page = Page::new(&pages[0].0, &pages[0].1);
    let text = |name: &str| {
        let selected = extractors::select_one(name).expect("an extractor with options");
        (selected.extractor().extract(&page, &site))
            .expect("an extraction")
            .text
    };
    // Of the pages in the order of links (Ceylon, Darjeeling, ...), the second has the line.
    assert!(text("temex:pages=1,threshold=1").contains("Share"));
    assert!(!text("temex:pages=2,threshold=1").contains("Share"));
    assert!(text("temex:pages=4,threshold=3").contains("Share"));
    // With random pages, it depends on the seed.
    let by_seed: Vec<bool> = (0..20)
        .map(|seed| {
            text(&format!(
                "temex:pages=1,threshold=1,choice=random,seed={seed}"
            ))
        })
        .map(|text| text.contains("Share"))
        .collect();
    assert!(
        by_seed.contains(&true) && by_seed.contains(&false),
        "{by_seed:?}"
    );
}

#[test]
fn the_extracted_page_counts_among_the_pages_of_a_text() {
    let pages: Vec<(String, String)> = (STORIES[1..5].iter())
        .map(|story| (url(story), html(story)))
        .collect();
    let site = Site::new(
        pages
            .iter()
            .map(|(url, html)| Page::new(url, html))
            .collect(),
    );
    let html = html(STORIES[0]);
    let url = url(STORIES[0]);
    let page = Page::new(&url, &html);
    // Four pages of the site, and the page itself.
    let found = by_name("iwptd").expect("a method").extract(&page, &site);
    assert!(found.expect("an extraction").text.starts_with("All about"));
}

#[test]
fn methods_for_a_site_need_another_page_and_a_url() {
    let methods: Vec<_> = extractors()
        .iter()
        .filter(|method| method.scope() == Scope::Site)
        .collect();
    assert_eq!(methods.len(), 6);
    for method in methods {
        let html = html(STORIES[0]);
        let url = url(STORIES[0]);
        let alone = Site::new(vec![Page::new(&url, &html)]);
        let found = method.extract(&Page::new(&url, &html), &alone);
        assert_eq!(
            found,
            Err(ExtractError::NoOtherPages {
                method: method.name(),
                host: "tea.example".to_owned(),
            })
        );
        let found = method.extract(&Page::new("no url", &html), &alone);
        assert!(matches!(found, Err(ExtractError::Url { url, .. }) if url == "no url"));
    }
}
