//! Expressions and rules for the URLs of one host and path shape.

use std::collections::BTreeSet;

use regex::{Regex, escape};

use crate::address::{INDEX_SEGMENTS, MOBILE_LABELS};
use crate::part::PartKind;
use crate::parts::{MAX_FOLDER_CHARS, MAX_SHAPE_SEGMENTS};
use crate::query::NULL;
use crate::title::is_content_id;

/// The URLs of one host and [path shape](crate::UrlParts::shape), for which rules are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    host: String,
    /// The segments of the shape.
    segments: Vec<String>,
    /// The last segment stands for any number of segments.
    is_cut: bool,
    /// Editions of the page that the pattern covers too.
    editions: BTreeSet<PartKind>,
}

/// The text that `*` in a shape stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wildcard {
    /// Any segment.
    Segment,
    /// A segment that is the name of a page. Longer, and excludes all other shapes.
    PageName,
}

impl PathPattern {
    /// Creates the pattern of `host` and `shape`, as they are in [`UrlParts`](crate::UrlParts). The
    /// pattern also covers URLs with the `editions`, which are not in a shape. Other kinds of
    /// parts are ignored.
    pub fn new(host: &str, shape: &str, editions: impl IntoIterator<Item = PartKind>) -> Self {
        let mut segments: Vec<String> = shape.split('/').skip(1).map(str::to_owned).collect();
        let is_cut = segments.len() > MAX_SHAPE_SEGMENTS;
        segments.truncate(MAX_SHAPE_SEGMENTS);
        let has_mobile_host = host.strip_prefix("www.").is_some();
        let covers = |kind: &PartKind| match kind {
            PartKind::Index => true,
            PartKind::Amp | PartKind::Print => !segments.is_empty(),
            PartKind::MobileHost => has_mobile_host,
            _ => false,
        };
        let editions = editions.into_iter().filter(covers).collect();
        Self {
            host: host.to_owned(),
            is_cut,
            editions,
            segments,
        }
    }

    /// Returns the expression of a rule for these URLs. `*` in the shape becomes `[^/?]+`, unless
    /// that matches URLs of one of the `others` of the host. Then it becomes an expression for
    /// names of pages.
    pub fn expression(&self, others: &[Self]) -> String {
        let short = self.with_wildcard(Wildcard::Segment);
        // The parts of an expression are escaped or constant, so it always compiles.
        let is_unique = Regex::new(&short).is_ok_and(|expression| {
            others
                .iter()
                .filter(|other| *other != self)
                .flat_map(Self::examples)
                .all(|url| !expression.is_match(&url))
        });
        if is_unique {
            short
        } else {
            self.with_wildcard(Wildcard::PageName)
        }
    }

    fn with_wildcard(&self, wildcard: Wildcard) -> String {
        let mut expression = "^http://".to_owned();
        match self.host.strip_prefix("www.") {
            Some(rest) if self.editions.contains(&PartKind::MobileHost) => {
                let labels = MOBILE_LABELS.join("|");
                expression.push_str(&format!("(www|{labels})\\.{}", escape(rest)));
            }
            _ => expression.push_str(&escape(&self.host)),
        }
        let views: Vec<&str> = [(PartKind::Amp, "amp"), (PartKind::Print, "print")]
            .into_iter()
            .filter(|(kind, _)| self.editions.contains(kind))
            .map(|(_, segment)| segment)
            .collect();
        let mut last: Vec<String> = views.iter().map(|view| escape(view)).collect();
        if !views.is_empty() {
            expression.push_str(&format!("(/(?i:{}))?", views.join("|")));
        }
        for segment in &self.segments {
            expression.push('/');
            expression.push_str(&segment_expression(segment, wildcard));
        }
        if self.is_cut {
            expression.push_str("/.*");
        }
        if self.editions.contains(&PartKind::Index) {
            last.extend(INDEX_SEGMENTS.iter().map(|segment| escape(segment)));
        }
        if !last.is_empty() {
            expression.push_str(&format!("(/(?i:{}))?", last.join("|")));
        }
        expression.push_str("(\\?|$)");
        expression
    }

    /// URLs that stand for all that the pattern covers.
    fn examples(&self) -> Vec<String> {
        let host = &self.host;
        let path: String = self
            .segments
            .iter()
            .map(|part| format!("/{part}"))
            .collect();
        let cut = if self.is_cut { "/..." } else { "" };
        let mut urls = vec![format!("http://{host}{path}{cut}")];
        for edition in &self.editions {
            match edition {
                PartKind::Index => urls.push(format!("http://{host}{path}{cut}/index.html")),
                PartKind::Amp | PartKind::Print => {
                    urls.push(format!("http://{host}{edition}{path}{cut}"));
                    urls.push(format!("http://{host}{path}{cut}{edition}"));
                }
                _ => {}
            }
        }
        urls
    }

    /// Returns the name that a rule uses for a part of the query, or `None` if a rule cannot name
    /// it. `spelling` is the name of a parameter as URLs have it.
    pub fn name_in_rule(kind: &PartKind, spelling: &str) -> Option<String> {
        match kind {
            PartKind::Nameless(_) => Some(NULL.to_owned()),
            PartKind::Parameter(_) => {
                let is_plain = !spelling.is_empty()
                    && spelling.trim() == spelling
                    && !spelling.contains(char::is_control)
                    && spelling != NULL
                    && !is_content_id(spelling);
                is_plain.then(|| spelling.to_owned())
            }
            _ => None,
        }
    }
}

