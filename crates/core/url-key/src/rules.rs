//! Rules: the parameters that identify a page, by URL pattern.

use std::sync::Arc;

use regex::{RegexBuilder, RegexSet, RegexSetBuilder};

use crate::entries::{as_http, entries};
use crate::query::Query;
use crate::title::{CONTENT_ID, ORIGINAL_CONTENT_ID, is_content_id};

/// An ordered list of rules. A rule is a regular expression and the parameters that stay in the
/// key of a URL that it applies to [P 3, Table 1].
///
/// A rule applies if its expression matches the URL and the URL has all its parameters. The
/// first rule that applies is used [O B3]. In the text of the paper a rule needs no parameters:
/// see [`needing_parameters`](Self::needing_parameters).
///
/// The expression is searched, case-sensitively, in the normalised URL: with `http` for both
/// schemes, and with all parameters in sorted order. These include `_cid_`, the content id, with
/// the value of 32 zeros, so the title never decides which rule applies. A URL with the default
/// port is matched both without it and with `:80`.
///
/// Rule files written for the original work unchanged [O B2, B5, B6]: `__cid__` in an expression
/// means `_cid_`. In an expression with `https://`, `https://` means `http://` and `:443` means
/// `:80`. The syntax is that of the `regex` crate, which is .NET's without look-around and
/// back-references.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Arc<Rule>>,
    expressions: RegexSet,
    /// Positions and expressions of the rules that need no parameter of the URL. Most URLs have no
    /// parameters, and only these rules can apply to them.
    without_parameters: (Vec<usize>, RegexSet),
    /// Whether a rule applies if its expression matches, whatever parameters the URL has.
    by_expression_alone: bool,
}

/// The parameters that a rule retains.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The line of the rule file, with spaces for tabs.
    id: String,
    /// The names of the retained parameters.
    retain: Vec<String>,
}

/// An error in a rule file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// An expression has a syntax error.
    #[error("line {line} of the rules: `{expression}` is not a valid regular expression: {source}")]
    Expression {
        /// The line number in the file, from 1.
        line: usize,
        /// The expression as written.
        expression: String,
        /// The error of the regex parser.
        source: regex::Error,
    },
    /// All expressions together exceed the size limit of the compiled automaton.
    #[error(
        "the {rules} rules need more than {limit} bytes when compiled: {source}; shorten the expressions or remove rules"
    )]
    TooLarge {
        /// The number of rules.
        rules: usize,
        /// The limit in bytes.
        limit: usize,
        /// The error of the regex compiler.
        source: regex::Error,
    },
}

/// Size limit of the compiled rules in bytes: the default of the `regex` crate for one expression,
/// enough for some thousands of rules such as those of the paper. A higher limit allows more
/// rules and lets matching a URL take longer.
const COMPILED_BYTES: usize = 10 << 20;

impl RuleSet {
    /// Returns a set without rules: no key has a query.
    pub fn empty() -> Self {
        RuleSet::default()
    }

