//! The keys of documents in the indexes of web archives.

use url_key::Surt;

use crate::plan::columns::column::{Named, column};

/// Returns the columns of `documents` with the SURTs of `urls` and of their hosts, null unless the job writes them.
pub(crate) fn surt_columns(urls: &[&str], write_surt: bool) -> [Named; 2] {
    let surt = |url: &&str| write_surt.then(|| Surt::of(url)).flatten();
    let surts: Vec<Option<Surt>> = urls.iter().map(surt).collect();
    [
        column("surt", &surts, |surt| surt.as_ref().map(Surt::as_str)),
        column("surt_host", &surts, |surt| surt.as_ref().map(Surt::host)),
    ]
}
