//! Labels of pages of other kinds than articles: threads, tickets, lists, endless scrolls.

use crate::sketch;

use sketch::{Sketch, SketchSite, prose};

/// A thread has its posts in elements named after comments, right below the title. An article
/// has its text there, and its comments below.
#[test]
fn comments_right_below_the_title_are_the_content() {
    let post = |n: usize| prose(&format!("post {n}"), 200);
    let thread = page![
        "Which tree falls first?",
        "div.head@>h1 | Which tree falls first?",
        "div.head@>p | by Oak",
        format!("div.thread@>div.comment>p | {}", post(1)),
        format!("div.thread@>div.comment>p | {}", post(2)),
        format!("div.thread@>div.comment>p | {}", post(3)),
    ];
    let kept = SketchSite::default().next(thread);
    assert_eq!(
        kept,
        ["Which tree falls first?", &post(1), &post(2), &post(3)]
    );
    let story = prose("the article", 60);
    let kept = SketchSite::default().next(page![
        "Which tree falls first?",
        "div.story@>h1 | Which tree falls first?",
        format!("div.story@>p | {story}"),
        format!("div.thread@>div.comment>p | {}", post(1)),
        format!("div.thread@>div.comment>p | {}", post(2)),
        format!("div.thread@>div.comment>p | {}", post(3)),
    ]);
    assert_eq!(kept, ["Which tree falls first?", &story]);
}

#[test]
fn comments_of_a_ticket_are_the_content() {
    let [report, answer] = ["the report", "the answer"].map(|text| prose(text, 120));
    let ticket = |class: &str| {
        SketchSite::default().next(page![
            "Trees fall",
            format!("div.{class}@>h1 | Trees fall"),
            format!("div.{class}@>div.text>p | {report}"),
            format!("div.{class}@>div.comment>p | {answer}"),
        ])
    };
    assert_eq!(ticket("ticket"), ["Trees fall", &report, &answer]);
    assert_eq!(ticket("story"), ["Trees fall", &report]);
}

/// The mass of a path is that of the heavier of two boxes. On earlier pages it had all the text.
#[test]
fn the_main_branch_ends_above_two_halves_of_one_path() {
    let mut site = SketchSite::default();
    for day in ["one", "two", "three", "four", "five"] {
        let story = prose(day, 400);
        let kept = site.next(page!["", format!("div.main@>div>p | {story}")]);
        assert_eq!(kept, [story]);
    }
    let [one, other] = ["the report", "the answer"].map(|text| prose(text, 200));
    let kept = site.next(page![
        "",
        format!("div.main@>div>p | {one}"),
        format!("div.main@>div>p | {other}"),
    ]);
    assert_eq!(kept, [one, other]);
}

/// A box at the path of the article shows the editors' choice, on several pages each.
#[test]
fn teasers_at_the_path_of_the_article_do_not_widen_the_main_branch() {
    let mut site = SketchSite::default();
    for day in 0..60 {
        let story = prose(&format!("day {day}"), 300);
        let choice = |n: usize| prose(&format!("choice {n} of week {}", day / 8), 80);
        let kept = site.next(page![
            "",
            format!("div.main@>div.text@1>p | {story}"),
            format!("div.main@>div.text@2>p | {}", choice(1)),
            format!("div.main@>div.text@3>p | {}", choice(2)),
        ]);
        if day >= 40 && day % 8 >= 2 {
            assert_eq!(kept, [story], "{day}");
        }
    }
}

/// An endless scroll appends other articles, in elements like that of the page's own article.
#[test]
fn other_articles_below_the_own_one_are_dropped() {
    let mut site = SketchSite::default();
    for day in 3..12 {
        let title = |day: usize| format!("What happened in the wood on day {day}");
        let story = |day: usize| prose(&format!("day {day}"), 300);
        let article = |day: usize| {
            [
                format!("main@>div.article@{day}>h1 | {}", title(day)),
                format!("main@>div.article@{day}>p | {}", story(day)),
            ]
        };
        let lines = [article(day), article(day - 1), article(day - 2)].concat();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let kept = site.next(Sketch::new(&title(day), &lines));
        if day > 8 {
            assert_eq!(kept, [title(day), story(day)], "{day}");
        }
    }
}

