//! The stored bytes of [`PagePaths`].
//!
//! A path has its parent, its key and six numbers. Bytes of the first format have no mark and four
//! numbers a path. The first path is `body`, whose parent is 0, so a mark above 0 is unambiguous.
//! A page with rows of figures has the third format: their digests, then the paths of the second.

use crate::page_paths::{DomPath, PagePaths};
use crate::varint::{self, BytesError};

/// The first byte of the second format.
const SECOND_FORMAT: u8 = 1;
/// The first byte of the third format.
const THIRD_FORMAT: u8 = 2;
/// Bytes of a digest.
const DIGEST: usize = size_of::<u32>();

impl PagePaths {
    /// Encodes the paths, to be stored with the page.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 * self.paths.len());
        if !self.rows.is_empty() {
            bytes.push(THIRD_FORMAT);
            varint::write(&mut bytes, self.rows.len() as u64);
            let digests = self.rows.iter().flat_map(|row| row.to_le_bytes());
            bytes.extend(digests);
        } else if !self.paths.is_empty() {
            bytes.push(SECOND_FORMAT);
        }
        for path in &self.paths {
            varint::write(&mut bytes, path.parent);
            varint::write(&mut bytes, path.key.len() as u64);
            bytes.extend_from_slice(path.key.as_bytes());
            for number in [
                path.text_mass,
                path.chars,
                path.link_chars,
                path.repeated_chars,
                path.familiar_chars,
                path.blocks,
            ] {
                varint::write(&mut bytes, number);
            }
        }
        bytes
    }

    /// Decodes the paths of a page. Empty bytes are a page without paths. Bytes of the first format
    /// have no [`familiar_chars`](DomPath::familiar_chars) and no [`blocks`](DomPath::blocks): both
    /// are 0. Bytes of the first two formats have no [`rows`](Self::rows).
    ///
    /// # Errors
    /// Returns [`BytesError`] if [`to_bytes`](Self::to_bytes) cannot have written the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let (mut paths, mut rows) = (Vec::new(), Vec::new());
        let (is_first, mut rest) = match bytes.split_first() {
            Some((&SECOND_FORMAT, [])) => return Err(BytesError),
            Some((&SECOND_FORMAT, rest)) => (false, rest),
            Some((&THIRD_FORMAT, mut rest)) => {
                rows = read_rows(&mut rest).ok_or(BytesError)?;
                (false, rest)
            }
            _ => (true, bytes),
        };
        while !rest.is_empty() {
            let path = read_path(&mut rest, is_first).ok_or(BytesError)?;
            // A path comes after its parent.
            if path.parent as usize >= paths.len().max(1) {
                return Err(BytesError);
            }
            paths.push(path);
        }
        Ok(Self { paths, rows })
    }
}

fn read_rows(bytes: &mut &[u8]) -> Option<Vec<u32>> {
    let count: usize = varint::read(bytes)?;
    let (rows, rest) = bytes.split_at_checked(count.checked_mul(DIGEST)?)?;
    *bytes = rest;
    let (rows, _) = rows.as_chunks::<DIGEST>();
    let is_written = |rows: &[u32]| !rows.is_empty() && rows.is_sorted_by(|one, next| one < next);
    let rows: Vec<u32> = rows.iter().map(|row| u32::from_le_bytes(*row)).collect();
    Some(rows).filter(|rows| is_written(rows))
}

fn read_path(bytes: &mut &[u8], is_first: bool) -> Option<DomPath> {
    let parent = varint::read(bytes)?;
    let length = varint::read(bytes)?;
    let (key, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    let mut path = DomPath {
        parent,
        key: std::str::from_utf8(key).ok()?.to_owned(),
        text_mass: varint::read(bytes)?,
        chars: varint::read(bytes)?,
        link_chars: varint::read(bytes)?,
        repeated_chars: varint::read(bytes)?,
        ..DomPath::default()
    };
    if !is_first {
        path.familiar_chars = varint::read(bytes)?;
        path.blocks = varint::read(bytes)?;
    }
    Some(path)
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
            familiar_chars: 7,
            blocks: 1,
        }
    }

    #[test]
    fn paths_round_trip() {
        let page = PagePaths {
            paths: vec![path(0, "", 0), path(0, "div.ä", 300), path(1, "p", 1)],
            rows: vec![5, u32::MAX],
        };
        let bytes = page.to_bytes();
        assert_eq!(PagePaths::from_bytes(&bytes), Ok(page));
        assert_eq!(PagePaths::from_bytes(&[]), Ok(PagePaths::default()));
        for end in [1, 5, 12, bytes.len() - 1] {
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
            rows: Vec::new(),
        };
        assert_eq!(PagePaths::from_bytes(&page.to_bytes()), Err(BytesError));
    }

    const FIRST: [u8; 42] = [
        0, 0, 3, 0, 0, 255, 255, 255, 255, 15, 0, 6, 100, 105, 118, 46, 195, 164, 3, 172, 2, 0,
        255, 255, 255, 255, 15, 1, 1, 112, 3, 255, 255, 255, 255, 15, 0, 255, 255, 255, 255, 15,
    ];

    fn page() -> PagePaths {
        let paths = vec![
            path(0, "", 0),
            path(0, "div.ä", 300),
            path(1, "p", u32::MAX),
        ];
        PagePaths {
            paths,
            rows: Vec::new(),
        }
    }

    /// The column `template` of existing tables contains such bytes.
    #[test]
    fn bytes_of_the_first_format_are_read() {
        let mut page = page();
        for path in &mut page.paths {
            (path.familiar_chars, path.blocks) = (0, 0);
        }
        assert_eq!(PagePaths::from_bytes(&FIRST), Ok(page));
    }

    #[test]
    fn the_stored_format_is_unchanged() {
        let stored = [
            1, 0, 0, 3, 0, 0, 255, 255, 255, 255, 15, 7, 1, 0, 6, 100, 105, 118, 46, 195, 164, 3,
            172, 2, 0, 255, 255, 255, 255, 15, 7, 1, 1, 1, 112, 3, 255, 255, 255, 255, 15, 0, 255,
            255, 255, 255, 15, 7, 1,
        ];
        assert_eq!(page().to_bytes(), stored);
        assert_eq!(PagePaths::from_bytes(&stored), Ok(page()));
        let with_rows = PagePaths {
            rows: vec![3, 0x0102_0304],
            ..page()
        };
        let third = [&[2, 2, 3, 0, 0, 0, 4, 3, 2, 1], &stored[1..]].concat();
        assert_eq!(with_rows.to_bytes(), third);
        assert_eq!(PagePaths::from_bytes(&third), Ok(with_rows));
    }
}
