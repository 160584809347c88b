//! The numbers of the rules: each with its unit, and what another value does.
//!
//! The effects are those of the time when the number was chosen, in F1 of the sets that `docs/method.md`
//! names. `make eval` measures what a whole row of [`decisions`](crate::decisions) brings now.

/// A fraction of characters, pages or elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part(pub(crate) u64, pub(crate) u64);

impl Part {
    /// Returns whether `part` is more than this fraction of `whole`.
    pub(crate) fn is_exceeded(self, part: u64, whole: u64) -> bool {
        part * self.1 > whole * self.0
    }

    /// Returns whether `part` is this fraction of `whole`, or more.
    pub(crate) fn is_reached(self, part: u64, whole: u64) -> bool {
        part * self.1 >= whole * self.0
    }
}

/// Pages: what a site knows.
pub(crate) mod pages {
    use super::Part;

    /// Pages with a path from which on its sums are evidence. With fewer, one page dominates them.
    pub(crate) const OF_PATH: u32 = 5;
    /// Pages of a site from which on other articles are known by their text: two of its first pages can be
    /// alike.
    pub(crate) const OF_SITE: u32 = 5;
    /// Pages of a site from which on it is judged by itself alone, without prior and copies. 5 gains .02 less
    /// on collections and .005 less on documentation; 30 loses .016 on a site with endless scroll; with the
    /// prior on all pages blogs lose .003.
    pub(crate) const KNOWN: usize = 10;
    /// The same for shops, lists and all pages that are unlikely to be articles: they show less of their template. On
    /// hosts of other folds, pages of WCXB with ten of their site gain .023, and those of 29 sites .008; with twenty
    /// .004, with fifty .002. With articles among them the former lose .02. A page of 400 blocks costs 0.83 ms.
    pub(crate) const WELL_KNOWN: usize = 30;
    /// Pages with a path from which on its links are known. Lower: the related articles of a site of 20 pages
    /// are text, which loses up to .046 on a news site.
    pub(crate) const OF_LINKS: u32 = 50;
    /// Of a site's pages, those that a usual path has. With teasers on all sites services lose .011, documentation
    /// .010 and lists .005, because cards are their content.
    pub(crate) const USUAL: Part = Part(1, 2);
    /// A block on more than one page in so many repeats, and one on two of any number.
    pub(crate) const REPEATED: u32 = 4;
    /// A block on more than one page in so many is familiar, and one on three of any number.
    pub(crate) const FAMILIAR: u32 = 50;
}

/// The title of a page.
pub(crate) mod title {
    /// Bytes of the longest block that can be a title.
    pub(crate) const BLOCK_BYTES: usize = 500;
    /// A block with at least one letter in so many of the title shows it.
    pub(crate) const LETTERS: usize = 4;
}

/// Elements named after comments, navigation and the like.
pub(crate) mod elements {
    use super::Part;

    /// Of the page's text outside links, what an element has that wraps the page. Its own name means nothing:
    /// some whole pages are in a `form`, or below a class that says that comments are open.
    pub(crate) const WRAPPER: Part = Part(2, 3);
    /// Characters outside of links of the longest text that attributes hide and that is dropped. Longer ones are
    /// shown on demand, or by scripts. At 60 and at 300 the mean over kinds of pages is .0004 lower and .0001
    /// higher; at 300 services lose .002.
    pub(crate) const HIDDEN_CHARS: u64 = 200;
    /// Characters of a block of a header that is text, if it is not a heading. Lower: bylines are content.
    /// Higher: 150 loses .048 on a site of the government, and gains nothing.
    pub(crate) const HEADER_CHARS: u32 = 80;
    /// The text of the comments in multiples of the text between the title and the first comment. A thread has
    /// a date and a name there, an article has its text. Lower: a short article with many comments is a
    /// thread. 40 is better than 20 by .005 on single forum pages, and equal elsewhere.
    pub(crate) const COMMENTS_OF_TEXT: u64 = 40;
    /// The text of the comments of a discussion in multiples of all other text.
    pub(crate) const COMMENTS_OF_ALL: u64 = 2;
}

/// Text, by its links and its marks.
pub(crate) mod text {
    use super::Part;