/// The posts of a thread are built alike and have headings, but no other page has their text.
#[test]
fn posts_with_headings_are_kept() {
    let mut site = SketchSite::default();
    for day in 1..12 {
        let title = format!("What happened in the wood on day {day}");
        let post = |n: usize| prose(&format!("post {n} of day {day}"), 300);
        let kept = site.next(page![
            title,
            format!("main@>div.post@1>h1 | {title}"),
            format!("main@>div.post@1>p | {}", post(1)),
            format!("main@>div.post@2>h1 | Re: {title}"),
            format!("main@>div.post@2>p | {}", post(2)),
        ]);
        assert_eq!(kept.contains(&post(2)), day >= 5, "{day}");
    }
}

/// Four authors write in turn: a name is on a quarter of the pages, which is not a repetition.
#[test]
fn names_that_return_on_many_pages_are_dropped() {
    let mut site = SketchSite::default();
    for day in 0..24_usize {
        let story = prose(&format!("day {day}"), 300);
        let author = ["Oak", "Elm", "Ash", "Yew"][day % 4];
        let kept = site.next(page![
            "",
            format!("div.story@>div.author | by {author}"),
            format!("div.story@>p | {story}"),
        ]);
        if day == 23 {
            assert_eq!(kept, [story]);
        }
    }
}

/// Each definition has labels that all pages have. A line of such labels alone is boilerplate.
#[test]
fn labels_in_a_list_with_other_text_are_kept() {
    let mut site = SketchSite::default();
    for day in 0..12_usize {
        let [story, seed, bark] =
            ["story", "seed", "bark"].map(|of| prose(&format!("{of} {day}"), 90));
        let kept = site.next(page![
            "",
            format!("div.story@>p | {story}"),
            "div.story@>dl@>dt | Seed",
            format!("div.story@>dl@>dd | {seed}"),
            "div.story@>dl@>dt | Bark",
            format!("div.story@>dl@>dd | {bark}"),
            "div.story@>ul@>li | Print this page",
            "div.story@>ul@>li | Send this page",
        ]);
        if day == 11 {
            assert_eq!(kept, [&story, "Seed", &seed, "Bark", &bark]);
        }
    }
}

/// The sections of a page have headers. The header of the page has the menu and a byline.
#[test]
fn headers_in_the_main_text_are_text() {
    let mut site = SketchSite::default();
    for day in 0..12_usize {
        let [seed, bark, lead] =
            ["seed", "bark", "lead"].map(|of| prose(&format!("{of} {day}"), 200));
        let kept = site.next(page![
            "",
            "header@>p | The Daily Tree",
            "div.page@>header@>p | by Oak",
            format!("div.page@>header@>p | {lead}"),
            format!("div.page@>section@1>header>h2 | Seeds of day {day}"),
            format!("div.page@>section@1>p | {seed}"),
            "div.page@>section@2>header>h2 | Bark",
            format!("div.page@>section@2>p | {bark}"),
        ]);
        if day > 5 {
            let seeds = format!("Seeds of day {day}");
            assert_eq!(kept, [&lead, &seeds, &seed, "Bark", &bark]);
        }
    }
}

#[test]
fn a_repeated_heading_is_kept_before_a_text_only() {
    let mut site = SketchSite::default();
    for day in 0..12_usize {
        let [story, seed] = ["story", "seed"].map(|of| prose(&format!("{of} {day}"), 200));
        let kept = site.next(page![
            "",
            format!("div.story@>p | {story}"),
            "div.story@>h2 | How to plant it",
            format!("div.story@>p | {seed}"),
            "div.story@>h2 | More of the wood",
            "div.story@>div.foot>p | Subscribe to our letters",
        ]);
        if day > 5 {
            assert_eq!(kept, [&story, "How to plant it", &seed]);
        }
    }
}

