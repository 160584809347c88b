//! The tests that `docs/method.md` names exist, and need only a clone of the repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const CRATES: [&str; 6] = [
    "core/url-key",
    "core/html-blocks",
    "core/url-tree",
    "core/url-parameters",
    "core/template",
    "core/site-replay",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Collects the Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Returns the name of a file's module. For `mod.rs` and `tests.rs` it is the name of the
/// folder.
fn module(path: &Path) -> &str {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let folder = path.parent().and_then(Path::file_name);
    match stem {
        Some("mod" | "tests") => folder.and_then(|name| name.to_str()),
        stem => stem,
    }
    .unwrap_or_default()
}

/// Returns the names `file::test` that the page has in code font.
fn named_tests(page: &str) -> BTreeSet<(&str, &str)> {
    let is_name = |text: &str| {
        let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        !text.is_empty() && text.chars().all(known)
    };
    page.split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.split_once("::"))
        .filter(|(file, test)| is_name(file) && is_name(test))
        .collect()
}

#[test]
fn every_test_named_in_the_page_exists_and_needs_no_material() {
    let mut files = Vec::new();
    for member in CRATES {
        sources(&repository().join("crates").join(member), &mut files);
    }
    let page = read(&repository().join("docs/method.md"));
    let named = named_tests(&page);
    assert!(named.len() >= 50, "{} tests are named", named.len());
    for (file, test) in named {
        let head = format!("fn {test}(");
        let of_module = files.iter().filter(|path| module(path) == file);
        let bodies: Vec<String> = of_module
            .map(|path| read(path))
            .filter_map(|text| {
                let (_, body) = text.split_once(&head)?;
                Some(body.split("#[test]").next()?.to_owned())
            })
            .collect();
        assert_eq!(bodies.len(), 1, "{file}::{test}");
        assert!(!bodies[0].contains("material("), "{file}::{test}");
    }
}
