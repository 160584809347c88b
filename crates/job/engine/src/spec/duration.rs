//! Durations in a job: text such as `30s`, `5m` or `14d`.

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a duration as `30s` or `1h 30m`, without rounding.
pub(super) fn serialize<S: Serializer>(
    duration: &(impl Copy + Into<Option<Duration>>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let duration: Option<Duration> = (*duration).into();
    duration
        .map(|duration| humantime::format_duration(duration).to_string())
        .serialize(serializer)
}

/// Reads a duration from a number with a unit.
pub(super) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: From<Duration>,
{
    let text = String::deserialize(deserializer)
        .map_err(|error| D::Error::custom(format!("{error}, such as \"30s\"")))?;
    match humantime::parse_duration(&text) {
        Ok(duration) => Ok(T::from(duration)),
        Err(_) => Err(D::Error::custom(format!(
            "`{text}` is not a duration; expected a number with a unit, such as 30s, 5m or 14d"
        ))),
    }
}
