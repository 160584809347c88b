//! The table of the rules in the documentation is the one that decides.

use std::path::Path;

/// With `URLTREE_WRITE_RULES=1` the pages get the table.
#[test]
fn the_documentation_has_the_table_of_the_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = template::rules_table();
    for page in ["rules.md", "../../../docs/method.md"] {
        let path = folder.join(page);
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("SKIPPED {page}: the crate is not in its repository");
            continue;
        };
        let (start, end) = ("<!-- rules -->\n", "<!-- /rules -->");
        let (before, rest) = text.split_once(start).expect("the start of the table");
        let (written, after) = rest.split_once(end).expect("its end");
        if std::env::var_os("URLTREE_WRITE_RULES").is_some() {
            let text = format!("{before}{start}{table}{end}{after}");
            std::fs::write(&path, text).expect("the page can be written");
            continue;
        }
        assert_eq!(written, table, "{page}: URLTREE_WRITE_RULES=1 writes it");
    }
}

/// The page for readers has an example of each rule, with its verdict.
#[test]
fn the_page_for_readers_has_every_rule_and_its_verdict() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/how-it-decides.md");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("SKIPPED: the crate is not in its repository");
        return;
    };
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    for reason in template::Reason::ALL {
        let name = format!("`{reason}`");
        let row = rows.iter().find(|row| row.contains(&name));
        let row = row.unwrap_or_else(|| panic!("{name} has no row"));
        let verdict = if reason.is_content() {
            "| kept |"
        } else {
            "| dropped |"
        };
        assert!(
            row.contains(verdict) || row.contains("| as marked |"),
            "{row}"
        );
    }
}
