//! The marks of one chart of each kind, and the positions of known numbers.

use charts::{
    BINS, BoundaryCases, CaseCounts, ChartError, Curves, Distribution, Distributions, DocumentAxis,
    Duplicates, Line, Mean, MeanScore, MeanScores, Step,
};
use roxmltree::{Document, Node};

/// The elements with a tag.
fn tagged<'a, 'd>(svg: &'a Document<'d>, tag: &'static str) -> Vec<Node<'a, 'd>> {
    let elements = svg.descendants();
    elements
        .filter(|node| node.has_tag_name(tag_name(tag)))
        .collect()
}

fn tag_name(tag: &'static str) -> (&'static str, &'static str) {
    ("http://www.w3.org/2000/svg", tag)
}

/// The tooltip of an element.
fn tooltip_of<'a>(node: &Node<'a, '_>) -> Option<&'a str> {
    let title = node
        .children()
        .find(|child| child.has_tag_name(tag_name("title")));
    title.and_then(|title| title.text())
}

/// The only mark with a tooltip.
fn mark<'a, 'd>(svg: &'a Document<'d>, tooltip: &str) -> Node<'a, 'd> {
    let mut marks = svg
        .descendants()
        .filter(|node| tooltip_of(node) == Some(tooltip));
    let mark = marks
        .next()
        .unwrap_or_else(|| panic!("no mark {tooltip:?}"));
    assert!(marks.next().is_none(), "two marks {tooltip:?}");
    mark
}

/// The number of rectangles with a tooltip.
fn bars(svg: &Document<'_>) -> usize {
    let bars = tagged(svg, "rect");
    bars.iter().filter(|bar| tooltip_of(bar).is_some()).count()
}

fn number(node: Node<'_, '_>, attribute: &str) -> f64 {
    let value = node.attribute(attribute).expect("the attribute is there");
    value.parse().expect("the attribute is a number")
}

/// The position of the only element with a text.
fn at(svg: &Document<'_>, text: &str) -> (f64, f64) {
    let mut texts = tagged(svg, "text")
        .into_iter()
        .filter(|node| node.text() == Some(text));
    let found = texts.next().unwrap_or_else(|| panic!("no text {text:?}"));
    assert!(texts.next().is_none(), "two texts {text:?}");
    (number(found, "x"), number(found, "y"))
}

/// The points of the path of a line.
fn points(svg: &Document<'_>, tooltip: &str) -> Vec<(f64, f64)> {
    let curve = mark(svg, tooltip);
    let path = curve
        .children()
        .find(|child| child.has_tag_name(tag_name("path")));
    let data = path.and_then(|path| path.attribute("d")).expect("a path");
    let pairs = data.split(['M', 'L']).skip(1);
    let pair = |pair: &str| {
        let (x, y) = pair.split_once(' ').expect("two numbers");
        let number = |text: &str| text.parse().expect("a number");
        (number(x), number(y))
    };
    pairs.map(pair).collect()
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 0.11,
        "{found} instead of {expected}"
    );
}

fn curves(axis: DocumentAxis) -> Curves<'static> {
    Curves {
        title: "F1",
        axis,
        lines: vec![
            Line {
                name: "low",
                points: vec![(1, 0.0), (10, 0.25), (1000, 0.5)],
                final_score: Some(0.5123),
            },
            Line {
                name: "none",
                points: vec![],
                final_score: None,
            },
            Line {
                name: "high",
                points: vec![(1, 1.0), (100, 0.75)],
                final_score: None,
            },
        ],
    }
}

fn duplicates() -> Duplicates<'static> {
    let step = |name, duplicates| Step { name, duplicates };
    Duplicates {
        title: "Duplicates",
        documents: 2000,
        steps: vec![
            step("identical", 500),
            step("redirect", 500),
            step("rule", 900),
        ],
    }
}

fn mean(mean: f64, standard_deviation: f64) -> Mean {
    Mean {
        mean,
        standard_deviation,
    }
}

