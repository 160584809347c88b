//! The hash of names.

use md5::{Digest, Md5};

/// Returns the first 64 bits of the MD5 of the name of a domain or of a URL key, as the digest is printed in hexadecimal.
/// Archives are ordered by those of domains, and jobs divide sites by ranges of them.
pub fn hash(name: &str) -> u64 {
    let digest: [u8; 16] = Md5::digest(name).into();
    (u128::from_be_bytes(digest) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_the_first_half_of_the_md5() {
        // MD5 of the empty text: d41d8cd98f00b204 e9800998ecf8427e.
        assert_eq!(hash(""), 0xd41d_8cd9_8f00_b204);
    }
}
