//! The state of pickles: JSON with the names of the fields, so that a version reads what another has written unless a
//! field has changed.

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::{InternalError, usage};

/// Returns the state of a value.
pub(crate) fn pickled(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| InternalError::new_err(error.to_string()))
}

/// Returns the value with a state.
///
/// # Errors
/// `UsageError` for a text that is not one.
pub(crate) fn unpickled<T: DeserializeOwned>(state: &str) -> PyResult<T> {
    serde_json::from_str(state).map_err(|error| {
        usage(format!(
            "not the state of a pickle of this version of urltree: {error}"
        ))
    })
}
