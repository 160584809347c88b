//! Applies the rules to the blocks of a page.

use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::copies::drop_copies;
use crate::counters::Sums;
use crate::discussion::rules_of_page;
use crate::lead::keep_leads;
use crate::main_branch::main_branch;
use crate::main_text::own_title;
use crate::other_articles::{OTHER_ARTICLES, OtherArticles};
use crate::outline::Outline;
use crate::page_paths::{own_weights, sentence_weights, weights};
use crate::prior::{Numbers, Prior, SecondFeatures, Surroundings};
use crate::reason::Reason;
use crate::rules::{Rule, Rules};
use crate::site::Template;
use crate::teasers::drop_teasers;
use crate::units::Units;

/// Pages of a site from which on it is judged by itself alone. 5 gains .02 less on collections and .005
/// less on documentation; 30 loses .016 on a site with endless scroll; with the prior on all pages
/// blogs lose .003.
const KNOWN_PAGES: usize = 10;

/// Blocks of a page that the prior judges. It was learned from pages with 380 blocks on average, and
/// takes shares and neighbours on a page of a few blocks for those of a part of a page.
const PAGE_BLOCKS: usize = 30;

/// Mean characters of a line of the template. Lower: long bylines are content. Higher: paragraphs
/// that other pages quote are boilerplate.
const LINE_CHARS: u64 = 80;

/// The labels of a page by the rules, and the parts that they found.
struct BySite {
    /// The blocks of the main branch.
    main: Range<usize>,
    /// The blocks of whole other articles.
    others: Range<usize>,
    reasons: Vec<Reason>,
}

