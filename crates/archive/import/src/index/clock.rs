//! The time, which decisions get as a value.

use chrono::{DateTime, Utc};

/// Now.
pub(crate) fn time() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

/// Seconds since 1970, UTC.
pub(crate) fn seconds() -> u64 {
    u64::try_from(time().timestamp()).unwrap_or_default()
}
