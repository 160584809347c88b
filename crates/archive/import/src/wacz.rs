//! The WARC files in a WACZ file, which is a zip file that does not compress them.

use std::ops::Range;

use object_store::ObjectStoreExt;
use tables::Location;

use crate::error::{ImportError, WaczError};

/// Bytes at the end of a zip file in which its directory is described: a comment has at most 64 KiB.
const END_BYTES: u64 = 20 + 22 + (64 << 10);
/// Most bytes of the directory of a zip file: some 500,000 files.
const MAX_DIRECTORY_BYTES: u64 = 64 << 20;
/// A length or an offset that is in the extension for large files.
const IS_IN_EXTENSION: u64 = 0xffff_ffff;

/// A file in a zip file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    is_compressed: bool,
    /// Bytes of the content in the zip file.
    bytes: u64,
    /// Offset of the header before the content.
    header: u64,
}

/// A file in a WACZ file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) name: String,
    /// Bytes of the content in the WACZ file.
    pub(crate) range: Range<u64>,
    /// Whether the content is compressed by zip.
    pub(crate) is_compressed: bool,
}

/// Returns the name and the range of bytes of each WARC file below `archive/`, in the order of their
/// names.
pub(crate) async fn warc_files(
    location: &Location,
    size: u64,
    is_warc: fn(&str) -> bool,
) -> Result<Vec<(String, Range<u64>)>, ImportError> {
    let problem = |problem| ImportError::Wacz {
        file: location.to_string(),
        problem,
    };
    let is_wanted = |name: &str| name.starts_with("archive/") && is_warc(name);
    let files = files(location, size, is_wanted).await?;
    if files.is_empty() {
        return Err(problem(WaczError::NoFile));
    }
    if files.iter().any(|file| file.is_compressed) {
        return Err(problem(WaczError::Compressed));
    }
    Ok(files
        .into_iter()
        .map(|file| (file.name, file.range))
        .collect())
}

