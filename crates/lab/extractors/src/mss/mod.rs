//! MSS: the part of a page whose tokens are likeliest to be content.
//!
//! J. Pasternack, D. Roth: "Extracting Article Text from the Web with Maximum Subsequence
//! Segmentation", WWW 2009, pp. 971-980, as section 2.2.4 of the thesis describes it.
//!
//! 1. The page becomes a sequence of tokens: tags, words and other characters. Words are
//!    stemmed, and numbers are equal.
//! 2. A naive Bayes classifier gives each token the probability of being content. It sees two
//!    features: the trigram of the token and the two tokens after it, and the innermost element
//!    around it ("the most recent unclosed tag").
//! 3. One half is subtracted. The subsequence of tokens whose sum is greatest is the content
//!    (equation 2.1), or the `k` disjoint subsequences with the greatest sum.
//!
//! This is the supervised algorithm. The semi-supervised one, which trains on other pages of
//! the site once more, is left out.
//!
//! The description leaves some points open. They are decided as follows:
//!
//! - Words are cut after their fifth letter. The paper's stemmer is for English.
//! - The sequence is that of the tree, so every element has an end tag, and invisible elements
//!   have no tokens.
//! - Content and other tokens are equally likely beforehand. Features have add-one smoothing; an
//!   unknown one says nothing.
//! - There is one subsequence. The option `subsequences` sets another number.
//! - The text of a subsequence is kept whole. (The paper removes some elements from it by
//!   a list.)
//!
//! # Training
//!
//! The authors' pages and models are not public. Ours is of the development set of the Web
//! Content Extraction Benchmark (WCXB, M. Foley 2026, CC-BY-4.0), most of it in English, by the
//! command in the documentation of `ncleaner`. `models/mss.txt` has hashes of 24 bits of the
//! most common trigrams, and no word.

mod model;
mod subsequence;
mod tokens;

use std::sync::LazyLock;

pub use model::{TokenCounts, TokenModel};

use crate::dom::{Dom, NodeId, NodeKind, is_inline};
use crate::options::{OptionProblem, Options};
use crate::text::TextBuilder;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};
use subsequence::maximum_subsequences;
use tokens::{Token, tokens};

/// Keeps the part of the page whose tokens are likeliest to be content. See the
/// [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct Mss {
    /// The most subsequences.
    pub subsequences: usize,
}

static MODEL: LazyLock<TokenModel> =
    LazyLock::new(|| TokenModel::parse(include_str!("../../models/mss.txt")).unwrap_or_default());

impl Mss {
    /// One subsequence.
    pub const DEFAULT: Self = Self { subsequences: 1 };

    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let subsequences = options.whole("subsequences", 1..=1_000)?;
        Ok(Self {
            subsequences: subsequences.unwrap_or(Self::DEFAULT.subsequences),
        })
    }
}

impl Extractor for Mss {
    fn name(&self) -> &'static str {
        "mss"
    }

    fn summary(&self) -> &'static str {
        "the sequence of tokens that are likeliest to be content"
    }

    fn reference(&self) -> &'static str {
        "J. Pasternack, D. Roth: Extracting Article Text from the Web with Maximum Subsequence \
         Segmentation. WWW 2009, pp. 971-980"
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let tokens = tokens(dom);
        if tokens.iter().all(|token| token.text.is_none()) {
            return Err(ExtractError::NoText);
        }
        let scores = MODEL.scores(dom, &tokens);
        let mut lines = TextBuilder::default();
        for range in maximum_subsequences(&scores, self.subsequences) {
            push_text(&mut lines, dom, &tokens[range]);
            lines.end_line();
        }
        Ok(Extraction::new(lines.finish(), None))
    }
}

/// Appends the text of consecutive tokens.
fn push_text(lines: &mut TextBuilder, dom: &Dom, tokens: &[Token]) {
    // The rest of the text node of the token before.
    let mut rest: Option<(NodeId, &str)> = None;
    for token in tokens {
        let Some((node, range)) = &token.text else {
            let element = dom.element(token.element);
            if element.is_some_and(|element| !is_inline(&element.name)) {
                lines.end_line();
            }
            continue;
        };
        let NodeKind::Text(text) = &dom.node(*node).kind else {
            continue;
        };
        match rest {
            // With the whitespace between two tokens.
            Some((before, whole)) if before == *node => {
                let start = text.len() - whole.len();
                lines.push(&text[start..range.end]);
            }
            // With the whitespace at the end of one node and at the beginning of the next.
            Some((_, whitespace)) => {
                lines.push(whitespace);
                lines.push(&text[..range.end]);
            }
            None => lines.push(&text[range.clone()]),
        }
        rest = Some((*node, &text[range.end..]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn the_model_of_the_crate_is_read() {
        let text = include_str!("../../models/mss.txt");
        assert!(text.starts_with("# "), "a comment on the origin");
        let model = TokenModel::parse(text).expect("a model");
        assert_ne!(model, TokenModel::default());
    }

    #[test]
    fn the_text_of_tokens_is_that_of_the_page() {
        let html = "<p>One, two <b>three</b>  four.</p><ul><li>5<li> six </ul>";
        let dom = parse(html);
        let tokens = tokens(&dom);
        let text = |tokens: &[Token]| {
            let mut lines = TextBuilder::default();
            push_text(&mut lines, &dom, tokens);
            lines.finish()
        };
        assert_eq!(text(&tokens), "One, two three four.\n5\nsix");
        // From the word `two` on.
        let two =
            (tokens.iter()).position(|token| token.text.as_ref().is_some_and(|t| t.1.start == 5));
        assert!(text(&tokens[two.expect("a word")..]).starts_with("two three four."));
    }

    #[test]
    fn an_article_between_menus_is_kept() {
        let story = "Tea is a drink that is made by pouring hot water over leaves. After water it \
                     is the drink that people drink most, and it is older than this page.";
        let menu =
            "<ul><li><a href=/a>Home</a><li><a href=/b>Contact</a><li><a href=/c>Login</a></ul>";
        let html = format!("{menu}<div><p>{story}</p><p>{story}</p></div>{menu}");
        let found = Mss::DEFAULT.extract(&Page::new("", &html), &Site::default());
        let text = found.expect("there is text").text;
        assert!(text.contains(&format!("{story}\n{story}")), "{text}");
        assert!(!text.contains("Login"), "{text}");
    }
}
