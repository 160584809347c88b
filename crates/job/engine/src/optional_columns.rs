//! Columns of `documents` that are null unless the job fills them. They decide no other column.

use std::sync::Arc;

use crate::spec::{JobSpec, OutputSpec, SpecError, Written};

/// Most columns of the archive that are passed through.
const MAX_PASSED_THROUGH: usize = 100;

/// Columns of `documents` that are null unless the job fills them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionalColumns {
    /// Date, author, site and more, as pages say.
    pub metadata: bool,
    /// The language of the text.
    pub language: bool,
    /// Counts that tell good text from bad.
    pub signals: bool,
    /// The signature by which near duplicates are found.
    pub minhash: bool,
    /// Uses that robots directives forbid.
    pub opt_out: bool,
    /// The keys of URLs and hosts in indexes of web archives.
    pub surt: bool,
}

impl OptionalColumns {
    /// Reads the setting `output.write`.
    pub(crate) fn new(spec: &OutputSpec) -> Self {
        Self {
            metadata: spec.write.has(Written::Metadata),
            language: spec.write.has(Written::Language),
            signals: spec.write.has(Written::Signals),
            minhash: spec.write.has(Written::Minhash),
            opt_out: spec.write.has(Written::OptOut),
            surt: spec.write.has(Written::Surt),
        }
    }
}

/// Returns the names of the columns that are passed through.
pub(crate) fn passed_through(spec: &JobSpec) -> Result<Arc<[String]>, SpecError> {
    let names = &spec.output.archive_columns;
    let key = "output.archive_columns";
    let html = spec.archive.columns.html.as_deref().unwrap_or("html");
    if names.len() > MAX_PASSED_THROUGH {
        let expected = format!(
            "{} columns; expected at most {MAX_PASSED_THROUGH}",
            names.len()
        );
        return Err(SpecError::key(key, expected));
    }
    if let Some(name) = names.iter().find(|name| *name == html) {
        return Err(SpecError::key(
            key,
            format!("`{name}` is the HTML of the pages; remove it"),
        ));
    }
    let twice =
        (names.iter().enumerate()).find(|(position, name)| names[..*position].contains(name));
    if let Some((_, name)) = twice {
        return Err(SpecError::key(key, format!("`{name}` is there twice")));
    }
    Ok(names.as_slice().into())
}
