//! NCE, the News Content Extractor.
//!
//! E. S. Laber, C. P. de Souza, I. V. Jabour, E. C. F. de Amorim, E. T. Cardoso,
//! R. P. Rentería, L. C. Tinoco, C. D. Valentim: "A Fast and Simple Method for
//! Extracting Relevant Content from News Webpages", CIKM 2009, pp. 1685-1688.
//! [Laber 3] is its section 3, on the heuristic.
//!
//! 1. *Separator node search.* In depth-first order, the first leaf of a given length is
//!    taken that has an ancestor `u` for which (i) `u` is not a paragraph, (ii) `u` has
//!    enough text, and (iii) at most one sibling of `u` has much text of low link
//!    density; (iv) of several such ancestors the closest is `u`. The subtrees at the
//!    children of `u` whose link density is low enough are kept. If there is no such
//!    leaf, the whole tree is kept.
//! 2. *Comments removal.* Blocks that are close together and similar are linked. Three or
//!    more connected blocks are comments: everything from the first of them on is
//!    dropped.
//! 3. *Title search.* Candidates are `title` and all nodes before the kept content with
//!    few words, most of which occur in that content. The one with most text is the
//!    title.
//!
//! The paper leaves some points open. They are decided as follows:
//!
//! - The paper publishes no constants, except .4 for the link density of phase 1. See
//!   [`NceParameters`].
//! - Leaves are texts. Link density is characters inside `a` over all characters, and 0
//!   without text. If the whole tree is kept, it is kept from `body` on.
//! - For phase 2, the available text of the paper does not define a block, or when two
//!   blocks are close and similar. Here a block is an element that ends a line, contains
//!   no other such element, has a number of words in a given range, and contains a number
//!   and a link, like those of a date and a permalink (assumption 2). Closeness is the
//!   distance of ids. Similarity is the Dice coefficient of the bags of words, with every
//!   digit replaced by 0, so that dates are equal.
//! - "After the body" (assumption 2) means that a block counts if the text of the forest
//!   before it is at least as long as that of a separator node.
//! - In phase 3 every occurrence of a word counts, and of equally long nodes the first is
//!   the title. A node that contains content is not a candidate. The title is the first
//!   line.
//!
//! # Fitting of the constants
//!
//! The constants were fitted on the 57 pages of the CleanEval development set, none of
//! which is used to report accuracy. The criterion is the mean F1 of bags of words per
//! page (the paper's metric). From a start, one constant at a time is set to the best
//! value of its grid, until a round changes nothing. `examples/nce_search.rs` performs
//! the search and prints this table:
//!
//! ```text
//! 0.6572 start                  of 57 pages
//! 0.6745 leaf_chars             80 -> 20
//! 0.6851 leaf_chars             20 -> 100
//! 0.7477 separator_chars        400 -> 700
//! 0.7925 separator_chars        700 -> 1000
//! 0.8035 kept_link_density      0.4 -> 0.2
//! 0.8262 block_distance         60 -> 15
//! 0.8698 if the whole page is kept
//! ```
//!
//! These pages are not news pages: on the median page of the set 89 % of the words are
//! gold, in the paper's corpus 37 % on average. F1 would therefore keep growing with
//! `separator_chars`, until phase 1 always fails and the whole page is kept. The grid
//! ends at 1,000 characters, the length of a short article, and gains below .005 are
//! ignored.

mod comments;
mod parameters;
mod separator;
mod title;

use crate::dom::{Dom, NodeId, SubtreeCounts};
use crate::options::{OptionProblem, Options};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

pub use parameters::NceParameters;

/// The greatest value of a constant that an option sets: more than any article has.
const MOST: usize = 1_000_000;

/// The greatest distance of two close blocks that an option sets. A block is compared with
/// all blocks at this distance, so a higher one would let a hostile page take minutes.
const MOST_DISTANCE: usize = 500;

/// The News Content Extractor. See the [table](crate) of methods.
#[derive(Clone, Debug)]
pub struct Nce {
    parameters: NceParameters,
}

impl Nce {
    /// Creates the extractor with the given constants.
    #[must_use]
    pub const fn new(parameters: NceParameters) -> Self {
        Self { parameters }
    }

    /// Takes `comments` and every constant by its name.
    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let mut parameters = NceParameters::FITTED;
        if let Some(remove) = options.one_of("comments", &[("remove", true), ("keep", false)])? {
            parameters.remove_comments = remove;
        }
        let counts = [
            ("leaf_chars", MOST, &mut parameters.leaf_chars),
            ("separator_chars", MOST, &mut parameters.separator_chars),
            ("sibling_chars", MOST, &mut parameters.sibling_chars),
            ("block_words_min", MOST, &mut parameters.block_words_min),
            ("block_words_max", MOST, &mut parameters.block_words_max),
            (
                "block_distance",
                MOST_DISTANCE,
                &mut parameters.block_distance,
            ),
            ("title_words_min", MOST, &mut parameters.title_words_min),
            ("title_words_max", MOST, &mut parameters.title_words_max),
        ];
        for (key, most, parameter) in counts {
            if let Some(value) = options.whole(key, 0..=most)? {
                *parameter = value;
            }
        }
        let shares = [
            ("sibling_link_density", &mut parameters.sibling_link_density),
            ("kept_link_density", &mut parameters.kept_link_density),
            ("block_similarity", &mut parameters.block_similarity),
            ("title_overlap", &mut parameters.title_overlap),
        ];
        for (key, parameter) in shares {
            if let Some(value) = options.decimal(key, 0.0..=1.0)? {
                *parameter = value;
            }
        }
        Ok(Self::new(parameters))
    }
}

impl Extractor for Nce {
    fn name(&self) -> &'static str {
        "nce"
    }

    fn summary(&self) -> &'static str {
        "the node around the first long text, less comments, with the title"
    }

    fn reference(&self) -> &'static str {
        "E. S. Laber et al.: A Fast and Simple Method for Extracting Relevant Content from \
         News Webpages. CIKM 2009, pp. 1685-1688"
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let counts = SubtreeCounts::new(dom);
        if counts.chars[dom.body()] == 0 {
            return Err(ExtractError::NoText);
        }
        let forest = separator::forest(dom, &counts, &self.parameters);
        let mut kept = marked(dom, &forest);
        if self.parameters.remove_comments
            && let Some(comments) = comments::find_start(dom, &kept, &self.parameters)
        {
            kept[comments..].fill(false);
        }
        let title = title::find(dom, &kept, &self.parameters);

        let body = lines_of(dom, |id| kept[id]);
        let mut nodes = kept.iter().filter(|kept| **kept).count();
        let Some(title) = title else {
            return Ok(Extraction::new(body, Some(nodes)).keeping(|id| kept[id], dom));
        };
        let of_title = dom.subtree(title);
        nodes += of_title.len();
        let title = lines_of(dom, |id| dom.contains(title, id)).replace('\n', " ");
        let text = [title.as_str(), &body].join("\n");
        Ok(Extraction {
            title: Some(title),
            ..Extraction::new(text.trim_end().to_owned(), Some(nodes))
                .keeping(|id| kept[id] || of_title.contains(&id), dom)
        })
    }
}

fn marked(dom: &Dom, forest: &[NodeId]) -> Vec<bool> {
    let mut marked = vec![false; dom.len()];
    for root in forest {
        marked[dom.subtree(*root)].fill(true);
    }
    marked
}
