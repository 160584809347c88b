//! Digests of records: `sha1:BASE32`, `sha256:HEX` and the like.

use data_encoding::{BASE32, HEXLOWER};
use sha1::Digest;

/// Whether a stored digest is that of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// Equal.
    Right,
    /// Not equal.
    Wrong,
    /// The algorithm or the form is not known.
    Unknown,
}

/// Compares `stored`, the value of a digest header, with the digest of `bytes`. Values are base32,
/// as most crawlers write, or hexadecimal.
pub(crate) fn check(stored: &str, bytes: &[u8]) -> Check {
    let Some((algorithm, value)) = stored.trim().split_once(':') else {
        return Check::Unknown;
    };
    let computed = match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "sha1" => sha1::Sha1::digest(bytes).to_vec(),
        "sha256" => sha2::Sha256::digest(bytes).to_vec(),
        "md5" => md5::Md5::digest(bytes).to_vec(),
        _ => return Check::Unknown,
    };
    let base32 = BASE32.encode(&computed);
    if value.eq_ignore_ascii_case(&base32)
        || value.eq_ignore_ascii_case(base32.trim_end_matches('='))
        || value.eq_ignore_ascii_case(&HEXLOWER.encode(&computed))
    {
        Check::Right
    } else {
        Check::Wrong
    }
}

/// Returns the digest of a payload in the form that most crawlers write: `sha1:BASE32`.
pub fn sha1_of(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&sha1::Sha1::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_base32_or_hexadecimal() {
        let empty = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
        assert_eq!(sha1_of(b""), empty);
        assert_eq!(check(empty, b""), Check::Right);
        assert_eq!(check(empty, b"a"), Check::Wrong);
        let hex = "SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709";
        assert_eq!(check(hex, b""), Check::Right);
        let md5 = "md5:d41d8cd98f00b204e9800998ecf8427e";
        assert_eq!(check(md5, b""), Check::Right);
        assert_eq!(check("blake3:AA", b""), Check::Unknown);
        assert_eq!(check("no digest", b""), Check::Unknown);
    }
}