fn means() -> MeanScores<'static> {
    let extractor = |name, precision, recall, f1| MeanScore {
        name,
        precision: mean(precision, 0.1),
        recall: mean(recall, 0.05),
        f1: mean(f1, 0.25),
    };
    MeanScores {
        title: "Means",
        extractors: vec![
            extractor("worse", 0.9, 0.2, 0.3),
            extractor("better", 0.8, 0.8, 0.8),
            extractor("also worse", 0.2, 0.9, 0.3),
        ],
    }
}

fn distributions() -> Distributions<'static> {
    let mut f1 = [0; BINS];
    (f1[0], f1[10], f1[19]) = (1, 50, 100);
    Distributions {
        title: "Distributions",
        extractors: vec![Distribution {
            name: "one",
            precision: [5; BINS],
            recall: [0; BINS],
            f1,
        }],
    }
}

fn cases() -> BoundaryCases<'static> {
    BoundaryCases {
        title: "Cases",
        extractors: vec![
            CaseCounts {
                name: "all",
                pages: [60, 1, 2, 3, 4, 5, 25],
            },
            CaseCounts {
                name: "fine",
                pages: [100, 0, 0, 0, 0, 0, 0],
            },
        ],
    }
}

#[test]
fn curves_are_at_the_positions_of_their_scores() {
    for (axis, share_of_10) in [
        (DocumentAxis::Linear, 0.01),
        (DocumentAxis::Logarithmic, 1.0 / 3.0),
    ] {
        let svg = curves(axis).to_svg().expect("scores");
        let svg = Document::parse(&svg).expect("SVG");
        assert_eq!(tagged(&svg, "path").len(), 2);
        assert_eq!(tagged(&svg, "circle").len(), 2);
        let low = points(&svg, "low: F1 0.512 at the end");
        let high = points(&svg, "high: F1 0.750 after 100 documents");
        assert_eq!((low.len(), high.len()), (3, 2));
        // The axis begins at document 0 or 1, and ends at the last document.
        let (end, _) = at(&svg, "1,000");
        let start = match axis {
            DocumentAxis::Linear => at(&svg, "0").0,
            DocumentAxis::Logarithmic => at(&svg, "1").0,
        };
        near(low[1].0, start + share_of_10 * (end - start));
        near(low[2].0, end);
        // Scores 1 and 0 are at the ends, the others in proportion.
        let (top, bottom) = (high[0].1, low[0].1);
        near(low[1].1, bottom - 0.25 * (bottom - top));
        near(low[2].1, bottom - 0.5 * (bottom - top));
        near(high[1].1, bottom - 0.75 * (bottom - top));
        near(at(&svg, "1.0").1 - at(&svg, "0.5").1, (top - bottom) / 2.0);
    }
}

#[test]
fn the_legend_is_sorted_by_score_with_final_scores_in_brackets() {
    let svg = curves(DocumentAxis::Linear).to_svg().expect("scores");
    let svg = Document::parse(&svg).expect("SVG");
    let rows = ["high", "low", "none"].map(|name| at(&svg, name).1);
    assert!(rows.is_sorted_by(|one, next| one < next), "{rows:?}");
    assert_eq!(at(&svg, "(0.512)").1, rows[1]);
    let brackets = tagged(&svg, "text");
    let brackets = brackets.iter().filter_map(Node::text);
    assert_eq!(brackets.filter(|text| text.starts_with('(')).count(), 1);
    // The sample beside a name has the stroke of its line.
    let sample_of = |y: f64| {
        let samples = tagged(&svg, "line").into_iter();
        let mut samples = samples.filter(|line| line.has_attribute("stroke-dasharray"));
        samples.find(|line| (number(*line, "y1") - y).abs() < 9.0)
    };
    for (name, tooltip) in [
        ("high", "high: F1 0.750 after 100 documents"),
        ("low", "low: F1 0.512 at the end"),
    ] {
        let sample = sample_of(at(&svg, name).1).expect("a sample");
        let path = mark(&svg, tooltip).descendants();
        let mut path = path.filter(|node| node.has_tag_name(tag_name("path")));
        let path = path.next().expect("a path");
        for attribute in ["stroke", "stroke-dasharray"] {
            assert_eq!(sample.attribute(attribute), path.attribute(attribute));
        }
    }
}

