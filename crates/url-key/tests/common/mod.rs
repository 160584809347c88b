//! Reading the vectors.

use std::path::{Path, PathBuf};

use serde_json::Value;
use url_key::{Blacklist, KeyOptions, Keyer, RuleSet, Scheme};

/// A folder of vectors, `None` on machines that do not have them.
pub(crate) fn vectors(part: &str) -> Option<PathBuf> {
    let shared = std::env::var("URLTREE_SHARED")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared").to_owned());
    let folder = PathBuf::from(shared).join("vectors").join(part);
    folder.is_dir().then_some(folder)
}

/// The lines of a JSON Lines file.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the vectors are complete");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line is an object"))
        .collect()
}

/// A keyer with a rule file of the vectors, `none` for no rules.
pub(crate) fn keyer_with(rules: &str, scheme: Scheme) -> Keyer {
    let folder = vectors("rules").expect("the vectors are complete");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a rule file");
    let rules = match rules {
        "none" => RuleSet::empty(),
        name => RuleSet::parse(&read(&format!("{name}.txt"))).expect("the rule file is valid"),
    };
    let options = KeyOptions {
        scheme,
        ..KeyOptions::default()
    };
    let blacklist = Blacklist::parse(&read("dacqpipe_blacklist.txt"));
    Keyer::new(options, rules, blacklist).expect("the options are valid")
}
