//! Rules: which parameters name a page on which addresses.

use std::sync::Arc;

use regex::{RegexBuilder, RegexSet, RegexSetBuilder};

use crate::query::Query;
use crate::title::{CONTENT_ID, ORIGINAL_CONTENT_ID, is_content_id};

/// An ordered list of rules, each a regular expression and the parameters that
/// stay in the key where it applies [P 3, Table 1].
///
/// A rule applies where its expression is found in the URL and the URL has all
/// its parameters; the first that applies wins [O B3].
///
/// The expression is searched, case-sensitively, in the normalised URL: written
/// with `http` whatever its scheme, all parameters there and sorted, among them
/// `_cid_`, the content id. Which title a page has never decides which rule
/// applies: the id is shown as 32 zeros. Where the port is the default one, the
/// URL is tried both without it and with `:80`.
///
/// Rule files written for the original work unchanged [O B2, B5, B6]: in an
/// expression `__cid__` means `_cid_`, and `https://` and `:443` in one that
/// says `https://` mean `http://` and `:80`. The syntax is that of the `regex`
/// crate, which is .NET's without look-around and back-references.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Arc<Rule>>,
    expressions: RegexSet,
    /// Positions and expressions of rules that ask for no parameter of the URL: on one
    /// without any, and most are, no others need be searched for.
    served_by_nothing: (Vec<usize>, RegexSet),
}

/// A parameter list that comes into force where an expression matches.
#[derive(Debug)]
pub(crate) struct Rule {
    id: String,
    retain: Vec<String>,
}

/// A rule file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// An expression is not one of the syntax.
    #[error("line {line} of the rules: `{expression}` is no regular expression here: {source}")]
    Expression {
        /// Line of the file, from 1.
        line: usize,
        /// The expression as written.
        expression: String,
        /// What is wrong with it.
        source: regex::Error,
    },
    /// The expressions do not fit into one automaton.
    #[error("the {rules} rules do not fit together in {limit} bytes: {source}")]
    TooLarge {
        /// How many rules there are.
        rules: usize,
        /// Bytes the compiled rules may take.
        limit: usize,
        /// What the compiler says.
        source: regex::Error,
    },
}

/// What the `regex` crate gives a single expression by default: room for some
/// thousands of rules such as those of the paper. The time a URL may take grows
/// with it.
const COMPILED_BYTES: usize = 10 << 20;

impl RuleSet {
    /// No rules: every key loses its query.
    pub fn empty() -> Self {
        RuleSet::default()
    }

    /// Reads a rule file: one rule per line, an expression and its parameters
    /// separated by tabs; blank lines and lines that start with `#` say nothing.
    /// A line without a tab is an expression that is its own parameter [O B1].
    /// The parameter `null` stands for the parts of a query without `=`
    /// (`?278725`) [O A7].
    ///
    /// # Errors
    ///
    /// [`RuleError::Expression`] names the first line whose expression cannot be
    /// read; [`RuleError::TooLarge`] if they are all too large together.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut rules = Vec::new();
        let mut expressions = Vec::new();
        for (line, text) in entries(text) {
            let (expression, parameters) = text.split_once('\t').unwrap_or((text, text));
            let as_matched = as_http(expression).replace(ORIGINAL_CONTENT_ID, CONTENT_ID);
            if let Some(source) = syntax_error(&as_matched) {
                return Err(RuleError::Expression {
                    line,
                    expression: expression.to_owned(),
                    source,
                });
            }
            expressions.push(as_matched);
            rules.push(Arc::new(Rule {
                id: text.replace('\t', " "),
                retain: parameters
                    .split('\t')
                    .map(|name| name.trim().to_owned())
                    .filter(|name| !name.is_empty())
                    .collect(),
            }));
        }
        let compiled = |expressions: &[String]| {
            RegexSetBuilder::new(expressions)
                .size_limit(COMPILED_BYTES)
                .build()
                .map_err(|source| RuleError::TooLarge {
                    rules: rules.len(),
                    limit: COMPILED_BYTES,
                    source,
                })
        };
        let nothing = Query::parse("");
        let (positions, served): (Vec<usize>, Vec<String>) = (rules.iter().zip(&expressions))
            .enumerate()
            .filter(|(_, (rule, _))| rule.is_served_by(&nothing))
            .map(|(position, (_, expression))| (position, expression.clone()))
            .unzip();
        Ok(RuleSet {
            expressions: compiled(&expressions)?,
            served_by_nothing: (positions, compiled(&served)?),
            rules,
        })
    }

    /// The rule that applies to a URL, given the spellings of its text.
    pub(crate) fn applicable(&self, spellings: &[String], query: &Query) -> Option<Arc<Rule>> {
        let first = |spelling: &String| {
            if query.is_empty() {
                let (positions, expressions) = &self.served_by_nothing;
                let matching = expressions.matches(spelling).into_iter().next()?;
                return positions.get(matching).copied();
            }
            let matches = self.expressions.matches(spelling);
            matches
                .into_iter()
                .find(|&rule| self.rules[rule].is_served_by(query))
        };
        let position = spellings.iter().filter_map(first).min()?;
        self.rules.get(position).cloned()
    }
}