#[test]
fn long_lines_are_downsampled() {
    let line = Line {
        name: "long",
        points: (1..=46_436).map(|page| (page, 1.0 / page as f64)).collect(),
        final_score: None,
    };
    let curves = Curves {
        title: "F1",
        axis: DocumentAxis::Linear,
        lines: vec![line],
    };
    let svg = curves.to_svg().expect("scores");
    let svg = Document::parse(&svg).expect("SVG");
    let points = points(&svg, "long: F1 0.000 after 46,436 documents");
    assert!((10..1000).contains(&points.len()), "{}", points.len());
    near(points[0].1, at(&svg, "1.0").1 - 4.6);
    near(points[points.len() - 1].1, at(&svg, "0.0").1 - 4.6);
}

#[test]
fn a_step_with_fewer_duplicates_has_a_shorter_bar() {
    let mut fewer = duplicates();
    fewer.steps[1].duplicates = 300;
    let svg = fewer.to_svg().expect("fewer than documents");
    let svg = Document::parse(&svg).expect("SVG");
    let thousand = at(&svg, "1,000").0 - at(&svg, "0").0;
    let bar = mark(&svg, "redirect: 300 found by earlier steps");
    near(number(bar, "width"), 0.3 * thousand);
    assert_eq!(at(&svg, "(−200)").1, at(&svg, "redirect").1);
}

#[test]
fn bars_of_duplicates_show_earlier_and_new_ones() {
    let svg = duplicates().to_svg().expect("fewer than documents");
    let svg = Document::parse(&svg).expect("SVG");
    assert_eq!(bars(&svg), 4);
    let start = at(&svg, "0").0;
    let thousand = at(&svg, "1,000").0 - start;
    for (tooltip, from, to) in [
        ("identical: 500 found by this step", 0.0, 0.5),
        ("redirect: 500 found by earlier steps", 0.0, 0.5),
        ("rule: 500 found by earlier steps", 0.0, 0.5),
        ("rule: 400 found by this step", 0.5, 0.9),
    ] {
        let bar = mark(&svg, tooltip);
        near(number(bar, "x"), start + from * thousand);
        near(number(bar, "width"), (to - from) * thousand);
    }
    let row = at(&svg, "rule").1;
    for text in ["900", "(+400)", "45.0 %"] {
        assert_eq!(at(&svg, text).1, row, "{text}");
    }
}

#[test]
fn means_are_sorted_by_f1_and_have_whiskers() {
    let svg = means().to_svg().expect("scores");
    let svg = Document::parse(&svg).expect("SVG");
    assert_eq!(bars(&svg), 9);
    let rows = ["better", "also worse", "worse"].map(|name| at(&svg, name).1);
    assert!(rows.is_sorted_by(|one, next| one < next), "{rows:?}");

    let bar = mark(&svg, "better: F1 0.800 ± 0.250");
    let (zero, width) = (number(bar, "x"), number(bar, "width"));
    let one = width / 0.8;
    let middle = number(bar, "y") + number(bar, "height") / 2.0;
    let whisker = tagged(&svg, "line").into_iter().find(|line| {
        let (x, y1, y2) = (
            number(*line, "x1"),
            number(*line, "y1"),
            number(*line, "y2"),
        );
        y1 == middle && y2 == middle && x >= zero
    });
    let whisker = whisker.expect("a whisker on the bar");
    near(number(whisker, "x1"), zero + 0.55 * one);
    near(number(whisker, "x2"), zero + 1.05 * one);
    assert_eq!(number(mark(&svg, "worse: F1 0.300 ± 0.250"), "x"), zero);
}