    /// Of the characters of a block, the share in links above which it is link text.
    pub(crate) const LINKS: Part = Part(1, 2);
    /// Of its characters, those in links of one with sentences.
    pub(crate) const SENTENCE_LINKS: Part = Part(1, 4);
    /// Characters of a block with sentences. Lower: at 50 the leads of `scrapinghub` lose .0004 and those of
    /// Polish news .0008.
    pub(crate) const SENTENCE_CHARS: u32 = 80;
    /// Characters and marks of a shorter one: a text in Chinese has a third of the characters of one in
    /// English. With it the leads of Chinese news gain .0018, and those of no other kind change.
    pub(crate) const SHORT_SENTENCES: (u32, u32) = (40, 3);
    /// Marks of a block with sentences. With one, Chinese news lose .0033: a headline can have a comma.
    pub(crate) const SENTENCE_MARKS: u32 = 2;
}

/// The search for the main branch.
pub(crate) mod main_branch {
    use super::Part;

    /// Of the page's text, what a child with the title has to lead the search.
    pub(crate) const TITLE: Part = Part(1, 3);
    /// The same at a path of few pages, where masses have little evidence.
    pub(crate) const TITLE_OF_FEW: Part = Part(1, 5);
    /// Of the page's sentences, what a child with the title has at a path of few pages.
    pub(crate) const TITLE_SENTENCES: Part = Part(1, 2);
    /// Their least characters.
    pub(crate) const TITLE_SENTENCE_CHARS: u64 = 150;
    /// Of the sentences of an element, what a child without the title has, on a page that nothing divides.
    pub(crate) const SENTENCES: Part = Part(3, 5);
    /// Their least characters: those of two short paragraphs.
    pub(crate) const SENTENCE_CHARS: u64 = 300;
    /// Of the sentences of all children with its path, what this child has.
    pub(crate) const SENTENCES_OF_EQUAL: Part = Part(4, 5);
    /// Of the mass of an element, what the heaviest child has.
    pub(crate) const MASS: Part = Part(4, 5);
    /// The text of a child in multiples of the own text of all others with its path.
    pub(crate) const ALONE: u64 = 4;
    /// The same at a path of few pages.
    pub(crate) const ALONE_OF_FEW: u64 = 2;
    /// Of the text of an element that one page has, what its own paragraphs have: they are the lead of an article
    /// whose rest is in a box.
    pub(crate) const OWN_PARAGRAPHS: Part = Part(1, 6);
}

/// Sums of a DOM path.
pub(crate) mod paths {
    use super::Part;

    /// Paths of a page. 9,353 real pages have 18 on average and 96 at most. The limit bounds the memory of a
    /// window of hostile pages. Text at further paths is not summed.
    pub(crate) const MAX: usize = 1024;
    /// Of its characters, those in links at a path of links.
    pub(crate) const LINKS: Part = Part(4, 5);
    /// Of its characters, those on other pages too at a path of links of a known site: links to related articles
    /// return, and those in a list of places do not.
    pub(crate) const FAMILIAR_LINKS: Part = Part(1, 4);
    /// Of its characters, those on other pages too at a path of lines of the template: names, dates, categories.
    pub(crate) const FAMILIAR: Part = Part(1, 2);
    /// Mean characters of a line of the template. Lower: long bylines are content. Higher: paragraphs that
    /// other pages quote are boilerplate.
    pub(crate) const LINE_CHARS: u64 = 80;
    /// Of its characters, those that repeat at a path of content.
    pub(crate) const REPEATED: Part = Part(1, 10);
    /// Of the characters of a paragraph or a list, those of this page alone, for its other fragments to be text.
    pub(crate) const OWN_UNIT: Part = Part(1, 4);
}

/// Other articles below the page's own.
pub(crate) mod others {
    use super::Part;

    /// Of their text, what other pages have if they are known.
    pub(crate) const KNOWN: Part = Part(1, 2);
    /// Of the text of all such elements of a site, what other pages have: a page's neighbours can be new.
    pub(crate) const USUAL: Part = Part(1, 3);
}

/// Lists of links.
pub(crate) mod lists {
    /// The text of the links of a list, in multiples of the other text of the main branch. 1 loses up to .007 on
    /// news and documentation, 4 gains .02 less on lists.
    pub(crate) const LINKS_OF_TEXT: u64 = 3;
}

/// The lead between the title and the main branch.
pub(crate) mod leads {
    use super::Part;

