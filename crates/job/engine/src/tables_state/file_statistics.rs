//! Statistics of the log of a table about the values in each of its files.

use std::collections::{HashMap, HashSet};

use arrow::array::{ArrayRef, BooleanArray};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use deltalake::kernel::EagerSnapshot;
use serde_json::Value;

/// The names of the least and the greatest values in the statistics of a file.
const LEAST: &str = "minValues";
const GREATEST: &str = "maxValues";

/// The log has times in milliseconds, cut off. A column has microseconds.
const CUT_MICROS: i64 = 1_000;

/// The least and the greatest value of the columns in each file of a version of a table: of the partition column, and
/// of the columns for which the writer keeps them.
pub(crate) struct FileStatistics {
    files: Vec<LoggedFile>,
    schema: SchemaRef,
}

struct LoggedFile {
    partition: HashMap<String, Option<String>>,
    /// As in the Delta protocol, "Per-file Statistics"; null if there are none.
    statistics: Value,
}

impl FileStatistics {
    pub(crate) fn new(snapshot: &EagerSnapshot, schema: SchemaRef) -> Self {
        let files = snapshot.log_data().into_iter().map(|file| {
            let statistics = file.stats();
            LoggedFile {
                partition: file.partition_values_map(),
                statistics: statistics
                    .and_then(|json| serde_json::from_str(&json).ok())
                    .unwrap_or_default(),
            }
        });
        Self {
            files: files.collect(),
            schema,
        }
    }

    /// Returns the values `end` of `column`, one for each file, null where it is unknown. `None` if it is unknown in all files.
    fn ends(&self, column: &Column, end: &str) -> Option<ArrayRef> {
        let data_type = self.schema.field_with_name(&column.name).ok()?.data_type();
        let values: Vec<_> = (self.files.iter())
            .map(|file| file.end(&column.name, data_type, end))
            .collect();
        values.iter().any(Option::is_some).then_some(())?;
        let null = ScalarValue::try_from(data_type).ok()?;
        ScalarValue::iter_to_array(
            (values.into_iter()).map(|value| value.unwrap_or_else(|| null.clone())),
        )
        .ok()
    }
}

impl LoggedFile {
    fn end(&self, column: &str, data_type: &DataType, end: &str) -> Option<ScalarValue> {
        if let Some(value) = self.partition.get(column) {
            return ScalarValue::try_from_string(value.clone()?, data_type).ok();
        }
        let value = match self.statistics.get(end)?.get(column)? {
            Value::String(text) => text.clone(),
            Value::Null => return None,
            other => other.to_string(),
        };
        let value = ScalarValue::try_from_string(value, data_type).ok()?;
        Some(match value {
            ScalarValue::TimestampMicrosecond(Some(micros), zone) if end == GREATEST => {
                ScalarValue::TimestampMicrosecond(Some(micros.saturating_add(CUT_MICROS)), zone)
            }
            value => value,
        })
    }
}

impl PruningStatistics for FileStatistics {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.ends(column, LEAST)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.ends(column, GREATEST)
    }

    fn num_containers(&self) -> usize {
        self.files.len()
    }

    fn null_counts(&self, _: &Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::AsArray;
    use arrow::datatypes::{Date32Type, Field, Schema, TimeUnit, TimestampMicrosecondType};
    use serde_json::json;

    use super::*;

    fn statistics() -> FileStatistics {
        let file = |month: &str, statistics| LoggedFile {
            partition: HashMap::from([("month".to_owned(), Some(month.to_owned()))]),
            statistics,
        };
        let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        FileStatistics {
            files: vec![
                file(
                    "2011-10",
                    json!({
                        "minValues": {"date": "2011-10-24", "fetched_at": "2011-10-24T00:00:00.001Z"},
                        "maxValues": {"date": "2011-10-31", "fetched_at": "2011-10-31T00:00:00.001Z"},
                    }),
                ),
                file("2011-11", Value::Null),
            ],
            schema: Arc::new(Schema::new(vec![
                Field::new("month", DataType::Utf8, true),
                Field::new("date", DataType::Date32, false),
                Field::new("fetched_at", time, false),
                Field::new("title", DataType::Utf8, true),
            ])),
        }
    }

    #[test]
    fn the_ends_of_files_are_those_in_the_log() {
        let statistics = statistics();
        let column = |name: &str| Column::new_unqualified(name);
        let months = statistics.min_values(&column("month")).unwrap();
        let months: Vec<_> = months.as_string::<i32>().iter().collect();
        assert_eq!(months, [Some("2011-10"), Some("2011-11")]);
        let dates = statistics.max_values(&column("date")).unwrap();
        let dates: Vec<_> = dates.as_primitive::<Date32Type>().iter().collect();
        assert_eq!(dates, [Some(15_278), None]);
        assert_eq!(statistics.min_values(&column("title")), None);
    }

    #[test]
    fn the_greatest_time_is_not_below_one_that_the_log_cuts_off() {
        let statistics = statistics();
        let column = Column::new_unqualified("fetched_at");
        let micros = |times: Option<ArrayRef>| {
            times
                .unwrap()
                .as_primitive::<TimestampMicrosecondType>()
                .value(0)
        };
        assert_eq!(micros(statistics.min_values(&column)) % 1_000_000, 1_000);
        assert_eq!(micros(statistics.max_values(&column)) % 1_000_000, 2_000);
    }
}
