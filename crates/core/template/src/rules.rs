//! Which rules a template uses.

use std::fmt;

/// A rule by which blocks are labelled. The crate's documentation has them in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The block that shows the page's title is content.
    OwnTitle,
    /// The way to the main branch goes through the element that holds the title.
    TitleLeads,
    /// What stands under an element named after comments is boilerplate.
    Comments,
    /// What stands in navigation, headers, footers and forms is boilerplate.
    SkipElements,
    /// What stands outside the main branch is boilerplate.
    MainBranch,
    /// What stands in a slot of link text is boilerplate.
    LinkSlots,
    /// What repeats is boilerplate.
    Repetition,
    /// What repeats in a slot where hardly anything does is content.
    ContentSlots,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 8] = [
        Rule::OwnTitle,
        Rule::TitleLeads,
        Rule::Comments,
        Rule::SkipElements,
        Rule::MainBranch,
        Rule::LinkSlots,
        Rule::Repetition,
        Rule::ContentSlots,
    ];
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::OwnTitle => "own title",
            Rule::TitleLeads => "title leads",
            Rule::Comments => "comments",
            Rule::SkipElements => "skip elements",
            Rule::MainBranch => "main branch",
            Rule::LinkSlots => "link slots",
            Rule::Repetition => "repetition",
            Rule::ContentSlots => "content slots",
        })
    }
}

/// A set of rules; all of them, unless rules are measured one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules(u8);

impl Default for Rules {
    fn default() -> Self {
        Rules(u8::MAX)
    }
}

impl Rules {
    /// These alone.
    pub fn only(rules: &[Rule]) -> Self {
        Rules(rules.iter().fold(0, |set, rule| set | bit(*rule)))
    }

    /// All but one.
    pub fn without(rule: Rule) -> Self {
        Rules(!bit(rule))
    }

    pub(crate) fn has(self, rule: Rule) -> bool {
        self.0 & bit(rule) != 0
    }
}

fn bit(rule: Rule) -> u8 {
    1 << rule as u8
}