impl Rule {
    /// The line of the rule file, with spaces for tabs.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The names of the parameters that stay.
    pub(crate) fn retain(&self) -> &[String] {
        &self.retain
    }

    pub(crate) fn retains_content_id(&self) -> bool {
        self.retain.iter().any(|name| is_content_id(name))
    }

    fn is_served_by(&self, query: &Query) -> bool {
        self.retain.iter().all(|name| query.has(name))
    }
}

/// With room for nothing the compiler stops right after the syntax: compiled
/// one by one, the expressions of a small file could take minutes.
fn syntax_error(expression: &str) -> Option<regex::Error> {
    let compiled = RegexBuilder::new(expression).size_limit(0).build();
    compiled
        .err()
        .filter(|error| matches!(error, regex::Error::Syntax(_)))
}

/// The entries of a rule file or blocklist, trimmed, with their line numbers.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .zip(1..)
        .filter(|(entry, _)| !entry.is_empty() && !entry.starts_with('#'))
        .map(|(entry, line)| (line, entry))
}

/// What an entry says about `https` pages, said about the `http` URL under
/// which all pages are matched.
pub(crate) fn as_http(entry: &str) -> String {
    if entry.contains("https://") {
        entry.replace("https://", "http://").replace(":443", ":80")
    } else {
        entry.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applies(rules: &str, url: &str, query: &str) -> Option<String> {
        let rules = RuleSet::parse(rules).unwrap();
        let rule = rules.applicable(&[url.to_owned()], &Query::parse(query))?;
        Some(rule.id().to_owned())
    }

    #[test]
    fn the_first_rule_that_matches_and_finds_its_parameters_wins() {
        let rules = "# a comment\n\n  a\tsport\tid  \r\na\tid\na\t__cid__";
        assert_eq!(applies(rules, "a", "id=1&sport=x").unwrap(), "a sport id");
        assert_eq!(applies(rules, "a", "id=1").unwrap(), "a id");
        assert_eq!(applies(rules, "a", "Id=1").unwrap(), "a __cid__");
        assert_eq!(applies(rules, "b", "id=1"), None);
        assert_eq!(applies(rules, "a", "").unwrap(), "a __cid__");
        assert_eq!(applies("a\tid\nb\t__cid__", "a", ""), None);
    }

    #[test]
    fn a_line_without_a_tab_is_its_own_parameter() {
        assert_eq!(applies("page", "x/page?page=1", "page=1").unwrap(), "page");
        assert_eq!(applies("page", "x/page", ""), None);
    }

    #[test]
    fn an_expression_that_does_not_compile_is_named_by_line() {
        let error = RuleSet::parse("# fine\na\tid\n\n(?<=x)y\tid").unwrap_err();
        assert!(
            matches!(error, RuleError::Expression { line: 4, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("line 4"), "{error}");
    }

    #[test]
    fn expressions_that_are_too_large_together_are_refused() {
        let large = "\\pL{60}\tid\n".repeat(5_000);
        let error = RuleSet::parse(&large).unwrap_err();
        assert!(
            matches!(error, RuleError::TooLarge { rules: 5_000, .. }),
            "{error}"
        );
        let error = RuleSet::parse("\\pL{3000}\tid").unwrap_err();
        assert!(
            matches!(error, RuleError::TooLarge { rules: 1, .. }),
            "{error}"
        );
        let error = RuleSet::parse(&format!("{large}(\tid")).unwrap_err();
        assert!(
            matches!(error, RuleError::Expression { line: 5_001, .. }),
            "{error}"
        );
    }

    #[test]
    fn https_in_an_entry_means_every_scheme() {
        assert_eq!(as_http("https://a:443/b"), "http://a:80/b");
        assert_eq!(as_http("http://a:443/b"), "http://a:443/b");
        assert_eq!(as_http("https?://a"), "https?://a");
    }
}
