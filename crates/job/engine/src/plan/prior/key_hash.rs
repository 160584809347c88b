//! The SQL function `key_hash`.

use std::sync::Arc;

use arrow::array::{AsArray, Int64Array};
use arrow::datatypes::DataType;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use md5::{Digest, Md5};

/// Returns `key_hash(url_key)`: the first 64 bits of the MD5 of a URL key, as a signed integer.
///
/// `key_index` and the keys of a chunk store URL keys by this hash. A collision costs one extra
/// file read, never a wrong row.
pub(crate) fn key_hash() -> ScalarUDF {
    let hashes = |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let keys = arrays[0].as_string::<i32>().iter();
        let hashes: Int64Array = keys.map(|key| key.map(hash)).collect();
        Ok(ColumnarValue::Array(Arc::new(hashes)))
    };
    create_udf(
        "key_hash",
        vec![DataType::Utf8],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(hashes),
    )
}

/// Returns the first 64 bits of the MD5 of a text, as a signed integer.
pub(crate) fn hash(url_key: &str) -> i64 {
    let digest: [u8; 16] = Md5::digest(url_key).into();
    // The first eight bytes, as the digest is printed in hexadecimal.
    (u128::from_be_bytes(digest) >> 64) as u64 as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_the_first_half_of_the_md5() {
        // MD5 of the empty text: d41d8cd98f00b204 e9800998ecf8427e.
        assert_eq!(hash("").cast_unsigned(), 0xd41d_8cd9_8f00_b204);
        assert!(hash("") < 0, "a hash with the highest bit set is negative");
    }
}