    /// Parses a rule file. A line is one rule: an expression and its parameters, separated by
    /// tabs. Blank lines and lines that start with `#` are ignored. In a line without a tab, the
    /// text is both the expression and the name of its parameter [O B1]. The parameter `null`
    /// means the parts of a query without `=` (`?278725`) [O A7].
    ///
    /// # Errors
    ///
    /// Returns [`RuleError::Expression`] for the first invalid expression, and
    /// [`RuleError::TooLarge`] if all expressions together are too large.
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
        let nothing = Query::default();
        let (positions, applicable): (Vec<usize>, Vec<String>) = rules
            .iter()
            .zip(&expressions)
            .enumerate()
            .filter(|(_, (rule, _))| rule.has_parameters_in(&nothing))
            .map(|(position, (_, expression))| (position, expression.clone()))
            .unzip();
        Ok(RuleSet {
            expressions: compiled(&expressions)?,
            without_parameters: (positions, compiled(&applicable)?),
            rules,
            by_expression_alone: false,
        })
    }

    /// Sets whether a rule applies only to URLs that have all its parameters, as in the authors'
    /// code and by default. Without, the first rule whose expression matches applies [P 3]; a URL
    /// that has none of its parameters loses its query.
    #[must_use]
    pub fn needing_parameters(self, needs_parameters: bool) -> Self {
        RuleSet {
            by_expression_alone: !needs_parameters,
            ..self
        }
    }

    /// The first rule that applies to a URL in any of its spellings.
    pub(crate) fn applicable(&self, spellings: &[String], query: &Query) -> Option<Arc<Rule>> {
        let first = |spelling: &String| {
            if self.by_expression_alone {
                return self.expressions.matches(spelling).into_iter().next();
            }
            if query.is_empty() {
                let (positions, expressions) = &self.without_parameters;
                let matching = expressions.matches(spelling).into_iter().next()?;
                return positions.get(matching).copied();
            }
            let matches = self.expressions.matches(spelling);
            matches
                .into_iter()
                .find(|&rule| self.rules[rule].has_parameters_in(query))
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

    /// Whether a query has all parameters of the rule.
    fn has_parameters_in(&self, query: &Query) -> bool {
        self.retain.iter().all(|name| query.has(name))
    }
}

/// Checks the syntax of an expression. `size_limit(0)` makes the regex compiler stop after
/// parsing: compiling each expression of a small file separately could take minutes.
fn syntax_error(expression: &str) -> Option<regex::Error> {
    let compiled = RegexBuilder::new(expression).size_limit(0).build();
    compiled
        .err()
        .filter(|error| matches!(error, regex::Error::Syntax(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Reading;

    fn applies(rules: &str, url: &str, query: &str) -> Option<String> {
        let rules = RuleSet::parse(rules).unwrap();
        let rule = rules.applicable(&[url.to_owned()], &Query::parse(query, Reading::Server))?;
        Some(rule.id().to_owned())
    }

    #[test]
    fn the_first_rule_that_matches_with_its_parameters_applies() {
        let rules = "# a comment\n\n  a\tsport\tid  \r\na\tid\na\t__cid__";
        assert_eq!(applies(rules, "a", "id=1&sport=x").unwrap(), "a sport id");
        assert_eq!(applies(rules, "a", "id=1").unwrap(), "a id");
        assert_eq!(applies(rules, "a", "Id=1").unwrap(), "a __cid__");
        assert_eq!(applies(rules, "b", "id=1"), None);
        assert_eq!(applies(rules, "a", "").unwrap(), "a __cid__");
        assert_eq!(applies("a\tid\nb\t__cid__", "a", ""), None);
    }

    #[test]
    fn a_rule_may_need_no_parameters() {
        let rules = "a\tid\na\tpage";
        let by_expression = RuleSet::parse(rules).unwrap().needing_parameters(false);
        for (query, with_parameters) in [
            ("id=1", Some("a id")),
            ("page=1", Some("a page")),
            ("", None),
        ] {
            assert_eq!(applies(rules, "a", query).as_deref(), with_parameters);
            let rule =
                by_expression.applicable(&["a".to_owned()], &Query::parse(query, Reading::Server));
            assert_eq!(rule.unwrap().id(), "a id", "{query}");
        }
        assert!(
            by_expression
                .applicable(&["b".to_owned()], &Query::parse("id=1", Reading::Server))
                .is_none()
        );
    }

    #[test]
    fn a_line_without_a_tab_is_its_own_parameter() {
        assert_eq!(applies("page", "x/page?page=1", "page=1").unwrap(), "page");
        assert_eq!(applies("page", "x/page", ""), None);
    }

    #[test]
    fn an_invalid_expression_is_reported_with_its_line() {
        let error = RuleSet::parse("# fine\na\tid\n\n(?<=x)y\tid").unwrap_err();
        assert!(
            matches!(error, RuleError::Expression { line: 4, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("line 4"), "{error}");
    }

    #[test]
    fn expressions_that_are_too_large_together_are_an_error() {
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
    fn https_in_an_entry_covers_both_schemes() {
        assert_eq!(as_http("https://a:443/b"), "http://a:80/b");
        assert_eq!(as_http("http://a:443/b"), "http://a:443/b");
        assert_eq!(as_http("https?://a"), "https?://a");
    }
}
