//! Rules for a rule file, from the evidence about parameters.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use url_key::{Keyer, PartKind, PathPattern};

use crate::{Evidence, Slot, Verdict};

/// Parameters that identify pages of one path, up to which each set of them has a rule. A path with
/// more has a rule for all of them and a rule for each: n parameters have 2^n - 1 sets.
const MAX_COMBINED: usize = 3;

/// Rules of one set of parameters with more than one spelling. Above it, only the first spellings
/// have a rule.
const MAX_SPELLINGS: usize = 8;

/// A rule file of proposals, with the evidence of each as comments.
///
/// A rule decides about the whole query of its URLs. So a path has rules only if one of its
/// parameters [identifies](Verdict::Identifies) pages, and the comments name all other parameters
/// that the rules drop.
#[derive(Debug, Default)]
pub struct RuleFile {
    text: String,
    rules: usize,
}

/// A slot of a path, with its parsed name.
struct Parameter<'a> {
    kind: PartKind,
    slot: &'a Slot,
    evidence: &'a Evidence,
}

impl RuleFile {
    /// The number of rules.
    pub fn rules(&self) -> usize {
        self.rules
    }

    /// Returns the file. The header names the location of the tables and the last date with
    /// evidence.
    pub fn finish(self, location: &str, until: Option<&str>) -> String {
        let mut file = Self::default();
        let until = until
            .map(|date| format!(", up to {date}"))
            .unwrap_or_default();
        file.comment(&format!(
            "Proposed by `urltree rules learn` from the table url_parameters at {location}{until}."
        ));
        for line in [
            "Review each rule: it drops all other parameters of its URLs. Append the rules that you",
            "keep to the file of url_key.rules, because the first rule that applies wins, and see",
            "their effect with `urltree rules check`. Parameter names are case-sensitive, and have",
            "the spelling of the example URLs.",
            "rows: rows of the archive with the parameter. same: pages with the content of a page",
            "that differs in this parameter only. differs: pages with other content.",
        ] {
            file.comment(line);
        }
        if self.rules == 0 {
            file.text.push('\n');
            file.comment("No rule is proposed: no parameter is known to identify pages.");
        }
        file.text.push_str(&self.text);
        file.text
    }

