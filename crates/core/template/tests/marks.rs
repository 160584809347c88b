//! The rule by outlines, as a run applies it, and by texts, as `explain` does.

use proptest::prelude::*;
use template::marks::{Label, MarkFile, MarkedPath, SiteMarks};
use template::{LayoutBlock, Outline, Style};

const ELEMENT: &str = "(div|p|ul)(\\.[ab]{1,2}){0,2}";

fn path(elements: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(ELEMENT, elements).prop_map(|elements| elements.join(">"))
}

fn label() -> impl Strategy<Value = Label> {
    prop_oneof![Just(Label::Content), Just(Label::Boilerplate)]
}

fn marks() -> impl Strategy<Value = Vec<(String, Label)>> {
    let marked = prop_oneof![path(1..4), Just("body".to_owned())];
    prop::collection::vec((marked, label()), 0..6)
}

fn parsed(path: &str) -> MarkedPath {
    MarkedPath::parse(path).expect("a path")
}

fn outline(paths: &[String]) -> Outline {
    let block = |path| LayoutBlock {
        path,
        common_prefix: 0,
        chars: 9,
        link_chars: 0,
        marks: 0,
        title: 0,
        figures: 0,
        style: Style::default(),
    };
    let blocks: Vec<_> = paths.iter().map(|path| block(path.as_str())).collect();
    Outline::new(&blocks)
}

/// The rule, written as its definition.
fn expected(marks: &[(String, Label)], path: &str) -> Option<Label> {
    let keys = |path: &str| -> Vec<String> {
        let elements = path.split('>').filter(|element| !element.is_empty());
        let key = |element: &str| element.split('.').take(2).collect::<Vec<_>>().join(".");
        elements.map(key).filter(|key| key != "body").collect()
    };
    let path = keys(path);
    let starts = |marked: &&(String, Label)| path.starts_with(&keys(&marked.0));
    // Of two marks of one path, the later is that of `SiteMarks::set`.
    let longest = marks
        .iter()
        .filter(starts)
        .max_by_key(|mark| keys(&mark.0).len());
    longest.map(|(_, label)| *label)
}

proptest! {
    #[test]
    fn outlines_and_texts_give_the_labels_of_the_definition(marks in marks(), paths in prop::collection::vec(path(0..5), 1..9)) {
        let mut site = SiteMarks::default();
        for (path, label) in &marks {
            site.set(parsed(path), *label);
        }
        let by_outline = site.labels(&outline(&paths));
        let by_text: Vec<_> = paths.iter().map(|path| site.label(path)).collect();
        let by_definition: Vec<_> = paths.iter().map(|path| expected(&marks, path)).collect();
        prop_assert_eq!(&by_outline, &by_definition);
        prop_assert_eq!(&by_text, &by_definition);
    }

    #[test]
    fn a_file_that_was_edited_has_the_marks_of_the_edits(edits in prop::collection::vec((path(1..3), prop::option::of(label())), 0..12)) {
        let parse = |text: &str| MarkFile::parse(text, |domain| Some(domain.to_owned())).expect("a file");
        let mut file = parse("# head\n\n");
        let mut site = SiteMarks::default();
        for (path, label) in edits {
            let path = parsed(&path);
            match label {
                Some(label) => {
                    site.set(path.clone(), label);
                    file.set(template::marks::Mark { domain: "a.example".to_owned(), path, label, note: String::new() });
                }
                None => prop_assert_eq!(site.remove(&path), file.remove("a.example", &path)),
            }
        }
        let text = file.to_string();
        prop_assert!(text.starts_with("# head\n\n"));
        let mut lines: Vec<&str> = text.lines().skip(2).collect();
        let again = parse(&text);
        prop_assert_eq!(again.to_string(), text.clone());
        let marks = again.marks();
        let found = marks.of("a.example").map(|site| (**site).clone()).unwrap_or_default();
        for (_, path, label) in marks.iter() {
            prop_assert_eq!(site.label(&path.to_string()), Some(label));
        }
        prop_assert_eq!(marks.iter().count(), lines.len());
        if !lines.is_empty() {
            prop_assert_eq!(found, site);
        }
        let written = lines.clone();
        lines.sort_by_key(|line| parsed(line.split('\t').nth(1).unwrap_or_default()));
        prop_assert_eq!(written, lines);
    }

    #[test]
    fn arbitrary_files_and_paths_do_not_panic(text in "(a\\.example|\\PC){0,3}\t?[a-z.>#\u{0}-\u{1f}]{0,8}\t?(content|x)?", path in "\\PC{0,9}") {
        let _ = MarkFile::parse(&text, |domain| Some(domain.to_owned()));
        let _ = SiteMarks::default().label(&path);
        if let Ok(parsed) = MarkedPath::parse(&path) {
            prop_assert_eq!(MarkedPath::parse(&parsed.to_string()), Ok(parsed));
        }
    }
}
