//! The facts that the rules read: those of a page are computed once, and those of a block have names.

use std::cell::OnceCell;
use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::counters::Sums;
use crate::main_branch::{MainBranch, Weights};
use crate::node::{BlockText, Node};
use crate::other_articles::OTHER_ARTICLES;
use crate::outline::Outline;
use crate::parts::Parts;
use crate::prior::{Nets, Surroundings, Verdicts};
use crate::reason::Reason;
use crate::site::Template;
use crate::thresholds::{elements, others, pages, paths, text};
use crate::units::Units;

/// The facts of a page.
pub(crate) struct PageFacts<'p> {
    template: &'p Template,
    pub(crate) outline: &'p Outline,
    pub(crate) counts: BlockCounts<'p>,
    /// Sums of each path of the page over the site.
    pub(crate) sums: Vec<Sums>,
    /// Pages of the site.
    pub(crate) pages: usize,
    /// The block that shows the page's own title.
    pub(crate) title: Option<usize>,
    pub(crate) is_discussion: bool,
    /// The blocks of the main branch.
    pub(crate) main: Range<usize>,
    /// The blocks of whole other articles.
    pub(crate) others: Range<usize>,
    /// Two elements of HTML 5 divide the page.
    pub(crate) is_divided: bool,
    units: Units<'p>,
    /// Per block, whether it is in a row of figures that hardly any other page has.
    own_cells: Vec<bool>,
    nets: &'p Nets,
    verdicts: OnceCell<Verdicts>,
}

impl<'p> PageFacts<'p> {
    pub(crate) fn new(
        template: &'p Template,
        outline: &'p Outline,
        counts: BlockCounts<'p>,
        nets: &'p Nets,
    ) -> Self {
        let parts = Parts::new(outline, counts);
        let sums = template.sums(outline);
        let is_divided = outline.is_divided();
        let others = match &parts.alike {
            Some(alike) if alike.are_known(counts) || template.has_other_articles() => {
                alike.blocks.clone()
            }
            _ => 0..0,
        };
        let weights = Weights::new(outline, counts, &parts, &others, &sums);
        let main = MainBranch::new(outline, &weights, &sums, parts.title, is_divided).find();
        Self {
            main: outline.nodes[main].first..outline.nodes[main].end,
            units: Units::new(outline, counts),
            own_cells: template.rows().own_cells(&outline.figures, counts),
            pages: template.pages(),
            title: parts.title,
            is_discussion: parts.is_discussion,
            others,
            sums,
            is_divided,
            outline,
            counts,
            nets,
            verdicts: OnceCell::new(),
            template,
        }
    }

    /// Returns those of the sentences with figures that `is_wanted` takes and that hardly any other page has.
    pub(crate) fn own_sentences(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let rows = self.template.rows();
        rows.own_sentences(&self.outline.figures, self.counts, is_wanted)
    }

    /// Returns the facts of a block.
    pub(crate) fn block(&self, at: usize) -> BlockFacts<'_> {
        let node = &self.outline.nodes[self.outline.leaves[at]];
        BlockFacts {
            page: self,
            at,
            text: &self.outline.blocks[at],
            node,
            path: &self.sums[node.path],
        }
    }

    /// Returns what the prior says about the blocks. `reasons` are those that it corrects.
    pub(crate) fn verdicts(&self, reasons: &[Reason]) -> &Verdicts {
        self.verdicts.get_or_init(|| {
            let surroundings = Surroundings::new(self.outline, self.counts, self.title);
            Verdicts::new(self.nets, &surroundings, &self.main, reasons)
        })
    }
}

/// The facts of a block.
pub(crate) struct BlockFacts<'p> {
    page: &'p PageFacts<'p>,
    pub(crate) at: usize,
    pub(crate) text: &'p BlockText,
    /// The element in which the text begins.
    pub(crate) node: &'p Node,
    /// The sums of its path over the site.
    path: &'p Sums,
}

impl BlockFacts<'_> {
    pub(crate) fn is_title(&self) -> bool {
        self.page.title == Some(self.at)
    }

    /// It is below comments that are not the content of the page.
    pub(crate) fn is_comment(&self) -> bool {
        self.node.comments && !self.page.is_discussion
    }

    /// It is a caption, and no other page has one at its path.
    pub(crate) fn is_own_caption(&self) -> bool {
        self.node.caption && self.path.is_of_one_page()
    }

    pub(crate) fn is_in_main(&self) -> bool {
        self.page.main.contains(&self.at)
    }

    pub(crate) fn is_in_other_article(&self) -> bool {
        self.page.others.contains(&self.at)
    }

    /// It is a heading or a sentence, in a header of the main branch.
    pub(crate) fn is_header_text(&self) -> bool {
        let has_links = text::LINKS.is_reached(self.text.link_chars.into(), self.text.chars.into());
        let is_long = self.text.chars >= elements::HEADER_CHARS;
        self.is_in_main() && !self.repeats() && !has_links && (is_long || self.node.heading)
    }

    /// More than a quarter of the pages have it.
    pub(crate) fn repeats(&self) -> bool {
        self.page.counts.is_repeated(self.at)
    }

    /// More than two pages, and more than one in fifty, have it.
    pub(crate) fn is_familiar(&self) -> bool {
        self.page.counts.is_familiar(self.at)
    }

    pub(crate) fn is_own_cell(&self) -> bool {
        self.page.own_cells[self.at]
    }

    /// It is part of a paragraph, a list or the like that has text of this page.
    pub(crate) fn is_of_own_unit(&self) -> bool {
        self.page.units.is_own(self.at)
    }

    /// The text at its path is link text; on a known site some of it must be on other pages too.
    pub(crate) fn is_link_slot(&self) -> bool {
        let path = self.path;
        let is_own = path.pages >= pages::OF_LINKS
            && !paths::FAMILIAR_LINKS.is_reached(path.familiar_chars, path.chars);
        paths::LINKS.is_exceeded(path.link_chars, path.chars)
            && !is_own
            && !self.is_linked_sentence()
    }

    /// It is a sentence of this page that is a link as a whole.
    fn is_linked_sentence(&self) -> bool {
        self.node.paragraph
            && self.text.chars >= text::SENTENCE_CHARS
            && self.text.marks > 0
            && self.is_in_main()
            && !self.repeats()
            && !self.is_familiar()
    }

    /// Its path has short lines of the template, such as names, dates and categories, on most pages.
    pub(crate) fn is_familiar_path(&self) -> bool {
        let path = self.path;
        path.is_usual(self.page.pages)
            && paths::FAMILIAR.is_reached(path.familiar_chars, path.chars)
            && path.chars < path.blocks * paths::LINE_CHARS
    }

    /// Little of the text at its path repeats.
    pub(crate) fn is_content_slot(&self) -> bool {
        let counts = self.page.counts;
        let is_of_site = counts.pages >= pages::OF_SITE && counts.is_on_most_pages(self.at);
        !paths::REPEATED.is_reached(self.path.repeated_chars, self.path.chars) && !is_of_site
    }
}

impl Template {
    /// Returns whether elements built like a page's own article are usually other articles: on five pages, and
    /// with a third of their text on other pages. A page's neighbours can be new.
    fn has_other_articles(&self) -> bool {
        let of_site = self.sums_of_key(OTHER_ARTICLES);
        of_site.pages >= pages::OF_PATH
            && others::USUAL.is_reached(of_site.repeated_chars, of_site.chars)
    }
}