    /// Adds rules for the paths of one host. `slots` are all slots of the host, sorted. `keyer`
    /// parses the example URLs, and `date` prints a date, in days since 1970.
    pub fn add_host(
        &mut self,
        slots: &[(Slot, Evidence)],
        keyer: &Keyer,
        date: impl Fn(i32) -> String,
    ) {
        let paths: Vec<Vec<Parameter<'_>>> = slots
            .chunk_by(|one, other| one.0.shape == other.0.shape)
            .map(|path| path.iter().map(Parameter::new).collect())
            .collect();
        let patterns: Vec<PathPattern> = paths.iter().map(|path| pattern(path)).collect();
        for (path, pattern) in paths.iter().zip(&patterns) {
            if path
                .iter()
                .all(|p| p.evidence.verdict == Verdict::Undecided)
            {
                continue;
            }
            self.text.push('\n');
            if let Some(first) = path.first() {
                self.comment(&format!("http://{}{}", first.slot.host, first.slot.shape));
            }
            let names = names_in_rules(path, keyer);
            for parameter in path {
                let effect = effect(parameter, path, names.as_deref());
                self.parameter(parameter, &effect, &date);
            }
            match names.as_deref() {
                Some([]) => {
                    self.comment("No rule: no parameter that a rule can name identifies pages.")
                }
                Some(names) => {
                    if names.len() > MAX_COMBINED {
                        self.comment(
                            "URLs with some of the parameters that identify pages, but not all, \
                             keep only the first that has a rule: add rules for such URLs.",
                        );
                    }
                    let expression = pattern.expression(&patterns);
                    for set in sets(names) {
                        self.text.push_str(&expression);
                        for name in set {
                            self.text.push('\t');
                            self.text.push_str(name);
                        }
                        self.text.push('\n');
                        self.rules += 1;
                    }
                }
                None => self.comment(
                    "No rule: a rule file cannot hold the name of a parameter that identifies \
                     pages, and a rule without it would merge them.",
                ),
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter<'_>, effect: &str, date: impl Fn(i32) -> String) {
        let Evidence {
            verdict,
            since,
            rows,
            same,
            differs,
            revised,
            ref example,
            ..
        } = *parameter.evidence;
        let verdict = match verdict {
            Verdict::Identifies => format!("identifies pages since {}", date(since)),
            Verdict::Noise => format!("is noise since {}", date(since)),
            Verdict::Undecided => "is undecided".to_owned(),
        };
        let revised = if revised {
            ", was noise by mistake"
        } else {
            ""
        };
        self.comment(&format!(
            "{} {verdict}{revised}: rows {rows}, same {same}, differs {differs}.{effect}",
            parameter.slot.parameter,
        ));
        for url in example.iter().flatten() {
            self.comment(&format!("  {url}"));
        }
    }

    /// Adds a comment. Line ends and other control characters are escaped: names and URLs come from
    /// the archive, and must not end the comment.
    fn comment(&mut self, text: &str) {
        self.text.push_str("# ");
        for character in text.chars() {
            if character.is_control() {
                // Writing to a String cannot fail.
                let _ = write!(self.text, "{}", character.escape_unicode());
            } else {
                self.text.push(character);
            }
        }
        self.text.push('\n');
    }
}

impl<'a> Parameter<'a> {
    fn new((slot, evidence): &'a (Slot, Evidence)) -> Self {
        Self {
            kind: PartKind::from_text(&slot.parameter),
            slot,
            evidence,
        }
    }

    fn is(&self, verdict: Verdict) -> bool {
        self.evidence.verdict == verdict
    }

    /// Whether a rule decides about the part: it is in the query.
    fn is_in_query(&self) -> bool {
        !self.kind.is_edition()
    }

    /// The spellings of the name in the example URLs, or the name of the slot.
    fn spellings(&self, keyer: &Keyer) -> BTreeSet<String> {
        let name = &self.slot.parameter;
        let urls = self.evidence.example.iter().flatten();
        let mut found = BTreeSet::new();
        for url in urls.filter_map(|url| keyer.parse(url).ok()) {
            let names = url.parameter_names();
            let spelled = names.filter(|spelling| spelling.to_lowercase() == *name);
            found.extend(spelled.map(Cow::into_owned));
        }
        if found.is_empty() {
            found.insert(name.clone());
        }
        found
    }
}

/// The pattern of a path. A rule keeps the editions of a page apart, so it covers those that are not
/// noise.
fn pattern(path: &[Parameter<'_>]) -> PathPattern {
    let (host, shape) = path.first().map_or(("", ""), |parameter| {
        (&parameter.slot.host, &parameter.slot.shape)
    });
    let kept = path.iter().filter(|p| !p.is(Verdict::Noise));
    PathPattern::new(host, shape, kept.map(|parameter| parameter.kind.clone()))
}

/// The names of the parameters that identify pages, each in its spellings, or `None` if a rule
/// cannot name one of them.
fn names_in_rules(path: &[Parameter<'_>], keyer: &Keyer) -> Option<Vec<Vec<String>>> {
    let identifying = path
        .iter()
        .filter(|parameter| parameter.is_in_query() && parameter.is(Verdict::Identifies));
    let names = identifying.map(|parameter| {
        let spellings = parameter.spellings(keyer);
        let names = spellings
            .iter()
            .map(|spelling| PathPattern::name_in_rule(&parameter.kind, spelling));
        names.collect::<Option<BTreeSet<String>>>()
    });
    // All parts without a name are one parameter of a rule.
    let names: BTreeSet<Vec<String>> = names
        .map(|names| names.map(|names| names.into_iter().collect()))
        .collect::<Option<_>>()?;
    Some(names.into_iter().collect())
}

/// The effect of the rules of a path on a parameter, as the end of a comment.
fn effect(
    parameter: &Parameter<'_>,
    path: &[Parameter<'_>],
    names: Option<&[Vec<String>]>,
) -> String {
    let name = &parameter.slot.parameter;
    if names.is_none_or(<[_]>::is_empty) {
        return String::new();
    }
    let keeps_nameless = path
        .iter()
        .any(|other| matches!(other.kind, PartKind::Nameless(_)) && other.is(Verdict::Identifies));
    match (&parameter.kind, parameter.evidence.verdict) {
        (PartKind::Parameter(_) | PartKind::Nameless(_), Verdict::Identifies) => String::new(),
        (PartKind::Nameless(_), _) if keeps_nameless => {
            format!(" The rules keep {name} too: `null` means every part without `=`.")
        }
        (PartKind::Parameter(_) | PartKind::Nameless(_), Verdict::Noise) => {
            " The rules drop it.".to_owned()
        }
        (PartKind::Parameter(_) | PartKind::Nameless(_), Verdict::Undecided) => {
            format!(" The rules drop it too: pages that differ in {name} only would be merged.")
        }
        (PartKind::PathParameter(_), _) => {
            " A rule cannot name it: it stays in the keys of URLs that the expression matches."
                .to_owned()
        }
        (_, Verdict::Noise) => format!(
            " A rule cannot drop it, so the rules leave out URLs with {name}. With \
             paper.queries = \"drop\" these URLs lose their query."
        ),
        _ => format!(" The rules apply to URLs with {name} too, and keep it."),
    }
}

/// The sets of parameters that have a rule, larger sets first.
fn sets(names: &[Vec<String>]) -> Vec<Vec<&String>> {
    let count = names.len();
    let mut positions: Vec<Vec<usize>> = Vec::new();
    if count > MAX_COMBINED {
        positions.push((0..count).collect());
        positions.extend((0..count).map(|at| vec![at]));
    } else {
        let bits = 1..1_usize << count;
        positions.extend(bits.map(|set| (0..count).filter(|at| set >> at & 1 == 1).collect()));
        positions.sort_by(|a: &Vec<usize>, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    }
    positions
        .iter()
        .flat_map(|set| spelled(set.iter().map(|at| &names[*at])))
        .collect()
}

/// A set of parameters in all combinations of their spellings, or in their first spellings if these
/// are too many.
fn spelled<'a>(set: impl Iterator<Item = &'a Vec<String>> + Clone) -> Vec<Vec<&'a String>> {
    let combinations: usize = set.clone().map(Vec::len).product();
    if combinations > MAX_SPELLINGS {
        return vec![set.filter_map(|spellings| spellings.first()).collect()];
    }
    set.fold(vec![Vec::new()], |sets, spellings| {
        let longer = |set: &Vec<&'a String>| {
            let set = set.clone();
            spellings
                .iter()
                .map(move |spelling| [set.as_slice(), &[spelling]].concat())
                .collect::<Vec<_>>()
        };
        sets.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use url_key::{Blocklist, KeyOptions, RuleSet};

    use super::*;

    fn keyer(rules: &str) -> Keyer {
        let rules = RuleSet::parse(rules).unwrap();
        Keyer::new(KeyOptions::default(), rules, Blocklist::default()).unwrap()
    }

    /// A slot, and evidence of ten rows with one example URL.
    fn slot(shape: &str, parameter: &str, verdict: Verdict, url: &str) -> (Slot, Evidence) {
        let slot = Slot {
            host: "www.a.com".to_owned(),
            shape: shape.to_owned(),
            parameter: parameter.to_owned(),
        };
        let evidence = Evidence {
            verdict,
            since: 15_000,
            rows: 10,
            same: 1,
            differs: 2,
            example: Some([url.to_owned(), format!("{url}&other")]),
            ..Evidence::default()
        };
        (slot, evidence)
    }

    fn proposed(slots: &[(Slot, Evidence)]) -> RuleFile {
        let mut file = RuleFile::default();
        file.add_host(slots, &keyer(""), |date| format!("day {date}"));
        file
    }

    fn rules(slots: &[(Slot, Evidence)]) -> Vec<String> {
        let text = proposed(slots).finish("tables", None);
        RuleSet::parse(&text).unwrap();
        let rules = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        rules.map(str::to_owned).collect()
    }

    #[test]
    fn a_path_has_its_evidence_above_its_rules() {
        let url = "http://www.a.com/s.php?storyId=7&tab=1&via=x";
        let slots = [
            slot("/s.php", "storyid", Verdict::Identifies, url),
            slot("/s.php", "tab", Verdict::Undecided, url),
            slot("/s.php", "via", Verdict::Noise, url),
        ];
        let file = proposed(&slots);
        assert_eq!(file.rules(), 1);
        let expected = "
# http://www.a.com/s.php
# storyid identifies pages since day 15000: rows 10, same 1, differs 2.
#   http://www.a.com/s.php?storyId=7&tab=1&via=x
#   http://www.a.com/s.php?storyId=7&tab=1&via=x&other
# tab is undecided: rows 10, same 1, differs 2. The rules drop it too: pages that differ in tab only would be merged.
#   http://www.a.com/s.php?storyId=7&tab=1&via=x
#   http://www.a.com/s.php?storyId=7&tab=1&via=x&other
# via is noise since day 15000: rows 10, same 1, differs 2. The rules drop it.
#   http://www.a.com/s.php?storyId=7&tab=1&via=x
#   http://www.a.com/s.php?storyId=7&tab=1&via=x&other
^http://www\\.a\\.com/s\\.php(\\?|$)\tstoryId
";
        let text = file.finish("tables", Some("2011-10-24"));
        assert!(text.ends_with(expected), "{text}");
        let header = "# Proposed by `urltree rules learn` from the table url_parameters at tables, up to 2011-10-24.\n";
        assert!(text.starts_with(header), "{text}");
    }

    #[test]
    fn larger_sets_of_parameters_come_first() {
        let parameters = |names: &[&str]| {
            let slots = names.iter();
            let slots = slots.map(|name| slot("", name, Verdict::Identifies, "http://www.a.com/"));
            let slots: Vec<_> = slots.collect();
            let rules = rules(&slots);
            let sets = rules.iter().map(|rule| rule.split_once('\t').unwrap().1);
            sets.map(|set| set.replace('\t', " ")).collect::<Vec<_>>()
        };
        assert_eq!(parameters(&["a", "b"]), ["a b", "a", "b"]);
        let three = ["a b c", "a b", "a c", "b c", "a", "b", "c"];
        assert_eq!(parameters(&["a", "b", "c"]), three);
        let four = ["a b c d", "a", "b", "c", "d"];
        assert_eq!(parameters(&["a", "b", "c", "d"]), four);
    }

    #[test]
    fn parts_without_a_name_are_null_and_each_spelling_has_a_rule() {
        let mut spelled = slot("/x", "id", Verdict::Identifies, "http://www.a.com/x?ID=1");
        spelled.1.example.as_mut().unwrap()[1] = "http://www.a.com/x?id=2&12".to_owned();
        let slots = [
            slot(
                "/x",
                "?article",
                Verdict::Identifies,
                "http://www.a.com/x?article1",
            ),
            slot("/x", "?visit", Verdict::Noise, "http://www.a.com/x?visit1"),
            spelled,
        ];
        let expression = "^http://www\\.a\\.com/x(\\?|$)";
        let expected = ["ID\tnull", "id\tnull", "ID", "id", "null"];
        let expected = expected.map(|set| format!("{expression}\t{set}"));
        assert_eq!(rules(&slots), expected);
        let text = proposed(&slots).finish("tables", None);
        assert!(text.contains("The rules keep ?visit too"), "{text}");
    }

    #[test]
    fn parts_that_no_rule_can_name_are_comments() {
        let url = "http://www.a.com/x?y";
        for (slots, expected) in [
            (
                vec![slot("/x", "via", Verdict::Noise, url)],
                "No rule: no parameter",
            ),
            (
                vec![slot("/x", "/amp", Verdict::Noise, url)],
                "No rule: no parameter",
            ),
            (
                vec![
                    slot("/x", "a\nb\t^", Verdict::Identifies, url),
                    slot("/x", "id", Verdict::Identifies, url),
                ],
                "No rule: a rule file cannot hold",
            ),
        ] {
            assert_eq!(rules(&slots), Vec::<String>::new());
            let text = proposed(&slots).finish("tables", None);
            assert!(text.contains(expected), "{text}");
            assert!(text.contains("No rule is proposed"), "{text}");
        }
        let undecided = [slot("/x", "id", Verdict::Undecided, url)];
        assert!(!proposed(&undecided).finish("tables", None).contains(url));
    }

    #[test]
    fn an_example_url_cannot_end_its_comment() {
        let url = "http://www.a.com/x?id=1\n^http://\tevil";
        let slots = [slot("/x", "id", Verdict::Identifies, url)];
        assert_eq!(rules(&slots), ["^http://www\\.a\\.com/x(\\?|$)\tid"]);
    }

    #[test]
    fn the_rules_give_the_keys_of_the_verdicts() {
        let decided = [
            ("", "id", Verdict::Identifies),
            ("", "/index", Verdict::Undecided),
            ("/*", "id", Verdict::Identifies),
            ("/*", "page", Verdict::Identifies),
            ("/*", "via", Verdict::Noise),
            ("/*.html", "via", Verdict::Identifies),
            ("/about", "?part", Verdict::Identifies),
            ("/about", "id", Verdict::Noise),
            ("/s", "/amp", Verdict::Noise),
            ("/s", "id", Verdict::Identifies),
            ("/s", "m.", Verdict::Identifies),
        ];
        let slots =
            decided.map(|(shape, name, verdict)| slot(shape, name, verdict, "http://a.com"));
        let text = proposed(&slots).finish("tables", None);
        let ruled = keyer(&text);
        let unruled = keyer("");
        let paths = [
            "www.a.com/",
            "www.a.com/index.php",
            "www.a.com/story-7",
            "www.a.com/story-7.html",
            "www.a.com/about",
            "www.a.com/s",
            "m.a.com/s",
        ];
        let queries = [
            "id=1",
            "id=1&page=2",
            "page=2",
            "id=1&via=x",
            "via=x",
            "part1&id=1",
            "part1",
        ];
        let mut compared = 0;
        for path in paths {
            for query in queries {
                let url = format!("http://{path}?{query}");
                let learned = unruled.parse(&url).unwrap();
                let parts = unruled.parts(&learned).unwrap();
                let verdict = |kind: &PartKind| {
                    let name = kind.to_string();
                    let of_slot =
                        |slot: &&(&str, &str, Verdict)| slot.0 == parts.shape && slot.1 == name;
                    decided.iter().find(of_slot).map(|slot| slot.2)
                };
                let kinds = || parts.parts.iter().map(|part| &part.kind);
                let in_query = |kind: &&PartKind| !kind.is_edition();
                let is_decided = kinds().filter(in_query).all(|kind| verdict(kind).is_some());
                let identifies = |kind| verdict(kind) == Some(Verdict::Identifies);
                if !is_decided || !kinds().filter(in_query).any(identifies) {
                    continue;
                }
                let noise =
                    |_: &url_key::UrlParts, kind: &PartKind| verdict(kind) == Some(Verdict::Noise);
                let expected = unruled.key_with_parts(&learned, None, noise).text;
                let found = ruled.key(&ruled.parse(&url).unwrap(), None);
                assert_eq!(found.text, expected, "{url}\n{text}");
                assert!(found.rule.is_some(), "{url}");
                compared += 1;
            }
        }
        assert_eq!(compared, 11, "{text}");
    }
}
