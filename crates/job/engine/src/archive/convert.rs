//! Values of archive columns that have one meaning in another type.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, Int32Array, TimestampMicrosecondArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use arrow::error::ArrowError;
use tables::{time_of_fraction, time_of_number, time_of_text};

use crate::archive::column::ObjectColumn;

/// Returns bytes of a fixed size as other bytes, and other columns as they are.
///
/// # Errors
/// Where the conversion fails.
pub(super) fn unsized_bytes(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::FixedSizeBinary(_) => cast(array, &DataType::Binary),
        _ => Ok(Arc::clone(array)),
    }
}

/// Converts the values of a column to the type `target`. A time that cannot be read is null, as a
/// missing one is. Texts are read as bytes: see `text_as_bytes`.
///
/// # Errors
/// Where the type has no such values.
pub(super) fn convert(
    column: ObjectColumn,
    array: &ArrayRef,
    target: &DataType,
) -> Result<ArrayRef, ArrowError> {
    match (column, array.as_binary_opt::<i32>()) {
        (ObjectColumn::FetchedAt, bytes) if !array.data_type().is_temporal() => times(array, bytes),
        (ObjectColumn::HttpStatus, Some(bytes)) => Ok(Arc::new(statuses(bytes))),
        _ => cast(array, target),
    }
}

/// Times of texts and numbers.
fn times(array: &ArrayRef, bytes: Option<&BinaryArray>) -> Result<ArrayRef, ArrowError> {
    let times: TimestampMicrosecondArray = match (bytes, array.data_type()) {
        (Some(bytes), _) => (bytes.iter())
            .map(|bytes| time_of_text(std::str::from_utf8(bytes?).ok()?))
            .collect(),
        (None, DataType::Float32 | DataType::Float64) => cast(array, &DataType::Float64)?
            .as_primitive::<Float64Type>()
            .unary_opt(time_of_fraction),
        (None, _) => cast(array, &DataType::Int64)?
            .as_primitive::<Int64Type>()
            .unary_opt(time_of_number),
    };
    Ok(Arc::new(times.with_timezone("UTC")))
}

/// The status codes of texts: `200` or `200 OK`.
fn statuses(texts: &BinaryArray) -> Int32Array {
    let status = |text: &[u8]| {
        let text = std::str::from_utf8(text).ok()?;
        text.split_whitespace().next()?.parse::<i32>().ok()
    };
    texts.iter().map(|text| status(text?)).collect()
}

#[cfg(test)]
mod tests {
    use arrow::array::{
        Date32Array, Float64Array, Int64Array, StringArray, TimestampSecondArray, UInt64Array,
    };
    use arrow::datatypes::TimestampMicrosecondType;

    use super::*;

    const NOON: i64 = 1_319_457_600_000_000;

    fn bytes(texts: &[&str]) -> ArrayRef {
        Arc::new(BinaryArray::from_iter_values(texts))
    }

    #[test]
    fn times_of_all_types_are_equal() {
        let seconds = NOON / 1_000_000;
        let arrays: [(ArrayRef, i64); 9] = [
            (bytes(&["2011-10-24T12:00:00Z"]), NOON),
            (bytes(&["2011-10-24 12:00:00"]), NOON),
            (Arc::new(Int64Array::from(vec![seconds])), NOON),
            (Arc::new(Int64Array::from(vec![seconds * 1_000])), NOON),
            (Arc::new(UInt64Array::from(vec![20_111_024_120_000])), NOON),
            (Arc::new(Float64Array::from(vec![seconds as f64])), NOON),
            (Arc::new(TimestampSecondArray::from(vec![seconds])), NOON),
            (
                Arc::new(TimestampSecondArray::from(vec![seconds]).with_timezone("+02:00")),
                NOON,
            ),
            (
                Arc::new(Date32Array::from(vec![15_271])),
                NOON - 43_200_000_000,
            ),
        ];
        for (array, expected) in arrays {
            let column = ObjectColumn::FetchedAt;
            assert_eq!(column.accepts(array.data_type()), Ok(()));
            let target = column.target(array.data_type());
            let times = convert(column, &array, &target).unwrap();
            assert_eq!(times.data_type(), &target);
            let times = times.as_primitive::<TimestampMicrosecondType>();
            assert_eq!(times.value(0), expected, "{array:?}");
        }
    }

    #[test]
    fn a_value_without_a_meaning_is_null() {
        let column = ObjectColumn::FetchedAt;
        let target = column.target(&DataType::Binary);
        let times = convert(column, &bytes(&["yesterday", ""]), &target).unwrap();
        assert_eq!(times.null_count(), 2);
        let numbers: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
        assert_eq!(convert(column, &numbers, &target).unwrap().null_count(), 1);
    }

    #[test]
    fn statuses_are_texts_and_numbers() {
        let column = ObjectColumn::HttpStatus;
        let convert = |array: &ArrayRef| {
            let statuses = convert(column, array, &DataType::Int32).unwrap();
            let statuses = statuses.as_primitive::<arrow::datatypes::Int32Type>();
            statuses.iter().collect::<Vec<_>>()
        };
        let texts = bytes(&["200", " 404 Not Found", "none"]);
        assert_eq!(convert(&texts), [Some(200), Some(404), None]);
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(200.0), None]));
        assert_eq!(convert(&numbers), [Some(200), None]);
    }

    #[test]
    fn types_with_several_meanings_are_refused() {
        for (column, found) in [
            (ObjectColumn::FetchedAt, DataType::Boolean),
            (ObjectColumn::Url, DataType::Int64),
            (ObjectColumn::Html, DataType::Int64),
            (ObjectColumn::HttpStatus, DataType::Date32),
        ] {
            assert!(column.accepts(&found).is_err(), "{column:?} {found}");
        }
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        assert_eq!(ObjectColumn::Url.accepts(text.data_type()), Ok(()));
        assert_eq!(
            ObjectColumn::Html.accepts(&DataType::FixedSizeBinary(3)),
            Ok(())
        );
    }
}