impl Template {
    /// Labels the blocks of a page by the current sums of the template.
    ///
    /// The page should be inserted before. Otherwise the sums of its new paths are 0.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn label(&self, outline: &Outline, counts: BlockCounts<'_>) -> Vec<Reason> {
        self.label_with(outline, counts, Prior::learned())
    }

    /// Like [`label`](Self::label), with another model of blocks of unknown sites.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn label_with(
        &self,
        outline: &Outline,
        counts: BlockCounts<'_>,
        prior: &Prior,
    ) -> Vec<Reason> {
        let BySite {
            main,
            others,
            mut reasons,
        } = self.label_by_site(outline, counts);
        let is_usual = outline.blocks.len() >= PAGE_BLOCKS;
        if self.rules().has(Rule::Prior) && self.pages() < KNOWN_PAGES && is_usual {
            let surroundings = Surroundings::new(outline, counts);
            let numbers = Numbers::new(&surroundings, &main, &reasons);
            prior.correct(&surroundings, &numbers, &others, &mut reasons);
        }
        if self.rules().has(Rule::Copies) && self.pages() < KNOWN_PAGES {
            drop_copies(outline, counts, &mut reasons);
        }
        reasons
    }

    /// Returns the numbers of a page from which the prior is learned.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn numbers(&self, outline: &Outline, counts: BlockCounts<'_>) -> Numbers {
        let BySite { main, reasons, .. } = self.label_by_site(outline, counts);
        Numbers::new(&Surroundings::new(outline, counts), &main, &reasons)
    }

    /// Returns the numbers of the blocks of a page from which the second stage of the prior is learned.
    /// `numbers` are those of the page, and `prior` has the first stage.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn second_numbers(
        outline: &Outline,
        counts: BlockCounts<'_>,
        numbers: &Numbers,
        prior: &Prior,
    ) -> Vec<SecondFeatures> {
        prior.second_numbers(&Surroundings::new(outline, counts), numbers)
    }

    /// Returns the labels without the prior.
    fn label_by_site(&self, outline: &Outline, counts: BlockCounts<'_>) -> BySite {
        let blocks = outline.blocks.len();
        assert_eq!(
            (blocks, blocks),
            (counts.blocks.len(), counts.first.len()),
            "counts and outline have different numbers of blocks"
        );
        let rules = rules_of_page(outline, counts, self.rules());
        let sums = self.sums(outline);
        let others = self.other_articles(outline, counts, rules);
        let weights = weights(outline, counts, &others, rules);
        let title = own_title(outline, counts);
        let leading_title = title.filter(|_| rules.has(Rule::TitleLeads));
        let own = own_weights(outline, counts, rules);
        // Sentences lead at paths of few pages alone, and most pages of a known site have none.
        let sentences = (rules.has(Rule::SentencesLead) && sums.iter().any(Sums::is_of_few_pages))
            .then(|| sentence_weights(outline, counts, &others, rules));
        let main = main_branch(
            outline,
            &weights,
            &own,
            &sums,
            leading_title,
            sentences.as_deref(),
        );
        let main = &outline.nodes[main];
        let main = main.first..main.end;

        let units = Units::new(outline, counts);
        let has_figures = self.rows().own_cells(outline, counts, rules);
        let is_in_text = |block: usize| {
            rules.has(Rule::Headers)
                && main.contains(&block)
                && is_header_text(outline, counts, block)
        };
        let reason = |block: usize| {
            let leaf = outline.leaves[block];
            let node = &outline.nodes[leaf];
            let path = &sums[node.path];
            if rules.has(Rule::OwnTitle) && title == Some(block) {
                Reason::OwnTitle
            } else if rules.has(Rule::Comments) && node.comments {
                Reason::Comments
            } else if rules.has(Rule::SkipElements)
                && (node.boilerplate
                    || node.caption && path.is_of_one_page()
                    || node.header && !is_in_text(block))
            {
                Reason::SkipElement
            } else if rules.has(Rule::MainBranch)
                && (!main.contains(&block) || others.contains(&block))
            {
                Reason::OffMainBranch
            } else if rules.has(Rule::LinkSlots) && is_link_slot(path) {
                Reason::LinkSlot
            } else if has_figures[block] && counts.is_repeated(block) {
                Reason::ContentSlot
            } else if has_figures[block] {
                Reason::Unique
            } else if rules.has(Rule::FamiliarPaths)
                && self.is_familiar(path)
                && !units.is_own(block)
            {
                Reason::Repeated
            } else if rules.has(Rule::Units) && counts.is_repeated(block) && units.is_own(block) {
                Reason::ContentSlot
            } else if !rules.has(Rule::Repetition) || !counts.is_repeated(block) {
                Reason::Unique
            } else if rules.has(Rule::ContentSlots)
                && path.repeated_chars * 10 < path.chars
                && !(counts.pages >= 5 && counts.is_on_most_pages(block))
            {
                Reason::ContentSlot
            } else {
                Reason::Repeated
            }
        };
        let mut reasons: Vec<Reason> = (0..outline.blocks.len()).map(reason).collect();
        if rules.has(Rule::Lists) {
            keep_lists(outline, counts, &main, &mut reasons);
        }
        if let Some(title) = title.filter(|_| rules.has(Rule::Leads)) {
            keep_leads(outline, counts, title, &main, &sums, &mut reasons);
        }
        if rules.has(Rule::Teasers) {
            drop_teasers(outline, title, &main, self.pages(), &sums, &mut reasons);
        }
        if rules.has(Rule::Headings) {
            keep_headings(outline, &main, &mut reasons);
        }
        BySite {
            main,
            others,
            reasons,
        }
    }
}

/// Characters of a block of a header that is text, if it is not a heading. Lower: bylines are
/// content. Higher: 150 loses .048 on a site of the government, and gains nothing.
const HEADER_CHARS: u32 = 80;

/// Returns whether a block of a header or an address is text: a heading or a sentence.
fn is_header_text(outline: &Outline, counts: BlockCounts<'_>, block: usize) -> bool {
    let text = &outline.blocks[block];
    !counts.is_repeated(block)
        && u64::from(text.link_chars) * 2 < u64::from(text.chars)
        && (text.chars >= HEADER_CHARS || outline.nodes[outline.leaves[block]].heading)
}

/// The text of the links of a list, in multiples of the other text of the main branch. 1 loses up
/// to .007 on news and documentation, 4 gains .02 less on lists.
const LINKS_OF_TEXT: u64 = 3;

/// Keeps the links of a page whose main branch has almost nothing else: a list of products, of
/// articles, of places. Links that many pages have are the menu.
fn keep_lists(
    outline: &Outline,
    counts: BlockCounts<'_>,
    main: &Range<usize>,
    reasons: &mut [Reason],
) {
    let (mut links, mut text) = (0, 0);
    let is_link = |reasons: &[Reason], at: usize| {
        reasons[at] == Reason::LinkSlot && !counts.is_repeated(at) && !counts.is_familiar(at)
    };
    for at in main.clone() {
        let block = &outline.blocks[at];
        let chars = u64::from(block.chars);
        if is_link(reasons, at) {
            links += chars;
        } else if matches!(reasons[at], Reason::Unique | Reason::ContentSlot)
            && u64::from(block.link_chars) * 2 < chars
        {
            text += chars;
        }
    }
    if links > text * LINKS_OF_TEXT {
        for at in main.clone() {
            if is_link(reasons, at) {
                reasons[at] = Reason::Unique;
            }
        }
    }
}

