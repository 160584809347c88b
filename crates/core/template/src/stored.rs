//! The stored bytes of [`PagePaths`].

use crate::page_paths::{DomPath, PagePaths};
use crate::varint::{self, BytesError};

impl PagePaths {
    /// Encodes the paths, to be stored with the page.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 * self.paths.len());
        for path in &self.paths {
            varint::write(&mut bytes, path.parent);
            varint::write(&mut bytes, path.key.len() as u64);
            bytes.extend_from_slice(path.key.as_bytes());
            for number in [
                path.text_mass,
                path.chars,
                path.link_chars,
                path.repeated_chars,
            ] {
                varint::write(&mut bytes, number);
            }
        }
        bytes
    }

    /// Decodes the paths of a page. Empty bytes are a page without paths.
    ///
    /// # Errors
    /// Returns [`BytesError`] if [`to_bytes`](Self::to_bytes) cannot have written the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let mut paths = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let path = read_path(&mut rest).ok_or(BytesError)?;
            // A path comes after its parent.
            if path.parent as usize >= paths.len().max(1) {
                return Err(BytesError);
            }
            paths.push(path);
        }
        Ok(Self { paths })
    }
}

fn read_path(bytes: &mut &[u8]) -> Option<DomPath> {
    let parent = varint::read(bytes)?;
    let length = varint::read(bytes)?;
    let (key, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(DomPath {
        parent,
        key: std::str::from_utf8(key).ok()?.to_owned(),
        text_mass: varint::read(bytes)?,
        chars: varint::read(bytes)?,
        link_chars: varint::read(bytes)?,
        repeated_chars: varint::read(bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(parent: u32, key: &str, chars: u32) -> DomPath {
        DomPath {
            parent,
            key: key.to_owned(),
            text_mass: 3,
            chars,
            link_chars: 0,
            repeated_chars: u32::MAX,
        }
    }

    #[test]
    fn paths_round_trip() {
        let page = PagePaths {
            paths: vec![path(0, "", 0), path(0, "div.ä", 300), path(1, "p", 1)],
        };
        let bytes = page.to_bytes();
        assert_eq!(PagePaths::from_bytes(&bytes), Ok(page));
        assert_eq!(PagePaths::from_bytes(&[]), Ok(PagePaths::default()));
        for end in [1, 5, bytes.len() - 1] {
            assert_eq!(
                PagePaths::from_bytes(&bytes[..end]),
                Err(BytesError),
                "{end}"
            );
        }
    }

    #[test]
    fn a_path_with_a_missing_parent_is_an_error() {
        let page = PagePaths {
            paths: vec![path(0, "", 0), path(2, "p", 1), path(0, "p", 1)],
        };
        assert_eq!(PagePaths::from_bytes(&page.to_bytes()), Err(BytesError));
    }

    /// The column `template` of existing tables contains such bytes.
    #[test]
    fn the_stored_format_is_unchanged() {
        let paths = vec![
            path(0, "", 0),
            path(0, "div.ä", 300),
            path(1, "p", u32::MAX),
        ];
        let page = PagePaths { paths };
        let stored = [
            0, 0, 3, 0, 0, 255, 255, 255, 255, 15, 0, 6, 100, 105, 118, 46, 195, 164, 3, 172, 2, 0,
            255, 255, 255, 255, 15, 1, 1, 112, 3, 255, 255, 255, 255, 15, 0, 255, 255, 255, 255,
            15,
        ];
        assert_eq!(page.to_bytes(), stored);
        assert_eq!(PagePaths::from_bytes(&stored), Ok(page));
    }
}