/// The expression of a segment of a shape.
fn segment_expression(segment: &str, wildcard: Wildcard) -> String {
    let extension = match segment.strip_prefix('*') {
        Some("") => "",
        Some(extension) if extension.starts_with('.') => extension,
        _ => return escape(segment),
    };
    if wildcard == Wildcard::Segment {
        return format!("[^/?]+{}", escape(extension));
    }
    // A segment without extension has no dot.
    let other = if extension.is_empty() { "/?;." } else { "/?;" };
    format!(
        "([^{other}]*[\\pN_%-][^{other}]*|[^{other}]{{{},}}){}(;[^/?]*)?",
        MAX_FOLDER_CHARS + 1,
        escape(extension),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocklist, KeyOptions, Keyer, RuleSet};

    fn keyer(rules: &str) -> Keyer {
        let rules = RuleSet::parse(rules).unwrap();
        Keyer::new(KeyOptions::default(), rules, Blocklist::default()).unwrap()
    }

    /// The pattern of a URL, which covers the editions that the URL has.
    fn pattern(url: &str) -> PathPattern {
        let keyer = keyer("");
        let parts = keyer.parts(&keyer.parse(url).unwrap()).unwrap();
        let kinds = parts.parts.into_iter().map(|part| part.kind);
        PathPattern::new(&parts.host, &parts.shape, kinds)
    }

    fn covers(expression: &str, url: &str) -> bool {
        let keyer = keyer(&format!("{expression}\tid"));
        let url = keyer.parse(url).unwrap();
        keyer.key(&url, None).rule.is_some()
    }

    #[test]
    fn a_shape_is_escaped_and_its_wildcards_match_one_segment() {
        for (url, expected) in [
            (
                "http://www.a.com/s.php?id=1",
                r"^http://www\.a\.com/s\.php(\?|$)",
            ),
            (
                "http://a.com:8080/2013/x?id=1",
                r"^http://a\.com:8080/[^/?]+/x(\?|$)",
            ),
            ("http://a.com/?id=1", r"^http://a\.com(\?|$)"),
            (
                "http://a.com/a+b/s-7.html?id=1",
                r"^http://a\.com/[^/?]+/[^/?]+\.html(\?|$)",
            ),
            (
                "http://a.com/a/b/c/d/e/f/g/h/i/j?id=1",
                r"^http://a\.com/a/b/c/d/e/f/g/h/.*(\?|$)",
            ),
        ] {
            let expression = pattern(url).expression(&[]);
            assert_eq!(expression, expected, "{url}");
            assert!(covers(&expression, url), "{url}");
        }
    }

    #[test]
    fn an_expression_covers_the_editions_of_a_page() {
        for url in [
            "http://a.com/forum/Index.php?id=1",
            "http://a.com/index.php?id=1",
            "http://a.com/AMP/story?id=1",
            "http://a.com/story/print?id=1",
            "http://mobile.a.com/story?id=1",
            "http://m.a.com/amp/forum/default.aspx?id=1",
        ] {
            let with = pattern(url).expression(&[]);
            assert!(covers(&with, url), "{url}: {with}");
            let keyer = keyer("");
            let parts = keyer.parts(&keyer.parse(url).unwrap()).unwrap();
            assert!(
                covers(&with, &format!("{}?id=1", parts.base)),
                "{url}: {with}"
            );
            let without = PathPattern::new(&parts.host, &parts.shape, []).expression(&[]);
            assert!(!covers(&without, url), "{url}: {without}");
        }
    }

    #[test]
    fn a_wildcard_leaves_out_the_other_shapes_of_the_host() {
        let urls = [
            "http://a.com/story-7?id=1",
            "http://a.com/a%20b?id=1",
            "http://a.com/a_very_long_name_without_an_end?id=1",
            "http://a.com/averylongnamewithoutanendandwithoutahyphen?id=1",
            "http://a.com/about?id=1",
            "http://a.com/story-7.html?id=1",
            "http://a.com/about.html?id=1",
            "http://a.com/v1.2-beta.html?id=1",
            "http://a.com/index.php?id=1",
            "http://a.com/2013/05?id=1",
            "http://a.com/2013/archive?id=1",
        ];
        let patterns = urls.map(pattern);
        for own in &patterns {
            let expression = own.expression(&patterns);
            for (url, other) in urls.iter().zip(&patterns) {
                assert_eq!(covers(&expression, url), own == other, "{expression} {url}");
            }
        }
    }

    #[test]
    fn names_that_a_rule_file_cannot_hold_have_no_name_in_a_rule() {
        let parameter = PartKind::Parameter(String::new());
        let name = |spelling| PathPattern::name_in_rule(&parameter, spelling);
        assert_eq!(name("articleId").as_deref(), Some("articleId"));
        for spelling in ["", " a", "a\tb", "a\nb", "null", "_cid_", "__cid__"] {
            assert_eq!(name(spelling), None, "{spelling:?}");
        }
        let nameless = PartKind::Nameless("article".to_owned());
        assert_eq!(
            PathPattern::name_in_rule(&nameless, "").as_deref(),
            Some("null")
        );
        assert_eq!(PathPattern::name_in_rule(&PartKind::Amp, "/amp"), None);
    }
}