    /// The least share of a lead in the text of its page, at a path that the site has on few pages. Gold texts do
    /// not agree on the summaries of modern articles: without this limit `scrapinghub` loses .0021, and
    /// articles of WCXB gain .0003.
    pub(crate) const SHARE: Part = Part(1, 8);
    /// Elements from a block up that can be named after other parts of a page.
    pub(crate) const ELEMENTS: usize = 9;
    /// Elements from a block up that can be a caption or a list. Without them an endless scroll loses .009 and
    /// `scrapinghub` .002.
    pub(crate) const CAPTION_ELEMENTS: usize = 3;
}

/// Teasers of other pages.
pub(crate) mod teasers {
    use super::Part;

    /// Characters of the longest teaser.
    pub(crate) const CHARS: u64 = 500;
    /// Its blocks.
    pub(crate) const BLOCKS: usize = 12;
    /// Characters of its linked heading.
    pub(crate) const HEADING_CHARS: u64 = 15;
    /// Of the characters of this heading, those in links.
    pub(crate) const HEADING_LINKS: Part = Part(8, 10);
    /// Characters of its sentences.
    pub(crate) const SENTENCE_CHARS: u64 = 30;
    /// Teasers of one DOM path on a page.
    pub(crate) const COUNT: u32 = 2;
    /// Of the elements with this path, those that are teasers.
    pub(crate) const OF_PATH: Part = Part(1, 2);
    /// Characters of the page's own text, between its title and the first teaser.
    pub(crate) const OWN_CHARS: u64 = 200;
    /// Characters of a block of this text.
    pub(crate) const OWN_BLOCK_CHARS: u32 = 40;
    /// Of the text of the teasers, what the page's own has. A page with less is a list of them: without this limit
    /// a shop loses .005.
    pub(crate) const OWN: Part = Part(3, 10);
}

/// Rows of tables with figures.
pub(crate) mod figures {
    use super::Part;

    /// Rows of a page that are counted. A table of more is rare, and the limit bounds the memory of a window of
    /// hostile pages.
    pub(crate) const MAX_ROWS: usize = 256;
    /// Characters of the longest cell of a table of figures. A longer one is a text, and its table a layout: the
    /// posts of a forum are such tables, with dates and counters in their cells.
    pub(crate) const CELL_CHARS: u32 = 120;
    /// Mean characters of its cells.
    pub(crate) const MEAN_CHARS: u64 = 40;
    /// Rows with figures of a table. One alone is a line of the template: the date of a page, or a counter.
    pub(crate) const ROWS: usize = 2;
    /// Of the rows of a table, those with figures.
    pub(crate) const OF_TABLE: Part = Part(1, 2);
}

/// Copies of a text on one page.
pub(crate) mod copies {
    /// Characters of the shortest copy. 60 and 160 have the same mean over kinds of pages; with 60 documentation
    /// loses .002.
    pub(crate) const CHARS: u32 = 100;
}

/// The prior of blocks of unknown sites. Logits are in units of 1/256, and the figures by three folds of hosts.
pub(crate) mod prior {
    use super::Part;

    /// Blocks of a page that the prior judges. It was learned from pages with 380 blocks on average, and takes
    /// shares and neighbours on a page of a few blocks for those of a part of a page.
    pub(crate) const PAGE_BLOCKS: usize = 30;
    /// Most blocks of a page that the prior judges. It reads 1 KB of each, so a hostile page of a hundred thousand
    /// would take a hundred MB beside the limit of a run.
    pub(crate) const MOST_BLOCKS: usize = 1 << 13;
    /// Lowest logit at which a block is kept that the rules drop, on a list.
    pub(crate) const LEAST_KEPT: i32 = -256;
    /// Logit from which on a block that the rules drop is kept on every kind of page, if no other page of the site is
    /// known: a probability of .6. At .73 lists of WCXB lose .004, at .5 news pages lose .003.
    pub(crate) const SURE: i32 = 104;
    /// Of the text that the rules keep, what the prior leaves at least, with what it adds. An empty text is never the best:
    /// collections of unseen hosts gain .029 alone, .028 with another page of the site and .036 with four, and of other
    /// kinds products with another page lose .001. A twentieth gains half of it; a fifth costs products .009.
    pub(crate) const LEAST_LEFT: Part = Part(1, 10);
    /// Elements of HTML 5 that divide a page.
    pub(crate) const DIVIDING: usize = 2;
}
