//! The keys of documents in the indexes of web archives.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringBuilder};
use url_key::Surt;

/// Returns the columns of `documents` with the SURTs of `urls` and of their hosts, null unless the job writes them.
pub(crate) fn surt_columns(urls: &[&str], write_surt: bool) -> [(&'static str, ArrayRef); 2] {
    let (mut surts, mut hosts) = (StringBuilder::new(), StringBuilder::new());
    for url in urls {
        let surt = write_surt.then(|| Surt::of(url)).flatten();
        surts.append_option(surt.as_ref().map(Surt::as_str));
        hosts.append_option(surt.as_ref().map(Surt::host));
    }
    [
        ("surt", Arc::new(surts.finish())),
        ("surt_host", Arc::new(hosts.finish())),
    ]
}
