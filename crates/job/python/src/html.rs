//! HTML as Python has it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{IntoPyDict, PyBytes, PyMemoryView, PyString};

/// A page: bytes as fetched, or text.
pub(crate) enum Html {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
    /// Bytes that were made in UTF-8: of a tree, or of text with characters that UTF-8 does not have, which became
    /// question marks.
    Utf8(PyBackedBytes),
}

impl Html {
    /// Takes the bytes of an argument, without a copy if it is `bytes` or `str`. `None` for `None`.
    ///
    /// # Errors
    /// `TypeError` for anything else.
    pub(crate) fn of(argument: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if argument.is_none() {
            return Ok(None);
        }
        if argument.is_instance_of::<PyBytes>() {
            return Ok(Some(Self::Bytes(argument.extract()?)));
        }
        if let Ok(text) = argument.cast::<PyString>() {
            return Ok(Some(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Self::Text(text),
                // A lone surrogate, as in text that was decoded with `surrogateescape`.
                Err(_) => Self::Utf8(
                    text.call_method1("encode", ("utf-8", "replace"))?
                        .extract()?,
                ),
            }));
        }
        if let Ok(buffer) = PyMemoryView::from(argument) {
            let bytes = buffer.call_method0("tobytes")?;
            return Ok(Some(Self::Bytes(bytes.extract()?)));
        }
        if is_tree(argument)? {
            let py = argument.py();
            let lxml = py.import("lxml.etree")?;
            let form = [("encoding", "utf-8"), ("method", "html")].into_py_dict(py)?;
            let bytes = lxml.call_method("tostring", (argument,), Some(&form))?;
            return Ok(Some(Self::Utf8(bytes.extract()?)));
        }
        let found = argument.get_type().name()?;
        let message =
            format!("html: expected bytes, a buffer, str, a tree of lxml or None, got {found}");
        Err(PyTypeError::new_err(message))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) | Self::Utf8(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }

    /// The charset of the bytes: of text it is known, whatever the page declares.
    pub(crate) fn charset<'a>(&self, declared: Option<&'a str>) -> Option<&'a str> {
        match self {
            Self::Bytes(_) => declared,
            Self::Text(_) | Self::Utf8(_) => Some("utf-8"),
        }
    }
}

/// Whether an object is a document or an element of lxml, which only then is imported.
fn is_tree(argument: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = argument.get_type().module()?;
    Ok(module.to_str()?.starts_with("lxml.") && argument.hasattr("xpath")?)
}
