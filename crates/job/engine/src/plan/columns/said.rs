//! Metadata of pages (date, author, site), what they forbid, and where they are from. It travels
//! beside the texts of a page from the step that reads it to the step that writes.

use std::sync::Arc;

use arrow::array::{ArrayRef, TimestampMicrosecondArray};
use metadata::{Found, Metadata, Moment};
use serde::{Deserialize, Serialize};

use crate::plan::columns::column::{Named, column, text_lists};

/// A field of the metadata.
type Of<T> = fn(&Metadata) -> &Option<Found<T>>;

/// Times, each with the columns of its value and its source.
const TIMES: [([&str; 2], Of<Moment>); 2] = [
    (["published_at", "published_at_source"], |metadata| {
        &metadata.published_at
    }),
    (["modified_at", "modified_at_source"], |metadata| {
        &metadata.modified_at
    }),
];

/// Texts, each with the columns of its value and its source.
const TEXTS: [([&str; 2], Of<String>); 6] = [
    (["author", "author_source"], |metadata| &metadata.author),
    (["site_name", "site_name_source"], |metadata| {
        &metadata.site_name
    }),
    (["description", "description_source"], |metadata| {
        &metadata.description
    }),
    (["canonical_url", "canonical_url_source"], |metadata| {
        &metadata.canonical_url
    }),
    (["image", "image_source"], |metadata| &metadata.image),
    (["licence", "licence_source"], |metadata| &metadata.licence),
];

/// The statements of a page beside its texts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) metadata: Metadata,
    /// Uses that page and response forbid, if the job writes them.
    pub(crate) opt_out: Option<Vec<String>>,
    /// Columns of the archive, if any are passed through.
    pub(crate) archive: Option<String>,
}

/// Returns the columns of `documents` that have what pages say. A page without metadata has nulls.
pub(crate) fn said_columns<'a>(pages: impl Iterator<Item = Option<&'a Said>>) -> Vec<Named> {
    let none = Said::default();
    let said: Vec<&Said> = pages.map(|said| said.unwrap_or(&none)).collect();
    let mut columns = vec![
        column("html_lang", &said, |said| {
            said.metadata.html_lang.as_deref()
        }),
        text_lists("opt_out", said.iter().map(|said| said.opt_out.as_ref())),
        column("archive", &said, |said| said.archive.as_deref()),
    ];
    for ([value, source], of) in TIMES {
        let micros = |found: &Found<Moment>| found.value.utc().and_utc().timestamp_micros();
        let times = said.iter();
        let times = times.map(|said| of(&said.metadata).as_ref().map(micros));
        let times = TimestampMicrosecondArray::from_iter(times).with_timezone("UTC");
        columns.extend([
            (value, Arc::new(times) as ArrayRef),
            sources(source, &said, of),
        ]);
    }
    for ([value, source], of) in TEXTS {
        let texts = column(value, &said, |said| {
            Some(&*of(&said.metadata).as_ref()?.value)
        });
        columns.extend([texts, sources(source, &said, of)]);
    }
    columns
}

fn sources<T: 'static>(name: &'static str, said: &[&Said], of: Of<T>) -> Named {
    column(name, said, |said| {
        Some(of(&said.metadata).as_ref()?.source.as_str())
    })
}
