//! The manifest of an input: it is imported, and with which counts.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use tables::Location;

use crate::error::ImportError;
use crate::inputs::Input;
use crate::store;

/// The record of a finished import of one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The location of the input.
    pub input: String,
    /// Bytes of the input.
    pub input_bytes: u64,
    /// The entity tag of the input, or the time of its last change.
    pub input_tag: Option<String>,
    /// Records by type.
    pub records: BTreeMap<String, u64>,
    /// Records that are not pages, by type and content.
    #[serde(default)]
    pub not_pages: BTreeMap<String, u64>,
    /// Records in a form that the standards do not have, by form.
    #[serde(default)]
    pub warnings: BTreeMap<String, u64>,
    /// Records that cannot be used.
    pub quarantined: u64,
    /// Records that cannot be used, by kind of the reason.
    #[serde(default)]
    pub reasons: BTreeMap<String, u64>,
    /// Rows.
    pub pages: u64,
    /// Revisits of pages that are not before them in the input.
    #[serde(default)]
    pub revisits: u64,
    /// Bytes of HTML in the rows.
    pub html_bytes: u64,
    /// Objects of pages below the output.
    pub objects: Vec<String>,
    /// For some records of an index: their outcomes, as lines of `crawl_index::Progress`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub progress: String,
}

impl Manifest {
    /// The dates of the objects.
    pub(crate) fn dates(&self) -> impl Iterator<Item = NaiveDate> {
        let date = |object: &String| object.strip_prefix("date=")?.get(..10)?.parse().ok();
        self.objects.iter().filter_map(date)
    }

    /// Whether this is of `input` in its present state.
    pub(crate) fn is_of(&self, input: &Input) -> bool {
        input.tag.is_some() && self.input_tag == input.tag && Some(self.input_bytes) == input.bytes
    }
}

fn object(name: &str) -> String {
    format!("_imports/{name}.json")
}

/// Returns the manifest of the input with this name, if it is imported.
pub(crate) async fn read(output: &Location, name: &str) -> Result<Option<Manifest>, ImportError> {
    let object = object(name);
    let at = output.child("_imports").child(&format!("{name}.json"));
    let bytes = match store::read(&at, "read").await {
        Ok(bytes) => bytes,
        Err(ImportError::Store {
            source: object_store::Error::NotFound { .. },
            ..
        }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let manifest = serde_json::from_slice(&bytes);
    Ok(Some(manifest.map_err(|source| ImportError::Manifest {
        object: format!("{output}/{object}"),
        source,
    })?))
}

/// Writes the manifest of the input with this name.
pub(crate) async fn write(
    output: &Location,
    name: &str,
    manifest: &Manifest,
) -> Result<(), ImportError> {
    let object = object(name);
    let bytes = serde_json::to_vec_pretty(manifest).map_err(|source| ImportError::Manifest {
        object: format!("{output}/{object}"),
        source,
    })?;
    store::put(output, &object, bytes).await
}
