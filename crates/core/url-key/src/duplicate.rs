//! Which step of normalisation made two pages one [P 3, Figure 2].

/// The steps of URL normalisation, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DuplicateReason {
    /// The same URL was asked for again.
    IdenticalUrl,
    /// Another URL was asked for and led to the same response URL.
    Redirect,
    /// The response URLs differ in the spelling and order of their parts only.
    Encoding,
    /// The response URLs differ in parameters, all of which were dropped.
    DroppedQuery,
    /// The response URLs differ in parameters that a rule does not retain.
    Rule,
}

impl DuplicateReason {
    /// All of them, in their order.
    pub const ALL: [Self; 5] = [
        Self::IdenticalUrl,
        Self::Redirect,
        Self::Encoding,
        Self::DroppedQuery,
        Self::Rule,
    ];

    /// The name of the step in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            DuplicateReason::IdenticalUrl => "identical_url",
            DuplicateReason::Redirect => "redirect",
            DuplicateReason::Encoding => "encoding",
            DuplicateReason::DroppedQuery => "dropped_query",
            DuplicateReason::Rule => "rule",
        }
    }
}

/// The addresses of a page that has been keyed.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateCandidate<'a> {
    /// The URL that was asked for, where it is known.
    pub request_url: Option<&'a str>,
    /// The response URL.
    pub url: &'a str,
    /// [`UrlKey::normalized`](crate::UrlKey::normalized).
    pub normalized: &'a str,
    /// [`UrlKey::rule`](crate::UrlKey::rule).
    pub rule: Option<&'a str>,
}

impl<'a> DuplicateCandidate<'a> {
    fn asked_for(&self) -> &'a str {
        self.request_url.unwrap_or(self.url)
    }
}

/// The first step after which the addresses of two pages with equal keys are
/// the same. Where the request URL is not known, the response URL stands in.
pub fn duplicate_reason(
    original: &DuplicateCandidate<'_>,
    duplicate: &DuplicateCandidate<'_>,
) -> DuplicateReason {
    if original.asked_for() == duplicate.asked_for() {
        DuplicateReason::IdenticalUrl
    } else if original.url == duplicate.url {
        DuplicateReason::Redirect
    } else if original.normalized == duplicate.normalized {
        DuplicateReason::Encoding
    } else if duplicate.rule.is_some() {
        DuplicateReason::Rule
    } else {
        DuplicateReason::DroppedQuery
    }
}