#[test]
fn labels_of_a_row_are_kept_beside_a_value() {
    let mut site = SketchSite::default();
    for day in 0..12_usize {
        let story = prose(&format!("tree {day}"), 200);
        let kept = site.next(page![
            "",
            format!("div.tree@>p | {story}"),
            "div.tree@>table@>tr@1>th | Height",
            format!("div.tree@>table@>tr@1>td | {day} metres"),
            "div.tree@>table@>tr@2>th | Price",
            "div.tree@>table@>tr@2>td | on request",
        ]);
        if day > 5 {
            assert_eq!(kept, [&story, "Height", &format!("{day} metres")]);
        }
    }
}

/// The labels of columns are the same on each page of a manual. A table that every page has is boilerplate.
#[test]
fn labels_of_columns_are_kept_above_their_cells() {
    let mut site = SketchSite::default();
    for day in 0..12_usize {
        let story = prose(&format!("story {day}"), 600);
        let [name, effect] = ["name", "effect"].map(|of| prose(&format!("{of} {day}"), 60));
        let kept = site.next(page![
            "",
            format!("div.tree@>p | {story}"),
            "div.tree@>table@1>thead@>tr@1>th | Setting",
            "div.tree@>table@1>thead@>tr@1>th | Effect",
            format!("div.tree@>table@1>tbody@>tr@2>td | {name}"),
            format!("div.tree@>table@1>tbody@>tr@2>td | {effect}"),
            "div.tree@>table@3>tr@3>th | Unit",
            "div.tree@>table@3>tr@4>td | Metre",
        ]);
        if day > 5 {
            assert_eq!(kept, [&story, "Setting", "Effect", &name, &effect]);
        }
    }
}

/// A list of links is the content of a page that has nothing else, and a menu beside a text.
#[test]
fn links_of_a_page_of_links_are_kept() {
    let trees = [
        "Oak of the north",
        "Elm of the hills",
        "Ash of the shore",
        "Yew of the graves",
    ];
    let list = |lead: &str| {
        SketchSite::default().next(page![
            "All trees of the wood",
            "div.menu@>ul@>li | [About us]",
            "div.main@>h1 | All trees of the wood",
            format!("div.main@>p | {lead}"),
            format!("div.main@>ul@>li | [{}]", trees[0]),
            format!("div.main@>ul@>li | [{}]", trees[1]),
            format!("div.main@>ul@>li | [{}]", trees[2]),
            format!("div.main@>ul@>li | [{}]", trees[3]),
        ])
    };
    assert_eq!(list("Four of them:")[2..], trees);
    let story = prose("trees", 200);
    assert_eq!(list(&story), ["All trees of the wood", &story]);
}

/// On a known site, links that no other page has are a part of the text.
#[test]
fn links_of_a_known_site_are_text_if_no_other_page_has_them() {
    let mut site = SketchSite::default();
    for day in 0..60_usize {
        let story = prose(&format!("day {day}"), 300);
        let kept = site.next(page![
            "",
            format!("div.story@>p | {story}"),
            format!("div.story@>div.links@>ul@>li | [The map of day {day}]"),
            format!(
                "div.story@>div.more@>ul@>li | [The story of day {}]",
                day / 5
            ),
        ]);
        if day > 55 {
            assert_eq!(kept, [story, format!("The map of day {day}")]);
        }
    }
}

/// The first sentences of an article are in the box of its title, and the main branch is another box.
#[test]
fn the_lead_between_the_title_and_the_main_branch_is_content() {
    let story = |class: &str, lead: &str| {
        SketchSite::default().next(page![
            "Which tree falls first?",
            "div.head@>h1 | Which tree falls first?",
            "div.head@>span | Oak, 5 May",
            format!("div.head@>div.{class}>p | {lead}"),
            format!("div.text@>p | {}", prose("the article", 900)),
        ])
    };
    let [lead, text] = [("the lead", 120), ("the article", 900)].map(|(name, n)| prose(name, n));
    let title = "Which tree falls first?";
    assert_eq!(story("first", &lead), [title, &lead, &text]);
    // Captions and questions for consent.
    assert_eq!(story("photo", &lead), [title, &text]);
    assert_eq!(story("cookie", &lead), [title, &text]);
}

