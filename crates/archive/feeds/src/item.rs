//! An item of a feed, and its digest.

use std::fmt;

use chrono::{DateTime, Utc};
use md5::{Digest, Md5};

/// An item of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// URL of the page, absolute.
    pub link: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Description or summary, with its markup.
    pub description: Option<String>,
    /// Date of publication. Without one, the date of the last update.
    pub published: Option<DateTime<Utc>>,
    /// Digest of title, description and date.
    pub digest: ItemDigest,
}

impl Item {
    /// Creates an item with its digest.
    pub fn new(
        link: Option<String>,
        title: Option<String>,
        description: Option<String>,
        published: Option<DateTime<Utc>>,
    ) -> Self {
        let digest = ItemDigest::of(title.as_deref(), description.as_deref(), published);
        Self {
            link,
            title,
            description,
            published,
            digest,
        }
    }
}

/// MD5 of title, description and date with a space between them, as in the authors' code `[O H3]`. A
/// missing field is empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemDigest(pub [u8; 16]);

impl ItemDigest {
    /// Computes the digest. The date is written in UTC, so it does not depend on the zone of a
    /// server, which changes with the season.
    pub fn of(
        title: Option<&str>,
        description: Option<&str>,
        published: Option<DateTime<Utc>>,
    ) -> Self {
        let mut digest = Md5::new();
        digest.update(title.unwrap_or_default());
        digest.update(b" ");
        digest.update(description.unwrap_or_default());
        digest.update(b" ");
        if let Some(published) = published {
            digest.update(published.format("%Y-%m-%d %H:%M:%S +00:00").to_string());
        }
        Self(digest.finalize().into())
    }
}

impl fmt::Debug for ItemDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(title: &str, description: &str, seconds: i64) -> ItemDigest {
        let published = DateTime::from_timestamp(seconds, 0);
        ItemDigest::of(Some(title), Some(description), published)
    }

    #[test]
    fn the_digest_is_the_md5_of_the_three_fields_with_spaces_between_them() {
        // printf 'One D 2011-10-24 08:00:00 +00:00' | md5sum
        let one = digest("One", "D", 1_319_443_200);
        assert_eq!(format!("{one:?}"), "98cc670cbe8328c5513dcf74842ce0a6");
        // printf '  ' | md5sum
        let none = ItemDigest::of(None, None, None);
        assert_eq!(format!("{none:?}"), "23b58def11b45727d3351702515f86af");
    }

    #[test]
    fn every_field_but_the_link_changes_the_digest() {
        let one = digest("One", "D", 0);
        assert_ne!(one, digest("Two", "D", 0));
        assert_ne!(one, digest("One", "E", 0));
        assert_ne!(one, digest("One", "D", 1));
        let item = |link: &str| Item::new(Some(link.to_owned()), None, None, None).digest;
        assert_eq!(item("http://a.example/1"), item("http://a.example/2"));
    }
}
