//! The columns of `documents` that tell good text from bad.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder, Int32Builder, ListBuilder};
use arrow::datatypes::DataType;
use text::signals::Signals;

use crate::plan::columns::schemas::list_field;

/// A column, and its value of a text.
type Column<T> = (&'static str, fn(&Signals) -> T);

/// Counts.
const COUNTS: [Column<usize>; 2] = [
    ("words", |signals| signals.words),
    ("stop_words", |signals| signals.stop_words),
];

/// Means and shares.
const SHARES: [Column<f64>; 12] = [
    ("mean_word_length", |signals| signals.mean_word_length),
    ("hashes_per_token", |signals| signals.hashes_per_token),
    ("ellipses_per_token", |signals| signals.ellipses_per_token),
    ("tokens_with_letters", |signals| signals.tokens_with_letters),
    ("digits", |signals| signals.digits),
    ("bullet_lines", |signals| signals.bullet_lines),
    ("ellipsis_lines", |signals| signals.ellipsis_lines),
    ("ended_lines", |signals| signals.ended_lines),
    ("short_lines", |signals| signals.short_lines),
    ("duplicate_lines", |signals| signals.duplicate_lines),
    ("duplicate_line_chars", |signals| {
        signals.duplicate_line_chars
    }),
    ("breaks_per_token", |signals| signals.breaks_per_token),
];

/// Shares by the number of tokens in a row.
const LISTS: [Column<Vec<f64>>; 2] = [
    ("top_ngrams", |signals| signals.top_ngrams.to_vec()),
    ("duplicate_ngrams", |signals| {
        signals.duplicate_ngrams.to_vec()
    }),
];

/// Returns the signal columns, with one row for each of `signals`. They are null where it is `None`.
pub(crate) fn signal_columns(signals: &[Option<Signals>]) -> Vec<(&'static str, ArrayRef)> {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    for (name, of) in COUNTS {
        let mut values = Int32Builder::new();
        for signals in signals {
            values.append_option(signals.as_ref().map(|signals| of(signals) as i32));
        }
        columns.push((name, Arc::new(values.finish())));
    }
    for (name, of) in SHARES {
        let mut values = Float64Builder::new();
        values.extend(signals.iter().map(|signals| signals.as_ref().map(of)));
        columns.push((name, Arc::new(values.finish())));
    }
    for (name, of) in LISTS {
        let values = ListBuilder::new(Float64Builder::new());
        let mut values = values.with_field(list_field(DataType::Float64));
        for signals in signals {
            let shares = signals.as_ref().map(of);
            values.append_option(shares.map(|shares| shares.into_iter().map(Some)));
        }
        columns.push((name, Arc::new(values.finish())));
    }
    columns
}
