//! NCleaner: segments that a model of characters finds likelier in content than outside.
//!
//! S. Evert: "A Lightweight and Efficient Tool for Cleaning Web Pages", LREC 2008, as section
//! 2.2.4 of the thesis describes it, with the defaults that the documentation of its package
//! Text-NCleaner 1.0 states.
//!
//! 1. The page becomes text with the paragraphs that a browser shows; each is a *segment*.
//! 2. Two models of trigrams of characters are trained on segments of content (*clean*) and on
//!    other segments (*dirty*). The probability of a character is interpolated between its
//!    shares after the last two, one and no characters, with the weights 1, `q` and `q²`
//!    (*geometric interpolation*); `q` is .6. Single characters have add-one smoothing.
//! 3. A segment is kept if its cross-entropy, the mean of the negative logarithms of the
//!    probabilities of its characters, is under the clean model at most that under the dirty
//!    model, less a *bias* of 0.
//!
//! The *lexical* models replace characters beyond ASCII by `~`. The *non-lexical* ones also
//! replace letters by `a` and digits by `0`, and see nothing but punctuation and lengths of
//! words; they do not depend on a language.
//!
//! The descriptions leave some points open. They are decided as follows:
//!
//! - The original renders a page with a text browser. Here a segment is a run of text between
//!   elements that end a line. The original's regular expressions for short links and bars are
//!   not published in the descriptions, and are left out.
//! - A segment begins after two spaces.
//! - The original replaces letters of ASCII alone by `a`. Here it is every letter, because a
//!   page in another alphabet would have nothing but `~`.
//!
//! # Training
//!
//! The models of the original were trained on 158 pages of CleanEval, and are not used. Ours
//! are of the development set of the Web Content Extraction Benchmark (WCXB, M. Foley 2026,
//! CC-BY-4.0), most of it in English. `models/*.txt` have counts of trigrams, and
//! `train_models` of the evaluation's examples makes them from any gold set:
//!
//! ```text
//! cargo run --release -p urltree-evaluation --example train_models wcxb-dev.parquet FOLDER
//! ```

mod model;

use std::sync::LazyLock;

pub use model::{Characters, Models, TrigramCounts};

use crate::options::{OptionProblem, Options};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};
use model::{BIT, Scores};

/// Keeps segments whose characters are likelier in content. See the [table](crate) of
/// methods.
#[derive(Clone, Copy, Debug)]
pub struct NCleaner {
    /// The characters that the models see.
    pub characters: Characters,
    /// The bits per character by which content must be likelier. Higher: more precision and
    /// less recall.
    pub bias: f64,
}

static LEXICAL: LazyLock<Scores> = LazyLock::new(|| {
    let models = Models::parse(include_str!("../../models/ncleaner.txt"));
    Scores::new(&models.unwrap_or_default(), Characters::Lexical)
});

static NON_LEXICAL: LazyLock<Scores> = LazyLock::new(|| {
    let models = Models::parse(include_str!("../../models/ncleaner-nonlexical.txt"));
    Scores::new(&models.unwrap_or_default(), Characters::NonLexical)
});

impl NCleaner {
    /// The lexical models, without a bias.
    pub const LEXICAL: Self = Self {
        characters: Characters::Lexical,
        bias: 0.0,
    };

    /// The non-lexical models, without a bias.
    pub const NON_LEXICAL: Self = Self {
        characters: Characters::NonLexical,
        bias: 0.0,
    };

    pub(crate) fn with_options(self, options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let bias = options.decimal("bias", -8.0..=8.0)?;
        Ok(Self {
            bias: bias.unwrap_or(self.bias),
            ..self
        })
    }
}

impl Extractor for NCleaner {
    fn name(&self) -> &'static str {
        match self.characters {
            Characters::Lexical => "ncleaner",
            Characters::NonLexical => "ncleaner-nonlexical",
        }
    }

    fn summary(&self) -> &'static str {
        match self.characters {
            Characters::Lexical => "segments whose characters are likelier in content",
            Characters::NonLexical => {
                "segments whose punctuation and lengths of words are likelier in content"
            }
        }
    }

    fn reference(&self) -> &'static str {
        "S. Evert: A Lightweight and Efficient Tool for Cleaning Web Pages. LREC 2008"
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        let segments = segments(page);
        if segments.is_empty() {
            return Err(ExtractError::NoText);
        }
        let scores = match self.characters {
            Characters::Lexical => &LEXICAL,
            Characters::NonLexical => &NON_LEXICAL,
        };
        let kept: Vec<&str> = (segments.lines())
            .filter(|segment| scores.mean(segment) >= self.bias * BIT)
            .collect();
        Ok(Extraction::new(kept.join("\n"), None))
    }
}

/// Returns the segments of the body of a page, one per line.
pub fn segments(page: &Page<'_>) -> String {
    let dom = page.dom();
    let body = dom.subtree(dom.body());
    lines_of(dom, |id| body.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_of_the_crate_are_read() {
        for text in [
            include_str!("../../models/ncleaner.txt"),
            include_str!("../../models/ncleaner-nonlexical.txt"),
        ] {
            assert!(text.starts_with("# "), "a comment on the origin");
            let models = Models::parse(text).expect("two models");
            assert_ne!(models.clean, TrigramCounts::default());
            assert_ne!(models.dirty, TrigramCounts::default());
        }
    }

    #[test]
    fn sentences_are_kept_and_menus_are_dropped() {
        let story = "Tea is a drink that is made by pouring hot water over leaves, and after water \
                     it is the drink that people drink most.";
        let html =
            format!("<ul><li>Home<li>Contact<li>Login</ul><p>{story}</p><p>Share | Tweet | Print");
        let page = Page::new("", &html);
        for method in [NCleaner::LEXICAL, NCleaner::NON_LEXICAL] {
            let found = method.extract(&page, &Site::default());
            assert_eq!(
                found.expect("there is text").text,
                story,
                "{}",
                method.name()
            );
            // Content of 8 bits per character does not exist.
            let strict = NCleaner {
                bias: 8.0,
                ..method
            };
            let found = strict.extract(&page, &Site::default());
            assert_eq!(found.expect("there is text").text, "");
        }
    }
}
