//! Sizes in a job: text such as `64MB`, or a number of bytes.

use bytesize::ByteSize;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest number of TOML. [`ByteSize`] would read a larger one as its own maximum.
const LARGEST: u64 = i64::MAX as u64;

/// Writes a size as a number of bytes. Its text is rounded to a tenth of a unit, so that two
/// limits would be written alike.
pub(super) fn serialize<S: Serializer>(
    size: &(impl Copy + Into<Option<ByteSize>>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let size: Option<ByteSize> = (*size).into();
    size.map(|size| size.as_u64()).serialize(serializer)
}

/// Reads a size of at most 8 EiB, which can be written again.
pub(super) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Copy + Deserialize<'de> + Into<Option<ByteSize>>,
{
    let value = toml::Value::deserialize(deserializer)?;
    let size = T::deserialize(value.clone()).map_err(|_| {
        D::Error::custom(format!(
            "{value} is not a size; expected a number of bytes, or one with a unit, such as 64MB or 1GiB"
        ))
    })?;
    match size.into() {
        Some(bytes) if bytes.as_u64() > LARGEST => {
            Err(D::Error::custom("expected a size below 8 EiB"))
        }
        _ => Ok(size),
    }
}
