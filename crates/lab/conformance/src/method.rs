//! The generated sections of `docs/method.md`.

use std::fs::File;
use std::io::{Read, Seek, Write};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/method.md");

/// The environment variable that is `1` to rewrite sections instead of comparing them.
const WRITE: &str = "URLTREE_WRITE_METHOD";

/// Compares a section of the page with `table`, or rewrites the section.
///
/// # Panics
///
/// If the page does not have the section, or if the section differs from `table`.
pub(crate) fn check_section(section: &str, table: &str) {
    let write = std::env::var_os(WRITE).is_some_and(|value| value == "1");
    let file = File::options().read(true).write(write).open(PAGE);
    let mut file = file.unwrap_or_else(|error| panic!("docs/method.md: {error}"));
    // Tests of several crates may rewrite the page at the same time.
    file.lock().expect("the page can be locked");
    let mut page = String::new();
    file.read_to_string(&mut page).expect("the page is text");
    let new = with_section(&page, section, table)
        .unwrap_or_else(|| panic!("docs/method.md has no section conformance:{section}"));
    if write {
        file.rewind().expect("a file can be rewound");
        file.set_len(0).expect("the page can be written");
        file.write_all(new.as_bytes())
            .expect("the page can be written");
    } else {
        assert!(
            new == page,
            "docs/method.md is stale: run this test with {WRITE}=1. Measured:\n{table}"
        );
    }
}

/// Returns the page with `text` between the markers of a section, or `None` if the page
/// does not have the section.
fn with_section(page: &str, section: &str, text: &str) -> Option<String> {
    let open = format!("<!-- conformance:{section} -->\n");
    let close = format!("<!-- /conformance:{section} -->");
    let (before, rest) = page.split_once(&open)?;
    let (_, after) = rest.split_once(&close)?;
    Some(format!("{before}{open}{text}{close}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_section_is_replaced() {
        let page = "a\n<!-- conformance:x -->\nold\n<!-- /conformance:x -->\nb\n\
                    <!-- conformance:xy -->\nkept\n<!-- /conformance:xy -->\n";
        let new = with_section(page, "x", "new\n").expect("there is a section x");
        assert_eq!(new, page.replace("old", "new"));
        assert_eq!(with_section(&new, "x", "new\n"), Some(new));
        assert_eq!(with_section(page, "y", "new\n"), None);
    }
}
