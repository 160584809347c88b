//! HTML as Python has it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyString};

/// A page: bytes as fetched, or text.
pub(crate) enum Html {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
    /// Text with characters that UTF-8 does not have, which became question marks.
    Replaced(PyBackedBytes),
}

impl Html {
    /// Takes the bytes of an argument, without a copy unless it is a `bytearray`. `None` for `None`.
    ///
    /// # Errors
    /// `TypeError` for anything else.
    pub(crate) fn of(argument: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if argument.is_none() {
            return Ok(None);
        }
        if argument.is_instance_of::<PyBytes>() || argument.is_instance_of::<PyByteArray>() {
            return Ok(Some(Self::Bytes(argument.extract()?)));
        }
        if let Ok(text) = argument.cast::<PyString>() {
            return Ok(Some(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Self::Text(text),
                // A lone surrogate, as in text that was decoded with `surrogateescape`.
                Err(_) => Self::Replaced(
                    text.call_method1("encode", ("utf-8", "replace"))?
                        .extract()?,
                ),
            }));
        }
        let found = argument.get_type().name()?;
        let message = format!("html: expected bytes, str or None, got {found}");
        Err(PyTypeError::new_err(message))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) | Self::Replaced(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }

    /// The charset of the bytes: of text it is known, whatever the page declares.
    pub(crate) fn charset<'a>(&self, declared: Option<&'a str>) -> Option<&'a str> {
        match self {
            Self::Bytes(_) => declared,
            Self::Text(_) | Self::Replaced(_) => Some("utf-8"),
        }
    }
}
