//! Parsing of rule files and blocklists, which are then applied to a URL, and of files of marks.
//!
//! The input is a URL, a line end, and the file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use template::marks::MarkFile;
use url_key::{Blocklist, KeyOptions, Keyer, RuleError, RuleSet, UrlError};

fuzz_target!(|input: &str| {
    let Some((url, file)) = input.split_once('\n') else {
        return;
    };
    marks(file);
    let rules = match RuleSet::parse(file) {
        Ok(rules) => rules,
        Err(RuleError::Expression {
            line, expression, ..
        }) => {
            let named = file.lines().nth(line - 1).expect("the line is in the file");
            assert!(named.contains(&expression), "{named:?} {expression:?}");
            RuleSet::empty()
        }
        Err(RuleError::TooLarge { .. }) => RuleSet::empty(),
        Err(error) => panic!("no property for {error}"),
    };
    let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::parse(file))
        .expect("the default options are valid");
    let Ok(page) = keyer.parse(url) else {
        return;
    };
    let key = keyer.key(&page, Some("A title"));
    if let Some(rule) = &key.rule {
        assert!(
            file.lines()
                .any(|line| line.replace('\t', " ").contains(rule)),
            "{rule:?} is no line of the file"
        );
    } else {
        assert!(!key.text.contains('?'));
    }
    match keyer.parse(&key.normalized) {
        Ok(page) => assert_eq!(keyer.key(&page, Some("A title")), key),
        Err(UrlError::TooLong { .. }) => {}
        Err(error) => panic!("{:?}: {error}", key.normalized),
    }
});

/// A file that was read is written with the same marks, and an error names one of its lines.
fn marks(text: &str) {
    let parse = |text: &str| MarkFile::parse(text, |domain| Some(domain.to_owned()));
    match parse(text) {
        Ok(file) => {
            let again = parse(&file.to_string()).expect("a file that was written");
            assert_eq!(again.marks(), file.marks());
        }
        Err(error) => assert!((1..=text.lines().count()).contains(&error.line), "{error}"),
    }
}
