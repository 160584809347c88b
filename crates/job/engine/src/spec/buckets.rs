//! `run.buckets` in a job: `auto`, or a number from 1 on.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserializer, Serialize, Serializer};

/// Writes `None` as `auto`.
pub(super) fn serialize<S: Serializer>(
    buckets: &Option<NonZeroU32>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match buckets {
        None => serializer.serialize_str("auto"),
        Some(number) => number.serialize(serializer),
    }
}

/// Reads a number, or `auto` as `None`.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NonZeroU32>, D::Error> {
    deserializer.deserialize_any(Buckets)
}

struct Buckets;

impl Visitor<'_> for Buckets {
    type Value = Option<NonZeroU32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("auto or a number of 1 or more")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match text {
            "auto" => Ok(None),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        let buckets = u32::try_from(number).ok().and_then(NonZeroU32::new);
        let invalid = || E::invalid_value(Unexpected::Signed(number), &self);
        buckets.map(Some).ok_or_else(invalid)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }
}
