//! From a URL and a title to a key.

use crate::blocklist::Blocklist;
use crate::branch::Branch;
use crate::domain::{Domain, Grouping, OptionsError, Suffixes};
use crate::page_url::{PageUrl, Parts, UrlError};
use crate::rules::{Rule, RuleSet};
use crate::title::content_id;

/// Whether `http` and `https` tell pages apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Both have one key, which is printed with `http`.
    #[default]
    Merge,
    /// Keys keep the scheme, as those of the original do [O A2].
    Separate,
}

/// How URLs are keyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOptions {
    /// Whether `http` and `https` tell pages apart; by default they do not.
    pub scheme: Scheme,
    /// Which pages share a domain; by default those of one registrable domain.
    pub grouping: Grouping,
    /// Names under which domains are formed besides those of the public-suffix
    /// list: `go.com` makes `abcnews.go.com` a domain, as the paper's
    /// evaluation does [O B9]. None by default.
    pub extra_suffixes: Vec<String>,
    /// Most bytes of a URL. By default 8192: what servers commonly accept in a
    /// request line, twenty times what the original stores of a URL [O F6].
    pub max_url_bytes: usize,
    /// Most segments of a path, each of which is a node of a URL Tree. By
    /// default 256.
    pub max_path_segments: usize,
}

impl Default for KeyOptions {
    fn default() -> Self {
        KeyOptions {
            scheme: Scheme::default(),
            grouping: Grouping::default(),
            extra_suffixes: Vec::new(),
            max_url_bytes: 8192,
            max_path_segments: 256,
        }
    }
}

/// Gives pages their keys. Immutable: built once for a job and shared.
#[derive(Clone, Debug)]
pub struct Keyer {
    options: KeyOptions,
    suffixes: Suffixes,
    rules: RuleSet,
    blocklist: Blocklist,
}

/// What a page is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlKey {
    /// The key: two pages with equal texts are one page [P 3].
    pub text: String,
    /// The domain whose URL Tree the page belongs to.
    pub domain: Domain,
    /// The URL before rules: one spelling, all parameters, sorted.
    pub normalized: String,
    /// The [`content_id`] of the title, if a title was given or a rule asked for
    /// it; a missing title counts as the empty one [O A13].
    pub content_id: Option<String>,
    /// The line of the rule file that applied, with spaces for tabs.
    pub rule: Option<String>,
    /// Whether the blocklist covers the page.
    pub blocklisted: bool,
}

impl UrlKey {
    /// The page's place in the URL Tree of its domain.
    pub fn branch(&self) -> Branch<'_> {
        Branch::from_key(&self.text)
    }
}

impl Keyer {
    /// # Errors
    ///
    /// [`OptionsError::Suffix`] if an extra suffix is not a host name.
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

    /// Takes a response URL apart and finds the rule that applies to it.
    ///
    /// # Errors
    ///
    /// [`UrlError`] says why the URL has no key.
    pub fn parse(&self, url: &str) -> Result<PageUrl, UrlError> {
        let parts = Parts::parse(url, &self.options, &self.suffixes)?;
        let spellings = parts.spellings();
        let rule = self.rules.applicable(&spellings, parts.query());
        let blocklisted = spellings.iter().any(|url| self.blocklist.covers(url));
        Ok(parts.into_page_url(rule, blocklisted))
    }

    /// Whether the page's key depends on its title: the rule that applies to
    /// its URL retains the content id.
    pub fn needs_title(&self, url: &PageUrl) -> bool {
        url.rule.as_deref().is_some_and(Rule::retains_content_id)
    }

    /// The key of the page at `url` with this title. Where
    /// [`needs_title`](Self::needs_title) is false, the title only shows in
    /// [`UrlKey::content_id`].
    pub fn key(&self, url: &PageUrl, title: Option<&str>) -> UrlKey {
        let wants_content_id = self.needs_title(url);
        let content_id =
            (title.is_some() || wants_content_id).then(|| content_id(title.unwrap_or_default()));

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
