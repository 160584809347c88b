//! `tree.paths`: the marks of DOM paths.

use template::marks::{MarkFile, Marks};
use url_key::Keyer;

use crate::spec::{JobSpec, SpecError};

/// Returns the file of `tree.paths`, if there is one.
pub(crate) fn paths_file(spec: &JobSpec) -> Option<&str> {
    let named = spec.tree.paths.as_deref();
    named.filter(|path| *path != "none")
}

/// Reads the marks. An error names the file and the line.
pub(crate) fn parsed_marks(spec: &JobSpec, text: &str, keyer: &Keyer) -> Result<Marks, SpecError> {
    let file = MarkFile::parse(text, |host| domain_of(keyer, host));
    let file = file.map_err(|error| {
        let path = paths_file(spec).unwrap_or_default();
        SpecError::key("tree.paths", format!("{path}, {error}"))
    })?;
    Ok(file.marks())
}

/// Returns the domain of the pages of a host; `None` if it is not a host.
pub(crate) fn domain_of(keyer: &Keyer, host: &str) -> Option<String> {
    if host.contains(['/', '?', '#', '@', '\\']) {
        return None;
    }
    let url = keyer.parse(&format!("http://{host}/")).ok()?;
    Some(url.domain().as_str().to_owned())
}