/// Returns the files that are wanted, in the order of their names.
pub(crate) async fn files(
    location: &Location,
    size: u64,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Inside>, ImportError> {
    let problem = |problem| ImportError::Wacz {
        file: location.to_string(),
        problem,
    };
    let end_start = size.saturating_sub(END_BYTES);
    let end = read(location, end_start..size).await?;
    let directory = match directory(&end).map_err(problem)? {
        Directory::At(range) => range,
        Directory::Described(offset) => {
            let described = read(location, offset..offset.saturating_add(56).min(size)).await?;
            large_directory(&described).ok_or_else(|| problem(WaczError::Directory))?
        }
    };
    let bytes = directory.end.saturating_sub(directory.start);
    if bytes > MAX_DIRECTORY_BYTES {
        return Err(problem(WaczError::TooLarge(bytes)));
    }
    if directory.end > size || bytes == 0 {
        return Err(problem(WaczError::Directory));
    }
    let directory = read(location, directory).await?;
    let mut entries = entries(&directory).ok_or_else(|| problem(WaczError::Directory))?;
    entries.retain(|entry| is_wanted(&entry.name));
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let mut files = Vec::new();
    for entry in entries {
        let end = entry.header.saturating_add(30);
        let header = match end <= size {
            true => read(location, entry.header..end).await?,
            false => Vec::new(),
        };
        let start = content_start(&header).and_then(|bytes| entry.header.checked_add(bytes));
        let range = start.and_then(|start| Some(start..start.checked_add(entry.bytes)?));
        let range = range.filter(|range| range.end <= size && !range.is_empty());
        files.push(Inside {
            name: entry.name,
            range: range.ok_or_else(|| problem(WaczError::Directory))?,
            is_compressed: entry.is_compressed,
        });
    }
    Ok(files)
}

/// Reads a range of bytes. Stores refuse an empty range.
async fn read(location: &Location, range: Range<u64>) -> Result<Vec<u8>, ImportError> {
    if range.is_empty() {
        return Ok(Vec::new());
    }
    let read = location.store().get_range(location.path(), range).await;
    Ok(read
        .map_err(|source| ImportError::Store {
            doing: "read",
            object: location.to_string(),
            source,
        })?
        .to_vec())
}

/// The place of a directory.
#[derive(Debug, PartialEq, Eq)]
enum Directory {
    At(Range<u64>),
    /// A record at this offset has the place: the file has more than 4 GiB or 65,535 files.
    Described(u64),
}

/// Finds the directory by the record at the end of a zip file.
fn directory(end: &[u8]) -> Result<Directory, WaczError> {
    let last = end.windows(4).rposition(|bytes| bytes == b"PK\x05\x06");
    let last = last.ok_or(WaczError::NoDirectory)?;
    let record = &end[last..];
    let bytes = number(record, 12, 4).ok_or(WaczError::NoDirectory)?;
    let offset = number(record, 16, 4).ok_or(WaczError::NoDirectory)?;
    if let Some(locator) = last.checked_sub(20).map(|at| &end[at..last])
        && locator.starts_with(b"PK\x06\x07")
    {
        let offset = number(locator, 8, 8).ok_or(WaczError::Directory)?;
        return Ok(Directory::Described(offset));
    }
    Ok(Directory::At(offset..offset + bytes))
}

/// Reads the record of the directory of a large file.
fn large_directory(record: &[u8]) -> Option<Range<u64>> {
    if !record.starts_with(b"PK\x06\x06") {
        return None;
    }
    let (bytes, offset) = (number(record, 40, 8)?, number(record, 48, 8)?);
    Some(offset..offset.checked_add(bytes)?)
}

/// Reads the entries of a directory.
fn entries(mut directory: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    while directory.starts_with(b"PK\x01\x02") {
        let length = |at| number(directory, at, 2).map(|length| length as usize);
        let (name, extension, comment) = (length(28)?, length(30)?, length(32)?);
        let (plain, bytes) = (number(directory, 24, 4)?, number(directory, 20, 4)?);
        let header = number(directory, 42, 4)?;
        let found = directory.get(46 + name..46 + name + extension)?;
        let [_, bytes, header] = extended([plain, bytes, header], found)?;
        let name_bytes = directory.get(46..46 + name)?;
        entries.push(Entry {
            name: String::from_utf8_lossy(name_bytes).into_owned(),
            is_compressed: number(directory, 10, 2)? != 0,
            bytes,
            header,
        });
        directory = directory.get(46 + name + extension + comment..)?;
    }
    Some(entries)
}

/// Replaces the numbers that are in the extension for large files.
fn extended(mut numbers: [u64; 3], mut extension: &[u8]) -> Option<[u64; 3]> {
    while extension.len() >= 4 {
        let kind = number(extension, 0, 2)?;
        let length = number(extension, 2, 2)? as usize;
        let content = extension.get(4..4 + length)?;
        if kind == 1 {
            let mut at = 0;
            for value in &mut numbers {
                if *value == IS_IN_EXTENSION {
                    *value = number(content, at, 8)?;
                    at += 8;
                }
            }
            return Some(numbers);
        }
        extension = &extension[4 + length..];
    }
    Some(numbers)
}

/// Returns the bytes of the header before a content.
fn content_start(header: &[u8]) -> Option<u64> {
    if !header.starts_with(b"PK\x03\x04") {
        return None;
    }
    Some(30 + number(header, 26, 2)? + number(header, 28, 2)?)
}

/// Reads a little endian number.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_entry_has_its_numbers_in_the_extension() {
        let extension = [
            &[9, 0, 1, 0, 7, 1, 0, 16, 0][..],
            &5_000_000_000_u64.to_le_bytes(),
            &6_000_000_000_u64.to_le_bytes(),
        ]
        .concat();
        let numbers = extended([7, IS_IN_EXTENSION, IS_IN_EXTENSION], &extension);
        assert_eq!(numbers, Some([7, 5_000_000_000, 6_000_000_000]));
        assert_eq!(extended([IS_IN_EXTENSION; 3], &extension), None);
    }

    #[test]
    fn other_bytes_have_no_directory() {
        assert_eq!(directory(b""), Err(WaczError::NoDirectory));
        assert_eq!(directory(b"PK\x05\x06"), Err(WaczError::NoDirectory));
        assert_eq!(entries(b"PK\x01\x02"), None);
        assert_eq!(content_start(b"PK"), None);
    }
}
