//! Charts with hostile names: they are well-formed, have no markup from a name, and
//! nothing is drawn outside of them.

use std::collections::BTreeSet;

use charts::{
    BINS, BoundaryCases, CaseCounts, Curves, Distribution, Distributions, DocumentAxis, Duplicates,
    Line, Mean, MeanScore, MeanScores, Step,
};
use proptest::prelude::*;
use roxmltree::{Document, Node};

/// A chart of each kind with the same names.
fn charts(title: &str, names: &[&str]) -> [String; 6] {
    let curves = |axis| Curves {
        title,
        axis,
        lines: names
            .iter()
            .enumerate()
            .map(|(index, name)| Line {
                name,
                points: vec![(1, 0.1), (20 + index, 0.9), (20_000, 0.8)],
                final_score: Some(0.8),
            })
            .collect(),
    };
    let duplicates = Duplicates {
        title,
        documents: 1_000_000,
        steps: names
            .iter()
            .map(|name| Step {
                name,
                duplicates: 1000,
            })
            .collect(),
    };
    let mean = Mean {
        mean: 0.9,
        standard_deviation: 0.2,
    };
    let means = MeanScores {
        title,
        extractors: names
            .iter()
            .map(|name| MeanScore {
                name,
                precision: mean,
                recall: mean,
                f1: mean,
            })
            .collect(),
    };
    let distributions = Distributions {
        title,
        extractors: names
            .iter()
            .map(|name| Distribution {
                name,
                precision: [10_000; BINS],
                recall: [1; BINS],
                f1: [0; BINS],
            })
            .collect(),
    };
    let cases = BoundaryCases {
        title,
        extractors: names
            .iter()
            .map(|name| CaseCounts {
                name,
                pages: [100_000, 0, 0, 1, 0, 0, 0],
            })
            .collect(),
    };
    [
        curves(DocumentAxis::Linear).to_svg().expect("scores"),
        curves(DocumentAxis::Logarithmic).to_svg().expect("scores"),
        duplicates.to_svg().expect("few duplicates"),
        means.to_svg().expect("scores"),
        distributions.to_svg(),
        cases.to_svg(),
    ]
}

/// The allowed elements: none can run, load or style anything.
const ELEMENTS: [&str; 9] = [
    "circle", "desc", "g", "line", "path", "rect", "svg", "text", "title",
];
/// The allowed attributes: none can refer to anything or be referred to.
const ATTRIBUTES: [&str; 23] = [
    "cx",
    "cy",
    "d",
    "fill",
    "font-family",
    "font-size",
    "font-weight",
    "height",
    "r",
    "role",
    "stroke",
    "stroke-dasharray",
    "stroke-linejoin",
    "stroke-width",
    "text-anchor",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// Checks all elements of a chart, and returns their number.
fn checked_elements(svg: &str) -> usize {
    let svg = Document::parse(svg).expect("well-formed");
    let elements: Vec<Node<'_, '_>> = svg.descendants().filter(Node::is_element).collect();
    for element in &elements {
        assert!(ELEMENTS.contains(&element.tag_name().name()), "{element:?}");
        for attribute in element.attributes() {
            assert!(ATTRIBUTES.contains(&attribute.name()), "{attribute:?}");
        }
    }
    elements.len()
}

#[test]
fn markup_in_names_is_text() {
    let title = "</title><script>alert(1)</script>";
    let names = [
        "<script>alert('1')</script>",
        "R&D &amp; ]]>",
        "\" onload=\"x",
        "plain",
    ];
    let ordinary = ["a", "b", "c", "d"];
    for (hostile, ordinary) in charts(title, &names).iter().zip(charts("t", &ordinary)) {
        assert_eq!(checked_elements(hostile), checked_elements(&ordinary));
        let svg = Document::parse(hostile).expect("well-formed");
        let texts: BTreeSet<&str> = svg.descendants().filter_map(|node| node.text()).collect();
        for name in names.iter().chain([&title]) {
            assert!(texts.contains(name), "{name}");
        }
        assert!(!hostile.contains("<script") && !hostile.contains("<!["));
    }
}

#[test]
fn invisible_characters_are_replaced() {
    let names = [
        "a\u{0}b\u{8}\r\n",
        "\u{202e}moc.live\u{2066}",
        "\u{ffff}\u{85}",
    ];
    let replaced = [
        "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}",
        "\u{fffd}moc.live\u{fffd}",
    ];
    for svg in charts("\u{1b}[31m", &names) {
        checked_elements(&svg);
        let svg = Document::parse(&svg).expect("well-formed");
        let texts: BTreeSet<&str> = svg.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.contains("\u{fffd}[31m"));
        assert!(
            replaced.iter().all(|name| texts.contains(name)),
            "{texts:?}"
        );
    }
}

