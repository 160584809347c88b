//! Metadata of pages: date, author, site. It travels beside the texts of a page from the step
//! that reads it to the step that writes.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringBuilder, TimestampMicrosecondBuilder};
use datafusion::error::{DataFusionError, Result};
use metadata::{Found, Metadata, Moment};
use serde::{Deserialize, Serialize};

use crate::plan::columns::schemas::RecordBatchExt;

/// A value and its source.
type Sourced<T> = Option<(T, String)>;

/// [`Metadata`] as it travels. Times are microseconds since 1970, UTC.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Said {
    published_at: Sourced<i64>,
    modified_at: Sourced<i64>,
    author: Sourced<String>,
    site_name: Sourced<String>,
    description: Sourced<String>,
    canonical_url: Sourced<String>,
    image: Sourced<String>,
    html_lang: Option<String>,
}

/// Writes the metadata of a page as bytes, for [`said_columns`].
pub(crate) fn said_bytes(metadata: Metadata) -> Result<Vec<u8>> {
    let time = |found: Found<Moment>| {
        let micros = found.value.utc().and_utc().timestamp_micros();
        (micros, found.source.as_str().to_owned())
    };
    let text = |found: Found<String>| (found.value, found.source.as_str().to_owned());
    let said = Said {
        published_at: metadata.published_at.map(time),
        modified_at: metadata.modified_at.map(time),
        author: metadata.author.map(text),
        site_name: metadata.site_name.map(text),
        description: metadata.description.map(text),
        canonical_url: metadata.canonical_url.map(text),
        image: metadata.image.map(text),
        html_lang: metadata.html_lang,
    };
    postcard::to_allocvec(&said).map_err(|error| DataFusionError::External(error.into()))
}

/// Returns the columns of `documents` that have what `rows` say. A row without metadata has nulls.
pub(crate) fn said_columns(
    batch: &RecordBatch,
    rows: &[u32],
) -> Result<Vec<(&'static str, ArrayRef)>> {
    let column = batch.bytes("metadata")?;
    let said = rows.iter().map(|row| {
        let row = *row as usize;
        if column.is_null(row) {
            return Ok(Said::default());
        }
        postcard::from_bytes(column.value(row))
            .map_err(|error| DataFusionError::External(error.into()))
    });
    let said: Vec<Said> = said.collect::<Result<_>>()?;
    let mut columns = Vec::new();
    let mut times = |names: [&'static str; 2], of: fn(&Said) -> &Sourced<i64>| {
        let mut values = TimestampMicrosecondBuilder::new().with_timezone("UTC");
        let mut sources = StringBuilder::new();
        for said in &said {
            let (value, source) = of(said)
                .as_ref()
                .map(|(time, source)| (*time, source))
                .unzip();
            values.append_option(value);
            sources.append_option(source);
        }
        columns.push((names[0], Arc::new(values.finish()) as ArrayRef));
        columns.push((names[1], Arc::new(sources.finish()) as ArrayRef));
    };
    times(["published_at", "published_at_source"], |said| {
        &said.published_at
    });
    times(["modified_at", "modified_at_source"], |said| {
        &said.modified_at
    });
    let mut texts = |names: [&'static str; 2], of: fn(&Said) -> &Sourced<String>| {
        let (mut values, mut sources) = (StringBuilder::new(), StringBuilder::new());
        for said in &said {
            let (value, source) = of(said)
                .as_ref()
                .map(|(text, source)| (text, source))
                .unzip();
            values.append_option(value);
            sources.append_option(source);
        }
        columns.push((names[0], Arc::new(values.finish()) as ArrayRef));
        columns.push((names[1], Arc::new(sources.finish()) as ArrayRef));
    };
    texts(["author", "author_source"], |said| &said.author);
    texts(["site_name", "site_name_source"], |said| &said.site_name);
    texts(["description", "description_source"], |said| {
        &said.description
    });
    texts(["canonical_url", "canonical_url_source"], |said| {
        &said.canonical_url
    });
    texts(["image", "image_source"], |said| &said.image);
    let mut languages = StringBuilder::new();
    said.iter()
        .for_each(|said| languages.append_option(said.html_lang.as_deref()));
    columns.push(("html_lang", Arc::new(languages.finish())));
    Ok(columns)
}
