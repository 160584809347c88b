//! Exceptions, one per class of errors.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use site_text::SiteError;
#[cfg(feature = "job")]
use tables::{Classified, ErrorClass};

create_exception!(
    urltree,
    UrltreeError,
    PyException,
    "An error of urltree. `retryable` says whether the same call may succeed later, although no person \
     changes anything."
);
create_exception!(
    urltree,
    UsageError,
    UrltreeError,
    "The call, the job file or a setting is wrong. The message names what is expected."
);
create_exception!(
    urltree,
    InputError,
    UrltreeError,
    "The input cannot be used: a page of another site, pages out of order, an archive that cannot be read."
);
create_exception!(
    urltree,
    StorageError,
    UrltreeError,
    "A disk or an object store failed, or another run owns the tables."
);
create_exception!(urltree, InternalError, UrltreeError, "A bug of urltree.");

/// Returns the exception for an error.
#[cfg(feature = "job")]
pub(crate) fn exception(py: Python<'_>, error: &impl Classified) -> PyErr {
    let raised = of_class(error.class(), error.to_string());
    match raised.value(py).setattr("retryable", error.is_retryable()) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// Returns the exception for an error of a site in memory.
pub(crate) fn site_exception(error: &SiteError) -> PyErr {
    let message = error.to_string();
    match error {
        SiteError::Waiting(_) => UsageError::new_err(message),
        _ => InputError::new_err(message),
    }
}

/// Returns the exception for wrong arguments.
pub(crate) fn usage(message: impl Into<String>) -> PyErr {
    UsageError::new_err(message.into())
}

#[cfg(feature = "job")]
fn of_class(class: ErrorClass, message: String) -> PyErr {
    match class {
        ErrorClass::Usage => UsageError::new_err(message),
        ErrorClass::Input => InputError::new_err(message),
        ErrorClass::Storage => StorageError::new_err(message),
        ErrorClass::Internal => InternalError::new_err(message),
    }
}
