//! Records of WARC and ARC files.
//!
//! The input is a byte that selects how the bytes are divided, and the bytes of a file.

#![no_main]

use std::io::{self, Read};

use libfuzzer_sys::fuzz_target;
use warc::{Entry, Limits, RecordError, Records};

/// Most bytes of a block and of a body.
const LIMIT: usize = 64 << 10;

/// Gives a few bytes at a time.
struct Divided<'a> {
    bytes: &'a [u8],
    at_a_time: usize,
}

impl Read for Divided<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let some = out.len().min(self.at_a_time);
        self.bytes.read(&mut out[..some])
    }
}

fn records(file: impl Read) -> Vec<Result<Entry, RecordError>> {
    let mut limits = Limits::default();
    (limits.block_bytes, limits.body_bytes) = (LIMIT, LIMIT);
    Records::new(file, limits).collect()
}

/// Whether a file is gzip, zstd, or begins with a frame that decoders of zstd skip.
fn is_compressed(file: &[u8]) -> bool {
    file.starts_with(&[0x1f, 0x8b]) || file.starts_with(&[0x28, 0xb5]) || file.get(1) == Some(&0x2a)
}

fuzz_target!(|input: &[u8]| {
    let Some((division, file)) = input.split_first() else {
        return;
    };
    let found = records(file);
    let at_a_time = usize::from(*division) + 1;
    let divided = Divided {
        bytes: file,
        at_a_time,
    };
    let again = records(divided);
    // A decoder decides how many bytes of a broken member come before its error.
    if !is_compressed(file) || found.iter().all(Result::is_ok) {
        assert_eq!(again, found);
    }

    let (mut offset, mut captures) = (0, 0);
    for record in &found {
        let origin = match record {
            Ok(entry) => &entry.origin,
            Err(error) => &error.origin,
        };
        assert!(offset <= origin.offset && origin.offset <= file.len() as u64);
        offset = origin.offset;
        let Some(capture) = record
            .as_ref()
            .ok()
            .and_then(|entry| entry.capture.as_ref())
        else {
            continue;
        };
        assert!(capture.body.len() <= LIMIT);
        match capture.repeats {
            Some(repeated) => assert!(repeated < captures && capture.body.is_empty()),
            None => {
                assert_eq!(capture.position, captures);
                captures += 1;
            }
        }
    }
});
