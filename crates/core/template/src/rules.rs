//! The rules of a template, and sets of rules.

use std::fmt;

/// A rule of the labelling. The crate documentation lists the rules in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The block that shows the page's title is content.
    OwnTitle,
    /// The search for the main branch goes to the element that contains the title.
    TitleLeads,
    /// Text below an element named after comments is boilerplate.
    Comments,
    /// The comments of a thread or a ticket are content.
    Discussions,
    /// Text below navigation, headers, footers and forms is boilerplate.
    SkipElements,
    /// Headings and sentences of headers in the main branch are content.
    Headers,
    /// Other articles below the page's own are boilerplate.
    OtherArticles,
    /// The search for the main branch goes to the element with the sentences.
    SentencesLead,
    /// Text outside the main branch is boilerplate.
    MainBranch,
    /// The sentences between the page's title and its main branch are content.
    Leads,
    /// Teasers of other pages in the main branch are boilerplate.
    Teasers,
    /// Text at a DOM path with mostly link text is boilerplate.
    LinkSlots,
    /// Links are content on a page that is a list of links.
    Lists,
    /// Lines at a path whose lines return on many pages are boilerplate.
    FamiliarPaths,
    /// A repeated block in a paragraph or a list with other text is content.
    Units,
    /// A repeated heading right before a text is content, and the repeated label of a row or column of text.
    Headings,
    /// A repeated block is boilerplate.
    Repetition,
    /// A repeated block at a DOM path with little repeated text is content.
    ContentSlots,
    /// The cells of a row with figures that hardly any other page has are content.
    Figures,
    /// Later copies of a text of the page are boilerplate.
    Copies,
    /// Blocks of unknown sites are judged by what such blocks are on other sites.
    Prior,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 21] = [
        Rule::OwnTitle,
        Rule::TitleLeads,
        Rule::Comments,
        Rule::Discussions,
        Rule::SkipElements,
        Rule::Headers,
        Rule::OtherArticles,
        Rule::SentencesLead,
        Rule::MainBranch,
        Rule::Leads,
        Rule::Teasers,
        Rule::LinkSlots,
        Rule::Lists,
        Rule::FamiliarPaths,
        Rule::Units,
        Rule::Headings,
        Rule::Repetition,
        Rule::ContentSlots,
        Rule::Figures,
        Rule::Copies,
        Rule::Prior,
    ];
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::OwnTitle => "own title",
            Rule::TitleLeads => "title leads",
            Rule::Comments => "comments",
            Rule::Discussions => "discussions",
            Rule::SkipElements => "skip elements",
            Rule::Headers => "headers",
            Rule::OtherArticles => "other articles",
            Rule::SentencesLead => "sentences lead",
            Rule::MainBranch => "main branch",
            Rule::Leads => "leads",
            Rule::Teasers => "teasers",
            Rule::LinkSlots => "link slots",
            Rule::Lists => "lists",
            Rule::FamiliarPaths => "familiar paths",
            Rule::Units => "units",
            Rule::Headings => "headings",
            Rule::Repetition => "repetition",
            Rule::ContentSlots => "content slots",
            Rule::Figures => "figures",
            Rule::Copies => "copies",
            Rule::Prior => "prior",
        })
    }
}

/// A set of rules. The default is all rules; other sets serve to measure single rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules(u32);

impl Default for Rules {
    fn default() -> Self {
        Rules(u32::MAX)
    }
}

impl Rules {
    /// Returns a set of these rules.
    pub fn only(rules: &[Rule]) -> Self {
        Rules(rules.iter().fold(0, |set, rule| set | bit(*rule)))
    }

    /// Returns all rules except one.
    pub fn without(rule: Rule) -> Self {
        Rules(!bit(rule))
    }

    /// Returns this set without a rule.
    pub(crate) fn and_without(self, rule: Rule) -> Self {
        Rules(self.0 & !bit(rule))
    }

    /// Returns whether the set contains a rule.
    pub(crate) fn has(self, rule: Rule) -> bool {
        self.0 & bit(rule) != 0
    }
}

fn bit(rule: Rule) -> u32 {
    1 << rule as u32
}
