//! The hash of a URL with some of its parts.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::FixedState;
use url_key::UrlPart;

/// The hash of a base URL with some parts. No table has it. Of two pages with one hash, the later is
/// not compared, and stays another page.
pub(super) fn parts_hash<'a>(base: &str, parts: impl IntoIterator<Item = &'a UrlPart>) -> i64 {
    let mut hasher = FixedState::with_seed(0).build_hasher();
    base.hash(&mut hasher);
    parts.into_iter().for_each(|part| part.hash(&mut hasher));
    hasher.finish().cast_signed()
}