#[test]
fn histograms_have_a_bar_for_every_bin_with_pages() {
    let svg = distributions().to_svg();
    let svg = Document::parse(&svg).expect("SVG");
    assert_eq!(bars(&svg), 20 + 3);
    let [few, half, full] = [
        "one: pages with F1 0.00 to 0.05: 1",
        "one: pages with F1 0.50 to 0.55: 50",
        "one: pages with F1 0.95 to 1.00: 100",
    ]
    .map(|tooltip| mark(&svg, tooltip));
    let height = number(full, "height");
    near(number(half, "height"), height / 2.0);
    assert!(number(few, "height") >= 1.0);
    // All bars have the same base, and the middle bin begins in the middle.
    let foot = |bar| number(bar, "y") + number(bar, "height");
    near(foot(few), foot(full));
    near(foot(half), foot(full));
    let (first, last) = (number(few, "x"), number(full, "x"));
    near(number(half, "x"), first + (last - first) * 10.0 / 19.0);
    // All histograms have one scale: the precision has 5 pages in each bin.
    let precision = mark(&svg, "one: pages with precision 0.10 to 0.15: 5");
    near(number(precision, "height"), height / 20.0);
}

#[test]
fn cases_are_stacked_and_boundary_cases_shown_twice() {
    let svg = cases().to_svg();
    let svg = Document::parse(&svg).expect("SVG");
    // Seven bars for all pages and six for the boundary cases of the first extractor; one
    // for the second, which has none.
    assert_eq!(bars(&svg), 7 + 6 + 1);
    let widths = |tooltip: &str| -> Vec<(f64, f64)> {
        let marks = svg
            .descendants()
            .filter(|node| tooltip_of(node) == Some(tooltip));
        marks
            .map(|bar| (number(bar, "x"), number(bar, "width")))
            .collect()
    };
    let measured = widths("all: 60 measured");
    let failed = widths("all: 3 failed, counts 0");
    let last = widths("all: 25 failed without gold, not counted");
    assert_eq!((measured.len(), failed.len(), last.len()), (1, 2, 2));
    let (start, width) = measured[0];
    let page = width / 60.0;
    near(failed[0].0, start + 63.0 * page);
    near(failed[0].1, 3.0 * page);
    near(last[0].0 + last[0].1, start + 100.0 * page);
    near(widths("fine: 100 measured")[0].1, 100.0 * page);
    // 40 pages are as wide on the right as 100 on the left.
    near(failed[1].1, 3.0 * page * 100.0 / 40.0);
    let row = at(&svg, "all").1;
    let numbers: Vec<&str> = tagged(&svg, "text")
        .iter()
        .filter(|text| number(**text, "y") == row)
        .filter_map(Node::text)
        .filter(|text| *text != "all")
        .collect();
    assert_eq!(numbers, ["60", "1", "2", "3", "4", "5", "25"]);
}

#[test]
fn invalid_numbers_are_errors() {
    let with = |points: Vec<(usize, f64)>, final_score| {
        let name = "a\u{1b}";
        let lines = vec![Line {
            name,
            points,
            final_score,
        }];
        let axis = DocumentAxis::Linear;
        let svg = Curves {
            title: "",
            axis,
            lines,
        }
        .to_svg();
        svg.expect_err("a chart").to_string()
    };
    let score = r#""a\u{1b}": 1.01 is not a score from 0 to 1"#;
    assert_eq!(with(vec![(1, 1.01)], None), score);
    assert!(with(vec![(1, f64::NAN)], None).contains("NaN is not a score"));
    assert!(with(vec![], Some(-0.1)).contains("-0.1 is not a score"));
    let order = r#""a\u{1b}": document numbers must increase from 1, but 0 follows 0"#;
    assert_eq!(with(vec![(0, 0.5)], None), order);
    assert!(with(vec![(7, 0.5), (7, 0.5)], None).contains("but 7 follows 7"));

    let mut more = duplicates();
    more.steps[1].duplicates = 2001;
    assert_eq!(
        more.to_svg(),
        Err(ChartError::Duplicates { documents: 2000 })
    );
    more.steps[1].duplicates = usize::MAX;
    assert_eq!(
        more.to_svg(),
        Err(ChartError::Duplicates { documents: 2000 })
    );
    let mut wide = means();
    wide.extractors[1].recall = mean(0.5, f64::INFINITY);
    let error = wide.to_svg().expect_err("a chart").to_string();
    assert_eq!(
        error,
        r#""better": the standard deviation inf is negative or not finite"#
    );
}
