//! The identity of documents: an id, a digest of the text, and a signature that is similar where texts are.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow::datatypes::TimestampMicrosecondType;
use datafusion::error::Result;
use sha2::{Digest, Sha256};
use text::near_duplicates::Signature;

use crate::plan::columns::schemas::RecordBatchExt;

/// Bytes of the digest that an id has. Ids of 10^12 documents collide with a probability of 10^-15.
const ID_BYTES: usize = 16;

/// Returns the id of the page with this URL key and URL that was fetched at this time, in microseconds
/// since 1970: the first 16 bytes of a SHA-256, as 32 hexadecimal digits.
///
/// It is equal in all runs, with any heuristic and any number of relabellings. It changes if the page
/// gets another URL key (by a URL rule, or by `url_key` and `domain` settings), and if another fetch of
/// the page becomes its document, because an earlier copy was added to the archive. The text is not
/// part of it, because labels change the text. A page that is fetched again and is a revision has its own
/// id. Only rows of an archive with equal URL and equal time have one id.
fn document_id(url_key: &str, url: &str, fetched_at: i64) -> String {
    let mut digest = Sha256::new();
    // The lengths keep the parts apart.
    for part in [url_key, url] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.update(fetched_at.to_le_bytes());
    hex::encode(&digest.finalize()[..ID_BYTES])
}

/// Returns the SHA-256 of a text in UTF-8, as 64 hexadecimal digits: what `sha256sum` prints.
fn content_digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// Returns the columns of `documents` that identify `rows`, whose texts are `texts`.
pub(crate) fn identity_columns(
    batch: &RecordBatch,
    rows: &[u32],
    texts: &[&str],
    write_minhash: bool,
) -> Result<[(&'static str, ArrayRef); 3]> {
    let (keys, urls) = (batch.text("url_key")?, batch.text("url")?);
    let times = batch.numbers::<TimestampMicrosecondType>("fetched_at")?;
    let ids = rows.iter().map(|row| {
        let row = *row as usize;
        document_id(keys.value(row), urls.value(row), times.value(row))
    });
    let digests = texts.iter().map(|text| content_digest(text));
    let signature = |text: &&str| {
        let signature = write_minhash.then(|| Signature::of(text)).flatten();
        signature.map(|signature| signature.to_bytes())
    };
    let signatures: BinaryArray = texts.iter().map(signature).collect();
    Ok([
        ("document_id", Arc::new(StringArray::from_iter_values(ids))),
        (
            "content_digest",
            Arc::new(StringArray::from_iter_values(digests)),
        ),
        ("minhash", Arc::new(signatures)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids and digests are in tables, so they must not change.
    #[test]
    fn an_id_depends_on_key_url_and_time_alone() {
        let id = document_id("a.example/1", "http://a.example/1?x", 1_319_457_600_000_000);
        assert_eq!(id, "77b5425f2e20766115f3c62ec633d3b8");
        for other in [
            document_id("a.example/", "1http://a.example/1?x", 1_319_457_600_000_000),
            document_id("a.example/1", "http://a.example/1", 1_319_457_600_000_000),
            document_id("a.example/1", "http://a.example/1?x", 1_319_457_600_000_001),
        ] {
            assert_ne!(id, other);
        }
    }

    #[test]
    fn a_content_digest_is_that_of_sha256sum() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(content_digest(""), empty);
    }
}