#[test]
fn texts_and_bars_are_inside_the_chart() {
    let long = "a-domain-whose-name-nobody-wants-to-read-to-its-end.example";
    let wide = "日本経済新聞の長い名前".repeat(3);
    let mut texts = 0;
    for svg in charts(&"A long title ".repeat(12), &[long, &wide, "x"]) {
        let svg = Document::parse(&svg).expect("well-formed");
        let root = svg.root_element();
        let number = |node: Node<'_, '_>, attribute: &str| -> f64 {
            let value = node.attribute(attribute).unwrap_or("0");
            value.parse().expect("a number")
        };
        let (width, height) = (number(root, "width"), number(root, "height"));
        let size = number(root, "font-size");
        assert!(size >= 12.0);
        let background = root.children().find(|child| child.has_attribute("fill"));
        let background = background.expect("a background");
        assert_eq!(
            (number(background, "width"), number(background, "height")),
            (width, height)
        );
        for node in svg.descendants().filter(|node| node.has_tag_name("text")) {
            let size = size.max(number(node, "font-size"));
            let text = node.text().expect("a text");
            // Letters are half a font size wide, as in Arial; Chinese characters are square.
            let length = text.chars().map(|c| if c.is_ascii() { 0.5 } else { 1.0 });
            let length = length.sum::<f64>() * size;
            let x = number(node, "x");
            let (from, to) = match node.attribute("text-anchor") {
                None => (x, x + length),
                Some("middle") => (x - length / 2.0, x + length / 2.0),
                Some(_) => (x - length, x),
            };
            assert!(
                from >= 0.0 && to <= width,
                "{text}: {from} to {to} of {width}"
            );
            let y = number(node, "y");
            assert!(
                y >= size * 0.7 && y <= height - size * 0.2,
                "{text}: {y} of {height}"
            );
            texts += 1;
        }
        for bar in svg.descendants().filter(|node| node.has_tag_name("rect")) {
            assert!(number(bar, "x") + number(bar, "width") <= width);
            assert!(number(bar, "y") + number(bar, "height") <= height);
        }
    }
    assert!(texts > 150, "{texts}");
}

#[test]
fn an_empty_chart_says_that_it_is_empty() {
    for svg in charts("nothing", &[]) {
        assert!(checked_elements(&svg) > 3);
        assert!(svg.contains("There is nothing to draw."), "{svg}");
    }
}

#[test]
fn the_order_of_lines_does_not_change_the_bytes() {
    let mut names = ["b", "a", "d", "c"];
    let [linear, ..] = charts("t", &names);
    let [again, ..] = charts("t", &names);
    assert_eq!(linear, again);
    let mut lines: Vec<Line<'_>> = names
        .iter()
        .map(|name| Line {
            name,
            points: vec![(1, 0.5), (9, 0.25)],
            final_score: None,
        })
        .collect();
    let axis = DocumentAxis::Linear;
    let title = "t";
    let first = Curves {
        title,
        axis,
        lines: lines.clone(),
    };
    lines.reverse();
    let second = Curves { title, axis, lines };
    assert_eq!(first.to_svg(), second.to_svg());
    names.sort_unstable();
    let first = first.to_svg().expect("scores");
    let legend = names.map(|name| first.find(&format!(">{name}</text>")).expect("a name"));
    assert!(legend.is_sorted(), "{legend:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_name_gives_a_chart(
        title in any::<String>(),
        names in prop::collection::vec(any::<String>(), 0..4),
    ) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let seen: usize = charts(&title, &names).iter().map(|svg| checked_elements(svg)).sum();
        prop_assert!(seen > 6 * 4);
    }
}
