//! Keyers with the rules of the vectors.

use std::path::Path;

use url_key::{Blocklist, KeyOptions, Keyer, Reading, RuleSet, Scheme};

/// A keyer of the original with a rule file of the vectors, `none` for no rules.
pub(crate) fn keyer_with(vectors: &Path, rules: &str, scheme: Scheme) -> Keyer {
    let folder = vectors.join("rules");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a rule file");
    let rules = match rules {
        "none" => RuleSet::empty(),
        name => RuleSet::parse(&read(&format!("{name}.txt"))).expect("the rule file is valid"),
    };
    let mut options = KeyOptions::default();
    options.scheme = scheme;
    options.reading = Reading::Original;
    let blocklist = Blocklist::parse(&read("dacqpipe_blacklist.txt"));
    Keyer::new(options, rules, blocklist).expect("the options are valid")
}
