//! Digests of records: `sha1:BASE32`, `sha256:HEX` and the like.

use data_encoding::{BASE32, BASE32_NOPAD, BASE64_NOPAD, HEXLOWER_PERMISSIVE};
use sha1::Digest;

/// Names of algorithms without dashes, and the bytes of their digests.
const ALGORITHMS: [(&str, usize); 6] = [
    ("sha1", 20),
    ("sha256", 32),
    ("md5", 16),
    ("sha512", 64),
    ("sha384", 48),
    ("sha224", 28),
];

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

/// A stored digest.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stored {
    algorithm: &'static str,
    bytes: Vec<u8>,
}

impl Stored {
    /// Reads the value of a digest header: hexadecimal, base32 or either base64, in any case that is
    /// possible, with padding or without. A value without the name of its algorithm has that of its
    /// length.
    fn of(value: &str) -> Option<Self> {
        let (name, digits) = match value.trim().split_once([':', '=']) {
            Some((name, digits)) if digits.trim_matches('=').len() > 1 => (Some(name), digits),
            _ => (None, value.trim()),
        };
        let name = name.map(|name| name.trim().to_ascii_lowercase().replace(['-', '_'], ""));
        let digits = digits.trim().trim_end_matches('=');
        ALGORITHMS.into_iter().find_map(|(algorithm, length)| {
            let is_named = name.as_deref().is_none_or(|name| name == algorithm);
            let bytes = is_named.then(|| bytes(digits, length)).flatten()?;
            Some(Self { algorithm, bytes })
        })
    }
}

/// Decodes `digits` to `length` bytes. The number of digits decides how: no two forms have the same.
fn bytes(digits: &str, length: usize) -> Option<Vec<u8>> {
    let bits = 8 * length;
    let decoded = match digits.len() {
        count if count == 2 * length => HEXLOWER_PERMISSIVE.decode(digits.as_bytes()),
        count if count == bits.div_ceil(5) => {
            BASE32_NOPAD.decode(digits.to_ascii_uppercase().as_bytes())
        }
        count if count == bits.div_ceil(6) => {
            let digits = digits.replace('-', "+").replace('_', "/");
            BASE64_NOPAD.decode(digits.as_bytes())
        }
        _ => return None,
    };
    decoded.ok()
}

/// Compares `stored`, the value of a digest header, with the digest of `bytes`.
pub(crate) fn check(stored: &str, bytes: &[u8]) -> Check {
    let Some(stored) = Stored::of(stored) else {
        return Check::Unknown;
    };
    let computed = match stored.algorithm {
        "sha1" => sha1::Sha1::digest(bytes).to_vec(),
        "sha224" => sha2::Sha224::digest(bytes).to_vec(),
        "sha256" => sha2::Sha256::digest(bytes).to_vec(),
        "sha384" => sha2::Sha384::digest(bytes).to_vec(),
        "sha512" => sha2::Sha512::digest(bytes).to_vec(),
        _ => md5::Md5::digest(bytes).to_vec(),
    };
    if stored.bytes == computed {
        Check::Right
    } else {
        Check::Wrong
    }
}

/// Returns a digest in one form, so that digests that are equal are equal texts.
pub(crate) fn normal(stored: &str) -> String {
    match Stored::of(stored) {
        Some(Stored { algorithm, bytes }) => format!("{algorithm}:{}", BASE32.encode(&bytes)),
        None => stored.trim().to_owned(),
    }
}

/// Whether two stored digests are equal, in whatever form each is: `sha1:BASE32`, base32 alone, hexadecimal. Returns
/// `None` if they cannot be compared: another algorithm, or a form that is not known.
pub fn same(one: &str, other: &str) -> Option<bool> {
    let (one, other) = (Stored::of(one)?, Stored::of(other)?);
    (one.algorithm == other.algorithm).then(|| one.bytes == other.bytes)
}

/// Returns the digest of a payload in the form that most crawlers write: `sha1:BASE32`.
pub fn sha1_of(bytes: &[u8]) -> String {
    format!("sha1:{}", BASE32.encode(&sha1::Sha1::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

    #[test]
    fn a_digest_has_any_form() {
        assert_eq!(sha1_of(b""), EMPTY);
        assert_eq!(check(EMPTY, b"a"), Check::Wrong);
        for stored in [
            EMPTY,
            "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
            "sha1: 2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk",
            "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "md5:d41d8cd98f00b204e9800998ecf8427e",
            "d41d8cd98f00b204e9800998ecf8427e",
            "sha224:d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
            "sha256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "sha-256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
        ] {
            assert_eq!(check(stored, b""), Check::Right, "{stored}");
            assert_eq!(normal(stored), normal(&normal(stored)), "{stored}");
        }
    }

    #[test]
    fn digests_are_compared_in_any_form_and_not_across_algorithms() {
        let other = sha1_of(b"a");
        for (one, two, expected) in [
            (EMPTY, &EMPTY[5..], Some(true)),
            (
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                EMPTY,
                Some(true),
            ),
            (&other, EMPTY, Some(false)),
            ("md5:d41d8cd98f00b204e9800998ecf8427e", EMPTY, None),
            ("-", EMPTY, None),
        ] {
            assert_eq!(same(one, two), expected, "{one} {two}");
        }
    }

    #[test]
    fn another_form_is_neither_right_nor_wrong() {
        for stored in [
            "blake3:AA",
            "no digest",
            "",
            "sha1:",
            "sha1:_____",
            "sha1:0I42",
            "xyz:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
        ] {
            assert_eq!(check(stored, b""), Check::Unknown, "{stored}");
        }
    }
}
