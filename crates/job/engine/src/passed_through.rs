//! Columns of the archive that are passed through to `documents`. They decide no other column.

use std::sync::Arc;

use crate::spec::{JobSpec, SpecError};

/// Most columns of the archive that are passed through.
const MAX_PASSED_THROUGH: usize = 100;

/// Returns the names of the columns that are passed through.
pub(crate) fn passed_through(spec: &JobSpec) -> Result<Arc<[String]>, SpecError> {
    let names = &spec.output.archive_columns;
    let refused = |expected| Err(SpecError::key("output.archive_columns", expected));
    if names.len() > MAX_PASSED_THROUGH {
        let count = names.len();
        return refused(format!(
            "{count} columns; expected at most {MAX_PASSED_THROUGH}"
        ));
    }
    let html = spec.archive.columns.html.as_deref().unwrap_or("html");
    if names.iter().any(|name| name == html) {
        return refused(format!("`{html}` is the HTML of the pages; remove it"));
    }
    let twice = (names.iter().enumerate()).find(|(at, name)| names[..*at].contains(name));
    if let Some((_, name)) = twice {
        return refused(format!("`{name}` is there twice"));
    }
    Ok(names.as_slice().into())
}
