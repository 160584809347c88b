//! Numbers as unsigned LEB128, the encoding of the crate `unsigned-varint`.

use unsigned_varint::{decode, encode};

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
