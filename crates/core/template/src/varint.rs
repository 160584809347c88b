//! Encoding of numbers as unsigned LEB128, with the crate `unsigned-varint`.

use unsigned_varint::{decode, encode};

/// The error for bytes that [`PagePaths::to_bytes`](crate::PagePaths::to_bytes) or
/// [`Layout::to_bytes`](crate::Layout::to_bytes) did not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes do not encode the DOM paths of a page")]
pub struct BytesError;

/// Appends a number.
pub(crate) fn write(bytes: &mut Vec<u8>, number: impl Into<u64>) {
    bytes.extend_from_slice(encode::u64(number.into(), &mut encode::u64_buffer()));
}

/// Reads the number at the start of `bytes` and advances `bytes` past it.
///
/// Returns `None` if the bytes are not a number, or if it does not fit `T`.
pub(crate) fn read<T: TryFrom<u64>>(bytes: &mut &[u8]) -> Option<T> {
    let (number, rest) = decode::u64(bytes).ok()?;
    *bytes = rest;
    T::try_from(number).ok()
}