/// A news page without elements of HTML 5: beside a short article are ratings with three times its text.
#[test]
fn sentences_lead_beside_longer_lists_on_a_page_without_elements_of_html_5() {
    let name = |n: usize| {
        format!(
            "{n} points, {} of the wood",
            "a speaker and envoy ".repeat(3)
        )
    };
    let names: Vec<String> = (0..30)
        .map(|n| format!("div.page@>div.side@>ul@>li | {}", name(n)))
        .collect();
    let [one, other] = [("the first half", 200), ("the rest", 250)].map(|(of, n)| prose(of, n));
    let kept = |title: &str, menu: &str, article: [&str; 2]| {
        let mut lines = vec![
            menu.to_owned(),
            "div.page@>div.head>p | Trees in the rain".to_owned(),
            format!("div.page@>{}>p | {one}", article[0]),
            format!("div.page@>{}>p | {other}", article[1]),
        ];
        lines.extend(names.clone());
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        SketchSite::default().next(Sketch::new(title, &lines))
    };
    let menu = "div.menu>p | [Trees]";
    assert_eq!(
        kept("", menu, ["div.news@"; 2]),
        [one.clone(), other.clone()]
    );
    // On a page that is divided by elements of HTML 5 the lists may be the main text.
    let lists = kept("", "nav@>footer>p | [Trees]", ["div.news@"; 2]);
    assert!(lists.contains(&name(3)), "{lists:?}");
}

/// The second post of a thread has three fifths of the sentences, and is not the main text.
#[test]
fn sentences_do_not_lead_to_one_of_equal_elements() {
    let [first, second] = [("the first post", 600), ("the second", 1000)];
    let [first, second] = [first, second].map(|(of, chars)| prose(of, chars));
    let kept = SketchSite::default().next(page![
        "",
        "div.menu>p | [Trees]",
        format!("div.page@>div.post@1>p | {first}"),
        format!("div.page@>div.post@2>p | {second}"),
    ]);
    assert_eq!(kept, [first, second]);
}

/// On a divided page of an unknown site, a short text between title and article is a summary.
#[test]
fn a_short_lead_is_content_only_on_a_known_site() {
    let mut site = SketchSite::default();
    for day in 1..8 {
        let title = format!("What happened on day {day}");
        let lead = prose(&format!("lead {day}"), 90);
        let text = prose(&format!("day {day}"), 900);
        let kept = site.next(page![
            title,
            format!("header@>h1 | {title}"),
            format!("header@>nav>p | Menu"),
            format!("div.head@>h1 | {title}"),
            format!("div.head@>div.first>p | {lead}"),
            format!("main@>p | {text}"),
        ]);
        assert_eq!(kept.contains(&lead), day >= 5, "{day}");
    }
}

/// Below its articles a site shows others: a linked heading and a sentence each. On the front page they
/// are the content.
#[test]
fn teasers_below_an_article_are_dropped() {
    let mut site = SketchSite::default();
    let teaser = |day: usize, n: usize| {
        [
            format!("div.page@>div.item@{n}>h3 | [What happened on day {day} in wood {n}]"),
            format!(
                "div.page@>div.item@{n}>div | {}",
                prose(&format!("wood {n} {day}"), 90)
            ),
        ]
    };
    for day in 1..12 {
        let text = prose(&format!("day {day}"), 400);
        let mut lines = vec![format!("div.page@>div.text@>p | {text}")];
        (1..4).for_each(|n| lines.extend(teaser(day, n)));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let kept = site.next(Sketch::new("", &lines));
        if day >= 5 {
            assert_eq!(kept, [text], "{day}");
        }
    }
    let lines: Vec<String> = (1..9).flat_map(|n| teaser(20, n)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let kept = site.next(Sketch::new("", &lines));
    // A page of them alone has their headings too.
    assert_eq!(kept.len(), 16, "{kept:?}");
}

/// An article can have comments of ten times its length.
#[test]
fn comments_with_most_of_the_text_are_boilerplate_below_an_article() {
    let story = prose("the article", 300);
    let kept = SketchSite::default().next(page![
        "Which tree falls first?",
        "div.story@>h1 | Which tree falls first?",
        format!("div.story@>p | {story}"),
        format!("div.commentDiv@>p | {}", prose("one", 2000)),
        format!("div.commentDiv@>p | {}", prose("two", 1000)),
    ]);
    assert_eq!(kept, ["Which tree falls first?", &story]);
}
