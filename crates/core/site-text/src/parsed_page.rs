//! A page that was parsed: its blocks in the form of the tree and of the template.

use chrono::NaiveDate;
use html_blocks::{BlockOptions, PageError};
use markdown::Markup;
use metadata::{Metadata, MetadataReader};
use site_replay::{Content, MAX_LAYOUT_BYTES};
use template::{Layout, LayoutBlock, Outline, Title};
use url_parameters::Signature;
use url_tree::BlockHash;

use crate::page::Fetched;

/// The observers of a page that is extracted, not only added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observed {
    /// Blocks alone: the page is only inserted.
    Blocks,
    /// Markup and metadata too.
    All,
}

/// The source of a page, without its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) html: &'a [u8],
    pub(crate) charset: Option<&'a str>,
    /// The response URL, to which the page's own addresses are relative; empty if it is unknown.
    pub(crate) url: &'a str,
    /// Metadata has no dates after this one.
    pub(crate) fetched_on: NaiveDate,
}

/// A parsed page.
#[derive(Debug)]
pub(crate) struct ParsedPage {
    pub(crate) page: html_blocks::Page,
    pub(crate) hashes: Vec<BlockHash>,
    /// `None` for a page with [`Observed::Blocks`].
    pub(crate) markup: Option<Markup>,
    /// `None` for a page with [`Observed::Blocks`].
    pub(crate) metadata: Option<Metadata>,
}

impl ParsedPage {
    pub(crate) fn parse(
        source: Source<'_>,
        options: &BlockOptions,
        observed: Observed,
    ) -> Result<Self, PageError> {
        let Source { html, charset, .. } = source;
        let (page, markup, metadata) = match observed {
            Observed::Blocks => (html_blocks::page(html, charset, options)?, None, None),
            Observed::All => {
                let observers = (Markup::default(), MetadataReader::default());
                let (page, (markup, said)) =
                    html_blocks::page_with(html, charset, options, observers)?;
                let metadata = said.finish(source.url, source.fetched_on);
                (page, Some(markup), Some(metadata))
            }
        };
        Ok(Self {
            hashes: page.blocks.iter().map(|block| block.hash).collect(),
            page,
            markup,
            metadata,
        })
    }

    /// Whether the page can be the first page of its URL key.
    pub(crate) fn has_text(&self) -> bool {
        !self.hashes.is_empty()
    }

    /// Returns the outline of the page for the template. `None` if its layout is too large, as in a
    /// job: then the page is labelled by the tree alone.
    pub(crate) fn outline(&self) -> Option<Outline> {
        let title = Title::new(self.page.title.as_deref().unwrap_or_default());
        let layout: Vec<LayoutBlock<'_>> = (self.page.blocks.iter())
            .map(|block| {
                let (path, shared) = (&*block.dom_path, block.common_prefix);
                LayoutBlock::new(path, shared, &block.text, block.link_chars, &title)
            })
            .collect();
        let declared = self.page.declared.bits();
        let fits = Layout::to_bytes(&layout, declared).len() <= MAX_LAYOUT_BYTES;
        fits.then(|| Outline::new(&layout).declaring(declared))
    }

    /// Returns the lengths of the blocks in UTF-16 code units.
    pub(crate) fn utf16_lengths(&self) -> Vec<usize> {
        let blocks = self.page.blocks.iter();
        blocks
            .map(|block| block.text.encode_utf16().count())
            .collect()
    }
}

/// The date of a fetch that is not known.
pub(crate) const LAST_DATE: NaiveDate = match NaiveDate::from_ymd_opt(9999, 12, 30) {
    Some(date) => date,
    None => NaiveDate::MIN,
};

impl Content for LazyPage<'_> {
    fn has_text(&mut self) -> bool {
        self.page().is_ok_and(ParsedPage::has_text)
    }

    fn signature(&mut self) -> Signature {
        let page = self.page();
        page.map(|parsed| Signature::new(&parsed.page))
            .unwrap_or_default()
    }
}

/// A page that is parsed when it is needed, once.
pub(crate) struct LazyPage<'a> {
    fetched: &'a Fetched<'a>,
    options: &'a BlockOptions,
    /// Days since 1970.
    date: i32,
    observed: Observed,
    /// The page, or the reason to quarantine it.
    parsed: Option<Result<ParsedPage, String>>,
}

impl<'a> LazyPage<'a> {
    pub(crate) fn new(
        fetched: &'a Fetched<'a>,
        options: &'a BlockOptions,
        date: i32,
        observed: Observed,
    ) -> Self {
        Self {
            fetched,
            options,
            date,
            observed,
            parsed: None,
        }
    }

    /// The page, or the reason to quarantine it.
    pub(crate) fn parsed(self) -> Result<ParsedPage, String> {
        match self.parsed {
            Some(parsed) => parsed,
            None => self.parse(),
        }
    }

    fn page(&mut self) -> Result<&ParsedPage, &String> {
        let parsed = match self.parsed.take() {
            Some(parsed) => parsed,
            None => self.parse(),
        };
        self.parsed.insert(parsed).as_ref()
    }

    fn parse(&self) -> Result<ParsedPage, String> {
        let Fetched {
            url, html, charset, ..
        } = *self.fetched;
        let date = NaiveDate::from_epoch_days(self.date);
        let source = Source {
            html: html.ok_or("html is null")?,
            charset,
            url,
            fetched_on: (self.fetched.fetched_at.and(date)).unwrap_or(LAST_DATE),
        };
        let parsed = ParsedPage::parse(source, self.options, self.observed);
        parsed.map_err(|error| error.to_string())
    }
}
