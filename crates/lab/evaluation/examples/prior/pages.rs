//! The pages of a gold set, each as a site of one page.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use evaluation::{GoldPage, GoldSet, PageBlocks};
use html_blocks::BlockOptions;
use scoring::{Tokens, Vocabulary, WordId, lcs};
use template::prior::{Numbers, Prior, SecondFeatures};
use template::{BlockCounts, Outline, Reason, Template, first_equal};

use crate::in_gold::in_gold;

/// A page and its gold text.
pub(crate) struct Page {
    pub(crate) host: String,
    /// The kind of the page, or its language.
    pub(crate) kind: String,
    pub(crate) numbers: Numbers,
    /// Whether half of the words of each block are in the gold text.
    pub(crate) is_content: Vec<bool>,
    pub(crate) words: Vec<Vec<WordId>>,
    gold: Vec<WordId>,
    /// Per block, the first with an equal text.
    first: Vec<usize>,
    outline: Outline,
    template: Template,
}

impl Page {
    /// Labels a page by the rules alone.
    fn new(gold: &GoldPage, parsed: html_blocks::Page) -> Self {
        let blocks = PageBlocks::of(parsed);
        let outline = Outline::new(&blocks.layout());
        let ones = vec![1; blocks.texts.len()];
        let first = first_equal(&blocks.hashes);
        let counts = BlockCounts {
            pages: 1,
            blocks: &ones,
            first: &first,
        };
        let mut template = Template::default();
        template.insert(&template.page_paths(&outline, counts));
        let mut vocabulary = Vocabulary::default();
        let gold_words = vocabulary.words(&gold.text, Tokens::Unicode);
        let words = blocks.texts.iter();
        let words: Vec<Vec<WordId>> = words
            .map(|text| vocabulary.words(text, Tokens::Unicode))
            .collect();
        Page {
            host: gold.domain.clone(),
            kind: (gold.page_type.clone())
                .or_else(|| gold.lang.clone())
                .unwrap_or_default(),
            numbers: template.numbers(&outline, counts),
            is_content: in_gold(&words, &gold_words),
            words,
            gold: gold_words,
            first,
            outline,
            template,
        }
    }

    /// Returns the labels of the page with a model.
    pub(crate) fn reasons(&self, prior: &Prior) -> Vec<Reason> {
        let ones = vec![1; self.words.len()];
        let counts = BlockCounts {
            pages: 1,
            blocks: &ones,
            first: &self.first,
        };
        self.template.label_with(&self.outline, counts, prior)
    }

    /// Returns the numbers of the second stage of the blocks, of which the first stage is that of a model.
    pub(crate) fn second_numbers(&self, prior: &Prior) -> Vec<SecondFeatures> {
        let ones = vec![1; self.words.len()];
        let counts = BlockCounts {
            pages: 1,
            blocks: &ones,
            first: &self.first,
        };
        Template::second_numbers(&self.outline, counts, &self.numbers, prior)
    }

    /// Returns F1 of the page's text with a model; `None` if the page has no gold.
    pub(crate) fn f1(&self, prior: &Prior) -> Option<f64> {
        let reasons = self.reasons(prior);
        self.f1_of(|at| reasons.get(at).copied().is_some_and(Reason::is_content))
    }

    /// Returns F1 of the blocks that are content by the gold text: the most that labels reach.
    pub(crate) fn best_f1(&self) -> Option<f64> {
        self.f1_of(|at| self.is_content[at])
    }

    fn f1_of(&self, is_kept: impl Fn(usize) -> bool) -> Option<f64> {
        let kept = (0..self.words.len()).filter(|at| is_kept(*at));
        let text: Vec<WordId> = kept.flat_map(|at| self.words[at].iter().copied()).collect();
        let score = lcs(&self.gold, &text).outcome().counted();
        score.map(|score| score.f1)
    }
}

/// Reads at most `most` pages of a set, evenly over the set.
pub(crate) fn pages(path: &Path, most: usize) -> Result<Vec<Page>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let set = GoldSet::file(path);
    let golds = set.pages().map_err(|error| failed(&error))?;
    let count = golds.len().min(most);
    let wanted: HashSet<usize> = (0..count).map(|at| at * golds.len() / count).collect();
    let by_row: HashMap<usize, usize> = wanted.iter().map(|at| (golds[*at].row, *at)).collect();
    let mut pages: Vec<(usize, Page)> = Vec::new();
    let read = set.for_each_fetched(|fetched| {
        let Some(at) = by_row.get(&fetched.row) else {
            return;
        };
        let html = fetched.html.unwrap_or_default();
        let parsed = html_blocks::page(html, fetched.http_charset, &BlockOptions::default());
        pages.extend(
            parsed
                .ok()
                .map(|parsed| (*at, Page::new(&golds[*at], parsed))),
        );
    });
    read.map_err(|error| failed(&error))?;
    pages.sort_by_key(|(at, _)| *at);
    Ok(pages.into_iter().map(|(_, page)| page).collect())
}
