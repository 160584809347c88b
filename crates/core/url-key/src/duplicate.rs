//! The reason why two rows are one page [P 3, Figure 2].

/// The first step of URL normalisation after which two URLs are equal.
///
/// The variants are in the order of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DuplicateReason {
    /// Both rows requested the same URL.
    IdenticalUrl,
    /// The requested URLs differ, and redirect to the same response URL.
    Redirect,
    /// The response URLs differ only in the spelling and order of their parts.
    Encoding,
    /// The response URLs differ in parameters, and no rule applies: the key has none of them.
    DroppedQuery,
    /// The response URLs differ in parameters that a rule does not retain.
    Rule,
    /// The response URLs differ in parts that the pages of the site have shown to be noise.
    LearnedParameter,
    /// The response URLs differ in parts that nothing decides about, and the pages have equal
    /// content.
    SameContent,
}

impl DuplicateReason {
    /// All reasons, in the order of the steps.
    pub const ALL: [Self; 7] = [
        Self::IdenticalUrl,
        Self::Redirect,
        Self::Encoding,
        Self::DroppedQuery,
        Self::Rule,
        Self::LearnedParameter,
        Self::SameContent,
    ];

    /// A stable name, such as `dropped_query`.
    pub fn as_str(self) -> &'static str {
        match self {
            DuplicateReason::IdenticalUrl => "identical_url",
            DuplicateReason::Redirect => "redirect",
            DuplicateReason::Encoding => "encoding",
            DuplicateReason::DroppedQuery => "dropped_query",
            DuplicateReason::Rule => "rule",
            DuplicateReason::LearnedParameter => "learned_parameter",
            DuplicateReason::SameContent => "same_content",
        }
    }
}

/// The URLs of one of two rows with equal keys.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateCandidate<'a> {
    /// The requested URL, if known.
    pub request_url: Option<&'a str>,
    /// The response URL.
    pub url: &'a str,
    /// [`UrlKey::normalized`](crate::UrlKey::normalized).
    pub normalized: &'a str,
    /// [`UrlKey::rule`](crate::UrlKey::rule).
    pub rule: Option<&'a str>,
    /// The key with all parts that nothing decides about. Rows whose keys have equal texts here
    /// are equal without anything learned.
    pub unlearned: &'a str,
}

impl<'a> DuplicateCandidate<'a> {
    /// The requested URL, or the response URL if that is not known.
    fn requested(&self) -> &'a str {
        self.request_url.unwrap_or(self.url)
    }
}

/// Returns the reason why two rows with equal keys are one page. If a requested URL is not known,
/// the response URL takes its place.
pub fn duplicate_reason(
    original: &DuplicateCandidate<'_>,
    duplicate: &DuplicateCandidate<'_>,
) -> DuplicateReason {
    if original.requested() == duplicate.requested() {
        DuplicateReason::IdenticalUrl
    } else if original.url == duplicate.url {
        DuplicateReason::Redirect
    } else if original.normalized == duplicate.normalized {
        DuplicateReason::Encoding
    } else if duplicate.rule.is_some() {
        DuplicateReason::Rule
    } else if original.unlearned == duplicate.unlearned {
        DuplicateReason::DroppedQuery
    } else {
        DuplicateReason::LearnedParameter
    }
}