/// Keeps the repeated headings of the main branch, also in headers, right before a text of the same section,
/// and the labels of a table's rows and columns, if the first cell that they label is text.
fn keep_headings(outline: &Outline, main: &Range<usize>, reasons: &mut [Reason]) {
    for at in main.start..main.end.saturating_sub(1) {
        let node = &outline.nodes[outline.leaves[at]];
        let is_dropped = match reasons[at] {
            Reason::Repeated => true,
            Reason::SkipElement => node.header && !node.boilerplate,
            _ => false,
        };
        let is_before_text = |next: usize| {
            let node = &outline.nodes[outline.leaves[next]];
            reasons[next].is_content() && !node.heading && !node.row_label
        };
        let is_kept = if !is_dropped {
            false
        } else if node.row_label {
            labelled(outline, at).is_some_and(is_before_text)
        } else {
            node.heading && section(outline, at).contains(&(at + 1)) && is_before_text(at + 1)
        };
        if is_kept {
            reasons[at] = Reason::ContentSlot;
        }
    }
}

/// Returns the blocks of the lowest element around a heading that is neither a heading nor a header.
fn section(outline: &Outline, heading: usize) -> Range<usize> {
    let mut at = outline.leaves[heading];
    while at != 0 && (outline.nodes[at].heading || outline.nodes[at].header) {
        at = outline.nodes[at].parent;
    }
    outline.nodes[at].first..outline.nodes[at].end
}

/// Returns the first cell that a label is for: in its row, or below a row that has only labels. `None` if it
/// is for none.
fn labelled(outline: &Outline, label: usize) -> Option<usize> {
    let is_label = |block: &usize| outline.nodes[outline.leaves[*block]].row_label;
    let mut at = outline.leaves[label];
    loop {
        let node = &outline.nodes[at];
        let cell = (node.first..node.end).find(|block| !is_label(block));
        if cell.is_some() || at == 0 {
            return (label + 1..node.end).find(|block| !is_label(block));
        }
        at = node.parent;
    }
}

/// Pages with a path from which on its links are known. Lower: the related articles of a site of 20
/// pages are text, which loses up to .046 on a news site.
const KNOWN_LINK_PAGES: u32 = 50;

/// Returns whether the text at a path is link text. On a known site at least a quarter of it must be
/// on other pages too: links to related articles return, and those in a list of places do not.
fn is_link_slot(path: &Sums) -> bool {
    let is_own = path.pages >= KNOWN_LINK_PAGES && path.familiar_chars * 4 < path.chars;
    path.link_chars * 5 > path.chars * 4 && !is_own
}

impl Template {
    /// Returns whether a path has short lines of the template, such as names, dates and categories,
    /// on most pages.
    fn is_familiar(&self, path: &Sums) -> bool {
        let is_usual = path.pages >= 5 && path.pages as usize * 2 >= self.pages();
        is_usual && path.familiar_chars * 2 >= path.chars && path.chars < path.blocks * LINE_CHARS
    }

    /// Returns the blocks of other articles below the page's own; an empty range if it has none.
    ///
    /// Elements that are built like the article are other articles if other pages have most of
    /// their text, or if that is so on other pages of the site: a page's neighbours can be new.
    fn other_articles(
        &self,
        outline: &Outline,
        counts: BlockCounts<'_>,
        rules: Rules,
    ) -> Range<usize> {
        let found = rules
            .has(Rule::OtherArticles)
            .then(|| OtherArticles::find(outline, counts));
        let Some(found) = found.flatten() else {
            return 0..0;
        };
        let are_usual = || are_usual(&self.sums_of_key(OTHER_ARTICLES));
        if found.are_known(counts) || are_usual() {
            found.blocks
        } else {
            0..0
        }
    }
}

/// Returns whether elements built like the page's own article are usually other articles on a site with
/// these sums: on five pages, and with a third of their text on other pages. A page's neighbours can be
/// new.
fn are_usual(of_site: &Sums) -> bool {
    of_site.pages >= 5 && of_site.repeated_chars * 3 >= of_site.chars
}
