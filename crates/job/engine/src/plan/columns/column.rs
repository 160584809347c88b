//! Columns from the values of rows.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array,
    ListBuilder, StringArray, StringBuilder, UInt64Array,
};
use arrow::datatypes::DataType;

use crate::plan::columns::schemas::list_field;

/// A value of a row. Its type decides the type of the column.
pub(crate) trait Value: Sized {
    type Array: Array + FromIterator<Option<Self>> + 'static;
}

impl Value for bool {
    type Array = BooleanArray;
}

impl Value for i32 {
    type Array = Int32Array;
}

impl Value for i64 {
    type Array = Int64Array;
}

impl Value for u64 {
    type Array = UInt64Array;
}

impl Value for f64 {
    type Array = Float64Array;
}

impl Value for &str {
    type Array = StringArray;
}

impl Value for &[u8] {
    type Array = BinaryArray;
}

/// A column and its name.
pub(crate) type Named = (&'static str, ArrayRef);

/// Returns the column `name` with one value of each row.
pub(crate) fn column<'a, R, V: Value>(
    name: &'static str,
    rows: &'a [R],
    value: impl Fn(&'a R) -> Option<V>,
) -> Named {
    (name, Arc::new(rows.iter().map(value).collect::<V::Array>()))
}

/// Returns the column `name` with one date of each row, in days since 1970.
pub(crate) fn dates<'a, R>(
    name: &'static str,
    rows: &'a [R],
    days: impl Fn(&'a R) -> Option<i32>,
) -> Named {
    let days: Date32Array = rows.iter().map(days).collect();
    (name, Arc::new(days))
}

/// Returns the column `name` with one list of texts of each row.
pub(crate) fn text_lists<T: AsRef<str>>(
    name: &'static str,
    rows: impl Iterator<Item = Option<impl IntoIterator<Item = T>>>,
) -> Named {
    let texts = ListBuilder::new(StringBuilder::new());
    let mut lists = texts.with_field(list_field(DataType::Utf8));
    for texts in rows {
        lists.append_option(texts.map(|texts| texts.into_iter().map(Some)));
    }
    (name, Arc::new(lists.finish()))
}
