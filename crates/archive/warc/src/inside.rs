//! Records inside a block. A block has them if it is that of a page about WARC files, or if its length
//! is wrong and the records behind it were read as its bytes.

use memchr::memmem;

use crate::header;

/// The first bytes of a record.
pub(crate) const WARC: &[u8] = b"WARC/";
/// The ends of a block and the beginning of the next record.
const SEPARATORS: [&[u8]; 2] = [b"\n\r\nWARC/", b"\n\nWARC/"];
/// Bytes of the longer of [`SEPARATORS`], less one.
const CARRIED: usize = 7;

/// Most bytes of a header that the end of a block cuts. Real headers have less than 4 KB.
const MAX_CUT_HEADER: usize = 16 << 10;

/// Looks at the bytes of a block as they come, and keeps the rest of the block from the first
/// beginning of a record on.
pub(crate) struct Inside {
    max_bytes: usize,
    /// The last bytes before those that come.
    last: Vec<u8>,
    found: Option<Vec<u8>>,
}

impl Inside {
    /// Keeps at most `max_bytes`.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            last: Vec::with_capacity(2 * CARRIED),
            found: None,
        }
    }

    /// Looks at the next bytes of the block.
    pub(crate) fn look(&mut self, bytes: &[u8]) {
        if let Some(found) = &mut self.found {
            if found.len() <= self.max_bytes {
                found.extend_from_slice(bytes);
            }
            return;
        }
        let carried = self.last.len();
        let head = bytes.len().min(CARRIED);
        self.last.extend_from_slice(&bytes[..head]);
        if let Some(start) = first(&self.last) {
            self.found = Some([&self.last[start..], &bytes[head..]].concat());
        } else if let Some(start) = first(bytes) {
            self.found = Some(bytes[start..].to_vec());
        } else if bytes.len() > CARRIED {
            self.last.clear();
            self.last.extend_from_slice(&bytes[bytes.len() - CARRIED..]);
        } else {
            let before = (carried + head).saturating_sub(CARRIED);
            self.last.drain(..before);
        }
    }

    /// Returns the rest of the block from the first record on, if all of it is kept, and the record has
    /// a header or may have one behind the block.
    pub(crate) fn record(self) -> Option<Vec<u8>> {
        let found = self.found.filter(|found| found.len() <= self.max_bytes)?;
        let line_end = memchr::memchr(b'\n', &found).unwrap_or(found.len() - 1);
        let lines = &found[line_end..];
        let end = memmem::find(lines, b"\n\r\n").or_else(|| memmem::find(lines, b"\n\n"));
        let is_record = match end {
            Some(end) => header::warc(&lines[..=end]).is_ok(),
            None => lines.len() < MAX_CUT_HEADER,
        };
        is_record.then_some(found)
    }
}

/// Position of the first record in `bytes`.
fn first(bytes: &[u8]) -> Option<usize> {
    let found = SEPARATORS.map(|separator| {
        memmem::find(bytes, separator).map(|at| at + separator.len() - WARC.len())
    });
    found.into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_found_wherever_the_bytes_are_divided() {
        let record = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 2\r\n\r\nab";
        let block = [&b"<p>Trees\r\n\r\n"[..], record, b" and more"].concat();
        for size in 1..block.len() {
            let mut inside = Inside::new(1000);
            block.chunks(size).for_each(|bytes| inside.look(bytes));
            let found = inside.record().expect("a record");
            assert_eq!(found, [&record[..], b" and more"].concat(), "{size}");
        }
    }

    #[test]
    fn a_line_without_a_header_is_no_record() {
        let mut inside = Inside::new(1000);
        inside.look(b"<pre>\n\nWARC/1.0 is a format.\n\n</pre>");
        assert_eq!(inside.record(), None);
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let mut inside = Inside::new(100);
        inside.look(b"\n\nWARC/1.0\nWARC-Type: response\nContent-Length: 2\n\n");
        inside.look(&[b'x'; 200]);
        inside.look(&[b'x'; 200]);
        assert!(inside.found.as_ref().is_some_and(|found| found.len() < 400));
        assert_eq!(inside.record(), None);
    }
}
