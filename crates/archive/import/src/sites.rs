//! The sites of pages. Rows of an object are ordered by the hash of their site, so that a job which needs some sites reads
//! some of its row groups.

use boundary::guarded;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use url_key::{Keyer, hash};

/// The column with the [`hash`] of a page's domain, null for a page without one. Its statistics say which sites a row group
/// has.
pub const SITE_HASH: &str = "site_hash";

/// The key in the footer whose value names the rules that give a page its domain: [`Keyer::domain_rules`].
pub const SITE_RULES: &str = "urltree.site_rules";

/// Returns the [`hash`] of the domain that `keyer` finds for `url`. `None` if it has none.
pub fn site_hash(keyer: &Keyer, url: &str) -> Option<u64> {
    let parsed = guarded("URLs", url.as_bytes(), || keyer.parse(url));
    Some(hash(parsed.ok()?.ok()?.domain().as_str()))
}

/// Adds [`SITE_RULES`] to the footer.
pub(crate) fn with_site_rules(properties: WriterProperties) -> WriterProperties {
    let rules = KeyValue::new(SITE_RULES.to_owned(), Keyer::default().domain_rules());
    let properties = properties.into_builder();
    properties.set_key_value_metadata(Some(vec![rules])).build()
}
