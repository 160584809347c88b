//! Keys from URLs and titles.

use crate::blocklist::Blocklist;
use crate::branch::Branch;
use crate::domain::{Domain, OptionsError, Suffixes};
use crate::options::KeyOptions;
use crate::page_url::{PageUrl, Parts, UrlError};
use crate::rules::{Rule, RuleSet};
use crate::title::content_id;

/// Computes the keys of pages. Immutable: build one per job and share it between threads.
///
/// The default has the default options, no rules and no blocklist.
#[derive(Clone, Debug, Default)]
pub struct Keyer {
    options: KeyOptions,
    suffixes: Suffixes,
    rules: RuleSet,
    blocklist: Blocklist,
}

/// The key of a page, and the facts that follow from its URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlKey {
    /// The key. Rows with equal keys are the same page [P 3].
    pub text: String,
    /// The domain of the page, which has one URL Tree.
    pub domain: Domain,
    /// The normalised URL before rules are applied: one spelling, with all parameters, sorted.
    pub normalized: String,
    /// The [`content_id`] of the title, if a title was given or the rule retains it. A missing
    /// title counts as an empty one [O A13].
    pub content_id: Option<String>,
    /// The applied rule: its line in the rule file, with spaces for tabs.
    pub rule: Option<String>,
    /// Whether the blocklist covers the page.
    pub blocklisted: bool,
}

impl UrlKey {
    /// The path of the page in the URL Tree of its domain.
    pub fn branch(&self) -> Branch<'_> {
        Branch::from_key(&self.text)
    }
}

impl Keyer {
    /// Creates a keyer.
    ///
    /// # Errors
    ///
    /// Returns [`OptionsError::Suffix`] if an extra suffix is not a host name.
    pub fn new(
        options: KeyOptions,
        rules: RuleSet,
        blocklist: Blocklist,
    ) -> Result<Self, OptionsError> {
        let suffixes = Suffixes::new(options.grouping, &options.extra_suffixes)?;
        Ok(Keyer {
            options,
            suffixes,
            rules,
            blocklist,
        })
    }

    /// Parses a response URL and finds the rule that applies to it.
    ///
    /// # Errors
    ///
    /// Returns a [`UrlError`] if the URL has no key.
    pub fn parse(&self, url: &str) -> Result<PageUrl, UrlError> {
        let parts = Parts::parse(url, &self.options, &self.suffixes)?;
        let spellings = parts.spellings();
        let rule = self.rules.applicable(&spellings, parts.query());
        let blocklisted = spellings.iter().any(|url| self.blocklist.covers(url));
        Ok(parts.into_page_url(rule, blocklisted))
    }

    /// The name of the options that decide the domain of a URL, and whether it has one: two keyers with one name find the
    /// same [`PageUrl::domain`].
    pub fn domain_rules(&self) -> String {
        let KeyOptions {
            // A domain has no scheme.
            scheme: _,
            reading,
            // Part of the name of the suffixes.
            grouping: _,
            extra_suffixes: _,
            max_url_bytes,
            max_path_segments,
        } = &self.options;
        let suffixes = self.suffixes.name();
        format!(
            "{suffixes}, read as {reading:?}, {max_url_bytes} bytes, {max_path_segments} segments"
        )
    }

    /// Whether the key of the page depends on its title: the rule that applies to the URL retains
    /// the content id.
    pub fn needs_title(&self, url: &PageUrl) -> bool {
        url.rule.as_deref().is_some_and(Rule::retains_content_id)
    }

    /// Returns this keyer with other rules.
    #[must_use]
    pub fn with_rules(&self, rules: RuleSet) -> Self {
        Keyer {
            rules,
            ..self.clone()
        }
    }

    /// Computes the key of the page at `url` with this title. If
    /// [`needs_title`](Self::needs_title) is false, the title only determines
    /// [`UrlKey::content_id`].
    pub fn key(&self, url: &PageUrl, title: Option<&str>) -> UrlKey {
        self.key_with_content_id(url, title.map(content_id))
    }

    /// Computes the key of the page at `url`, as [`key`](Self::key) does, from the [`content_id`]
    /// of its title.
    pub fn key_with_content_id(&self, url: &PageUrl, known_id: Option<String>) -> UrlKey {
        let wants_content_id = self.needs_title(url);
        let content_id = known_id.or_else(|| wants_content_id.then(|| content_id("")));

        let mut text = url.address.clone();
        if let Some(rule) = &url.rule {
            let retained_id = content_id.as_deref().filter(|_| wants_content_id);
            url.query
                .print_retained(&mut text, retained_id, rule.retain());
        }
        let mut normalized = url.address.clone();
        url.query.print(&mut normalized, None);

        UrlKey {
            text,
            domain: url.domain.clone(),
            normalized,
            content_id,
            rule: url.rule.as_ref().map(|rule| rule.id().to_owned()),
            blocklisted: url.blocklisted,
        }
    }
}
