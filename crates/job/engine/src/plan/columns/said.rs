//! Metadata of pages (date, author, site), what they forbid, and where they are from. It travels
//! beside the texts of a page from the step that reads it to the step that writes.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ListArray, ListBuilder, StringArray, StringBuilder, TimestampMicrosecondArray,
};
use arrow::datatypes::DataType;
use metadata::{Found, Metadata, Moment};
use serde::{Deserialize, Serialize};

use crate::plan::columns::schemas::list_field;

/// A value and its source.
type Sourced<T> = Option<(T, String)>;

/// A field of what a page says.
type Of<T> = fn(&Said) -> &Sourced<T>;

/// Times, each with the columns of its value and its source.
const TIMES: [([&str; 2], Of<i64>); 2] = [
    (["published_at", "published_at_source"], |said| {
        &said.published_at
    }),
    (["modified_at", "modified_at_source"], |said| {
        &said.modified_at
    }),
];

/// Texts, each with the columns of its value and its source.
const TEXTS: [([&str; 2], Of<String>); 6] = [
    (["author", "author_source"], |said| &said.author),
    (["site_name", "site_name_source"], |said| &said.site_name),
    (["description", "description_source"], |said| {
        &said.description
    }),
    (["canonical_url", "canonical_url_source"], |said| {
        &said.canonical_url
    }),
    (["image", "image_source"], |said| &said.image),
    (["licence", "licence_source"], |said| &said.licence),
];

/// Values of a page beside its texts. Times are microseconds since 1970, UTC.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Said {
    published_at: Sourced<i64>,
    modified_at: Sourced<i64>,
    author: Sourced<String>,
    site_name: Sourced<String>,
    description: Sourced<String>,
    canonical_url: Sourced<String>,
    image: Sourced<String>,
    licence: Sourced<String>,
    html_lang: Option<String>,
    /// Uses that page and response forbid, if the job writes them.
    opt_out: Option<Vec<String>>,
    /// Columns of the archive, if any are passed through.
    archive: Option<String>,
}

impl Said {
    /// The metadata of a page, with its opt-outs and the columns of the archive.
    pub(crate) fn new(
        metadata: Metadata,
        opt_out: Option<Vec<String>>,
        archive: Option<String>,
    ) -> Self {
        let time = |found: Found<Moment>| {
            let micros = found.value.utc().and_utc().timestamp_micros();
            (micros, found.source.as_str().to_owned())
        };
        let text = |found: Found<String>| (found.value, found.source.as_str().to_owned());
        Self {
            published_at: metadata.published_at.map(time),
            modified_at: metadata.modified_at.map(time),
            author: metadata.author.map(text),
            site_name: metadata.site_name.map(text),
            description: metadata.description.map(text),
            canonical_url: metadata.canonical_url.map(text),
            image: metadata.image.map(text),
            licence: metadata.licence.map(text),
            html_lang: metadata.html_lang,
            opt_out,
            archive,
        }
    }
}

/// Returns the columns of `documents` that have what pages say. A page without metadata has nulls.
pub(crate) fn said_columns<'a>(
    pages: impl Iterator<Item = Option<&'a Said>>,
) -> Vec<(&'static str, ArrayRef)> {
    let none = Said::default();
    let said: Vec<&Said> = pages.map(|said| said.unwrap_or(&none)).collect();
    let mut columns: Vec<(&'static str, ArrayRef)> = Vec::new();
    for (names, of) in TIMES {
        let times = values(&said, of).map(|value| value.copied());
        let times = TimestampMicrosecondArray::from_iter(times).with_timezone("UTC");
        columns.push((names[0], Arc::new(times)));
        columns.push((names[1], sources(&said, of)));
    }
    for (names, of) in TEXTS {
        columns.push((
            names[0],
            Arc::new(StringArray::from_iter(values(&said, of))),
        ));
        columns.push((names[1], sources(&said, of)));
    }
    let languages = said.iter().map(|said| said.html_lang.as_deref());
    columns.push(("html_lang", Arc::new(StringArray::from_iter(languages))));
    columns.push(("opt_out", Arc::new(opt_outs(&said))));
    let archives = said.iter().map(|said| said.archive.as_deref());
    columns.push(("archive", Arc::new(StringArray::from_iter(archives))));
    columns
}

fn opt_outs(said: &[&Said]) -> ListArray {
    let lists = ListBuilder::new(StringBuilder::new());
    let mut lists = lists.with_field(list_field(DataType::Utf8));
    for said in said {
        lists.append_option(said.opt_out.as_ref().map(|words| words.iter().map(Some)));
    }
    lists.finish()
}

fn values<'a, T: 'static>(said: &'a [&Said], of: Of<T>) -> impl Iterator<Item = Option<&'a T>> {
    said.iter()
        .map(move |said| of(said).as_ref().map(|(value, _)| value))
}

fn sources<T: 'static>(said: &[&Said], of: Of<T>) -> ArrayRef {
    let sources = said
        .iter()
        .map(|said| of(said).as_ref().map(|(_, source)| source));
    Arc::new(StringArray::from_iter(sources))
}
