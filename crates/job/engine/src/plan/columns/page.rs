//! A parsed page as one value: the column `page`.
//!
//! Only Site and Write look into it. Site reads its beginning, the outline of the page, and Write the rest. A page
//! whose rest is too large to be sorted has the beginning only, and Write parses it again.

use std::borrow::Cow;

use arrow::array::{Array, BinaryArray};
use datafusion::error::Result;
use html_blocks::Page;
use markdown::Links;
use serde::{Deserialize, Serialize, Serializer};
use site_replay::{Labelling, MAX_LAYOUT_BYTES};
use template::{Layout, LayoutBlock, Title};

use crate::plan::columns::said::Said;
use crate::settings::Settings;
use crate::tables_state::table_files::external;

/// Most bytes of a page that travel through the sorts after Block, beside its beginning. A usual page has some
/// 5 KB.
///
/// Batches of sorts are counted in rows, and 256 rows with a text of 30 MB do not fit memory. A
/// lower value parses more pages twice.
const MAX_SORTED_BYTES: usize = 256 << 10;

/// Room for what a [`StoredPage`] has beside its texts. A title and a charset have less.
const STORED_BYTES: usize = 256;

/// A page that was parsed.
pub(crate) struct ParsedPage {
    pub(crate) page: Page,
    /// The bytes of its markup, if the job writes Markdown.
    pub(crate) markup: Option<Vec<u8>>,
    /// Its metadata and opt-outs, if the job writes them.
    pub(crate) said: Option<Said>,
    /// Its links, if the job writes them; else empty.
    pub(crate) links: Links,
}

/// The parts of a page that a job needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageEncoding {
    /// Whether labels come from the template, so that a page needs its layout.
    has_layout: bool,
    /// Whether duplicates may be revisions, so that a page needs the lengths of its blocks.
    has_lengths: bool,
    /// Whether the job writes `blocks` or `site_blocks`.
    has_details: bool,
}

/// The beginning of a page, as Site reads it. Borrows from the column.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageOutline<'a> {
    /// From which the template of the site is counted. A page without one is labelled by the counts of its blocks
    /// only.
    #[serde(serialize_with = "as_bytes")]
    pub(crate) layout: Option<&'a [u8]>,
    /// Of each block in UTF-16 units [O D8].
    pub(crate) lengths: Option<Vec<usize>>,
}

/// The rest of a page, as Write reads it. Borrows from the column.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredPage<'a> {
    pub(crate) title: Option<&'a str>,
    pub(crate) charset: &'a str,
    pub(crate) charset_source: &'a str,
    pub(crate) warnings: Vec<Cow<'a, str>>,
    /// The text of each block.
    pub(crate) texts: Vec<&'a str>,
    #[serde(serialize_with = "as_bytes")]
    pub(crate) markup: Option<&'a [u8]>,
    pub(crate) said: Option<Cow<'a, Said>>,
    /// Of each block, if the job writes `blocks` or `site_blocks`; else empty.
    pub(crate) details: Vec<StoredBlock<'a>>,
    /// Its links, if the job writes them; else empty.
    pub(crate) links: Vec<StoredLink<'a>>,
}

/// The columns of the tables `blocks` and `site_blocks` that come from a block, without its text.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct StoredBlock<'a> {
    pub(crate) link_chars: i32,
    pub(crate) slot: &'a str,
    pub(crate) chrome: bool,
}

/// The columns of the table `links` that come from a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredLink<'a> {
    pub(crate) target: &'a str,
    pub(crate) text: &'a str,
    /// The block in which it begins, from 0; the number of blocks if it is behind all of them.
    pub(crate) block: usize,
}

