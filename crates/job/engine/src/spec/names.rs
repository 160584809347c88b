//! Settings that are a set of names: a list, or text with commas.

use std::collections::BTreeSet;
use std::fmt::Formatter;
use std::marker::PhantomData;

use serde::de::{Error, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A set of names. `--set output.write=blocks,markdown` is `write = ["blocks", "markdown"]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Names<T: Ord>(pub BTreeSet<T>);

impl<T: Ord> Default for Names<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: Ord> Names<T> {
    pub(crate) fn has(&self, name: T) -> bool {
        self.0.contains(&name)
    }
}

/// `output.write`: an optional table, or optional columns of `documents`. A name that is left out costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Written {
    /// The table `blocks`.
    Blocks,
    /// The table `links`.
    Links,
    /// The table `site_blocks`.
    SiteBlocks,
    /// The statements of pages about themselves: date, author, site.
    Metadata,
    /// `language`, `language_score` and `language_label`.
    Language,
    /// Columns that tell good text from bad: words, repeated lines.
    Signals,
    /// `opt_out`: what robots directives forbid.
    OptOut,
    /// `minhash`, by which near duplicates are found.
    Minhash,
    /// `markdown`.
    Markdown,
    /// `page_kind` and `page_kind_score`.
    PageKind,
    /// `surt` and `surt_host`: the keys in indexes of web archives.
    Surt,
}

/// `output.markdown`: what the column `markdown` keeps beside headings, lists, tables and code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MarkdownPart {
    /// Bold, italic and deleted text.
    Emphasis,
    /// Links with their addresses.
    Links,
    /// Images that have a text, between blocks that are content.
    Images,
}

impl<'de, T: Ord + Deserialize<'de>> Deserialize<'de> for Names<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListOrText(PhantomData))
    }
}

struct ListOrText<T>(PhantomData<T>);

impl<'de, T: Ord + Deserialize<'de>> Visitor<'de> for ListOrText<T> {
    type Value = Names<T>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of names, such as [\"blocks\", \"metadata\"] for output.write")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Names<T>, E> {
        let names = (text.split(',').map(str::trim)).filter(|name| !name.is_empty());
        let names = names.map(|name| T::deserialize(name.to_owned().into_deserializer()));
        Ok(Names(names.collect::<Result<_, E>>()?))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names<T>, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = list.next_element()? {
            names.insert(name);
        }
        Ok(Names(names))
    }
}
