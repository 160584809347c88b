//! SQL functions of hashes: `key_hash` of URL keys, `has_site` of domains.

use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, Int64Array};
use arrow::datatypes::DataType;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};
use tables::Bucket;

/// Returns `key_hash(url_key)`: the first 64 bits of the MD5 of a URL key, as a signed integer.
///
/// The keys of a chunk have URL keys by this hash. A collision costs one extra row of earlier dates, never a wrong
/// row.
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

/// Returns `has_site(domain)`: whether the domain is in `bucket`.
pub(crate) fn has_site(bucket: Bucket) -> ScalarUDF {
    let has = move |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let domains = arrays[0].as_string::<i32>().iter();
        let has = |domain| bucket.has(url_key::hash(domain));
        let has: BooleanArray = domains.map(|domain| domain.map(has)).collect();
        Ok(ColumnarValue::Array(Arc::new(has)))
    };
    create_udf(
        "has_site",
        vec![DataType::Utf8],
        DataType::Boolean,
        Volatility::Immutable,
        Arc::new(has),
    )
}

/// Returns the hash of a URL key as a signed integer, as Delta tables have them.
pub(crate) fn hash(url_key: &str) -> i64 {
    url_key::hash(url_key).cast_signed()
}