impl PageEncoding {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            has_layout: settings.site.labelling == Labelling::Template,
            has_lengths: settings.site.revisions,
            has_details: settings.keeps_block_details(),
        }
    }

    /// Returns the value of the column: its rest is left out where `has_rest` is false, or where it is too large.
    pub(crate) fn encode(self, parsed: &ParsedPage, has_rest: bool) -> Result<Vec<u8>> {
        let blocks = &parsed.page.blocks;
        let (layout, heavy) = self.layout(&parsed.page);
        let lengths = || {
            blocks
                .iter()
                .map(|block| block.text.encode_utf16().count())
                .collect()
        };
        let outline = PageOutline {
            layout: layout.as_deref(),
            lengths: self.has_lengths.then(lengths),
        };
        let mut outline = to_bytes(&outline, Vec::new())?;
        if !has_rest {
            return Ok(outline);
        }
        let begin = outline.len();
        // Each text has its length before it.
        let texts = blocks.iter().map(|block| block.text.len() + 2);
        outline.reserve(texts.sum::<usize>() + STORED_BYTES);
        let mut encoded = to_bytes(&self.stored(parsed, heavy), outline)?;
        if encoded.len() - begin > MAX_SORTED_BYTES {
            encoded.truncate(begin);
        }
        Ok(encoded)
    }

    /// Returns the value of the column for a page that is written at once, whatever its size.
    pub(crate) fn encode_whole(self, parsed: &ParsedPage) -> Result<Vec<u8>> {
        let begin = to_bytes(&PageOutline::default(), Vec::new())?;
        // The size of the layout decides a warning.
        let (_, heavy) = self.layout(&parsed.page);
        to_bytes(&self.stored(parsed, heavy), begin)
    }

    /// Returns the encoded layout of a page, if the job needs it, or the bytes of a layout that is too large.
    pub(crate) fn layout(self, page: &Page) -> (Option<Vec<u8>>, Option<usize>) {
        let layout = self.has_layout.then(|| layout(page));
        match layout {
            Some(layout) if layout.len() > MAX_LAYOUT_BYTES => (None, Some(layout.len())),
            layout => (layout, None),
        }
    }

    fn stored(self, parsed: &ParsedPage, heavy: Option<usize>) -> StoredPage<'_> {
        let page = &parsed.page;
        let heavy =
            heavy.map(|of| format!("no_template: {MAX_LAYOUT_BYTES} of {of} bytes of layout"));
        let left_out = parsed.links.left_out;
        let left_out = (left_out > 0).then(|| format!("links: {left_out} more are left out"));
        let warnings = page.warnings.iter().map(ToString::to_string);
        let warnings = warnings.chain(heavy).chain(left_out);
        let links = parsed.links.links.iter().map(|link| StoredLink {
            target: &link.target,
            text: &link.text,
            block: link.block,
        });
        let details = page.blocks.iter().map(|block| StoredBlock {
            // A page has less than 2 GiB.
            link_chars: block.link_chars.cast_signed(),
            slot: &block.dom_path,
            chrome: block.chrome,
        });
        StoredPage {
            title: page.title.as_deref(),
            charset: page.charset,
            charset_source: page.charset_source.as_str(),
            warnings: warnings.map(Cow::Owned).collect(),
            texts: page
                .blocks
                .iter()
                .map(|block| block.text.as_str())
                .collect(),
            markup: parsed.markup.as_deref(),
            said: parsed.said.as_ref().map(Cow::Borrowed),
            details: details.filter(|_| self.has_details).collect(),
            links: links.collect(),
        }
    }
}

/// The column `page` of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Pages<'a>(pub(crate) &'a BinaryArray);

impl<'a> Pages<'a> {
    /// Returns the beginning of a page.
    pub(crate) fn outline(&self, row: usize) -> Result<PageOutline<'a>> {
        Ok(self.parts(row)?.0)
    }

    /// Returns the rest of a page. `None` where it was left out.
    pub(crate) fn rest(&self, row: usize) -> Result<Option<StoredPage<'a>>> {
        let (_, rest) = self.parts(row)?;
        (!rest.is_empty())
            .then(|| postcard::from_bytes(rest).map_err(external))
            .transpose()
    }

    /// Whether a page has its rest.
    pub(crate) fn has_rest(&self, row: usize) -> Result<bool> {
        Ok(!self.parts(row)?.1.is_empty())
    }

    fn parts(&self, row: usize) -> Result<(PageOutline<'a>, &'a [u8])> {
        if self.0.is_null(row) {
            return Ok((PageOutline::default(), &[]));
        }
        postcard::take_from_bytes(self.0.value(row)).map_err(external)
    }
}

