//! The parts of a URL that no rule knows.

use serde::{Deserialize, Serialize};
use url_key::{Keyer, UrlKey};

/// The treatment of parameters and other parts of URLs that no rule knows: `paper.queries` of a
/// job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Queries {
    /// They stay in the URL key until the pages of the site have shown that they change nothing.
    /// Pages that differ in them only are compared by content.
    #[default]
    Learn,
    /// Parameters are dropped, as in the paper: all pages of a path are one page.
    Drop,
}

/// Computes the key of a stored page after a change of rules: `keyer` has the new ones. Returns
/// `None` if no rule applied before and none applies now, so that the key stays, or if the URL
/// cannot be parsed.
///
/// A page that loses its rule gets its key as on the first date of its site: with
/// [`Queries::Learn`], all undecided parts stay.
///
/// ```
/// use site_replay::{Queries, key_after_rule_change};
/// use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
///
/// let rules = RuleSet::parse("/show\tstory")?;
/// let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default())?;
/// let key = |url, had_rule| {
///     key_after_rule_change(&keyer, Queries::Learn, url, had_rule, None).map(|key| key.text)
/// };
/// let ruled = key("http://a.example/show?story=1&via=x", false);
/// assert_eq!(ruled.as_deref(), Some("http://a.example/show?story=1"));
/// let without = key("http://a.example/list?page=2", true);
/// assert_eq!(without.as_deref(), Some("http://a.example/list?page=2"));
/// assert_eq!(key("http://a.example/list?page=2", false), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn key_after_rule_change(
    keyer: &Keyer,
    queries: Queries,
    url: &str,
    had_rule: bool,
    content_id: Option<&str>,
) -> Option<UrlKey> {
    let page = keyer.parse(url).ok()?;
    let key = keyer.key_with_content_id(&page, content_id.map(str::to_owned));
    match (&key.rule, had_rule, queries) {
        (None, false, _) => None,
        (None, true, Queries::Learn) => Some(keyer.key_with_parts(&page, None, |_, _| false)),
        _ => Some(key),
    }
}
