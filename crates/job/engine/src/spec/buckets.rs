//! The number of buckets of a run in a job.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `run.buckets`: `auto`, or a number from 1 on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Buckets {
    /// As many as memory and disk need.
    #[default]
    Auto,
    /// This number.
    Number(NonZeroU32),
}

impl Buckets {
    /// The number, if one is set.
    pub(crate) fn number(self) -> Option<NonZeroU32> {
        match self {
            Self::Auto => None,
            Self::Number(number) => Some(number),
        }
    }
}

impl Serialize for Buckets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Number(number) => number.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Buckets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BucketsVisitor)
    }
}

struct BucketsVisitor;

impl Visitor<'_> for BucketsVisitor {
    type Value = Buckets;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("auto or a number of 1 or more")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Buckets, E> {
        match text {
            "auto" => Ok(Buckets::Auto),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Buckets, E> {
        let buckets = u32::try_from(number).ok().and_then(NonZeroU32::new);
        let buckets = buckets.map(Buckets::Number);
        buckets.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Buckets, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }
}