/// Returns the encoded layout of a page, from which the template of its site is counted.
fn layout(page: &Page) -> Vec<u8> {
    let title = Title::new(page.title.as_deref().unwrap_or_default());
    let blocks: Vec<LayoutBlock<'_>> = page
        .blocks
        .iter()
        .map(|block| {
            let (path, shared) = (&*block.dom_path, block.common_prefix);
            LayoutBlock::new(path, shared, &block.text, block.link_chars, &title)
        })
        .collect();
    Layout::to_bytes(&blocks, page.declared.bits())
}

/// Serializes bytes at once. Without it they are a sequence of numbers, which postcard writes to the same bytes, one by
/// one.
fn as_bytes<S: Serializer>(
    bytes: &Option<&[u8]>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    struct Bytes<'a>(&'a [u8]);
    impl Serialize for Bytes<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
    bytes.map(Bytes).serialize(serializer)
}

fn to_bytes(value: &impl Serialize, bytes: Vec<u8>) -> Result<Vec<u8>> {
    postcard::to_extend(value, bytes).map_err(external)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(html: &str) -> ParsedPage {
        let page = html_blocks::page(html.as_bytes(), None, &html_blocks::BlockOptions::default());
        ParsedPage {
            page: page.unwrap(),
            markup: Some(vec![0, 12, 255]),
            said: None,
            links: Links::default(),
        }
    }

    fn column(page: Vec<u8>) -> BinaryArray {
        BinaryArray::from_iter_values([page])
    }

    #[test]
    fn a_page_comes_back_as_it_was() {
        let page = parsed("<title>T</title><p>One\u{c}<p>Two <a href=/>links</a><pre>a\n  b</pre>");
        let texts: Vec<&str> = page.page.blocks.iter().map(|block| &*block.text).collect();
        for number in 0..8 {
            let [has_layout, has_lengths, has_details] = [1, 2, 4].map(|bit| number & bit > 0);
            let encoding = PageEncoding {
                has_layout,
                has_lengths,
                has_details,
            };
            let column = column(encoding.encode(&page, true).unwrap());
            let stored = Pages(&column).rest(0).unwrap().unwrap();
            assert_eq!(stored.texts, texts);
            assert_eq!(
                (stored.title, stored.markup),
                (Some("T"), Some(&[0, 12, 255][..]))
            );
            assert_eq!(
                stored.details.len(),
                if has_details { texts.len() } else { 0 }
            );
            let lengths = || texts.iter().map(|text| text.len()).collect();
            let expected = has_layout.then(|| layout(&page.page));
            let expected = PageOutline {
                layout: expected.as_deref(),
                lengths: has_lengths.then(lengths),
            };
            assert_eq!(Pages(&column).outline(0).unwrap(), expected);
        }
    }

    #[test]
    fn a_large_page_travels_without_its_rest() {
        let page = parsed(&format!("<p>{}", "word ".repeat(MAX_SORTED_BYTES / 5)));
        let encoding = PageEncoding {
            has_layout: true,
            has_lengths: true,
            has_details: false,
        };
        let columns = [
            (encoding.encode(&page, true), false),
            (encoding.encode(&page, false), false),
            (encoding.encode_whole(&page), true),
        ];
        for (encoded, has_rest) in columns {
            let column = column(encoded.unwrap());
            assert_eq!(Pages(&column).has_rest(0).unwrap(), has_rest);
            assert_eq!(Pages(&column).rest(0).unwrap().is_some(), has_rest);
            let outline = Pages(&column).outline(0).unwrap();
            assert_eq!(outline.lengths.is_some(), !has_rest);
        }
    }
}
