//! The columns of `documents` that tell good text from bad.

use std::sync::Arc;

use arrow::array::{Float64Builder, ListBuilder};
use arrow::datatypes::DataType;
use text::signals::Signals;

use crate::plan::columns::column::{Named, column};
use crate::plan::columns::schemas::list_field;

/// Returns the signal columns, with one row for each of `signals`. They are null where it is `None`.
pub(crate) fn signal_columns(signals: &[Option<&Signals>]) -> Vec<Named> {
    let count = |name, of: fn(&Signals) -> usize| {
        column(name, signals, move |signals| Some(of((*signals)?) as i32))
    };
    let share =
        |name, of: fn(&Signals) -> f64| column(name, signals, move |signals| signals.map(of));
    // By the number of tokens in a row.
    let shares = |name, of: fn(&Signals) -> &[f64]| -> Named {
        let values = ListBuilder::new(Float64Builder::new());
        let mut values = values.with_field(list_field(DataType::Float64));
        for signals in signals {
            let shares = signals.map(of);
            values.append_option(shares.map(|shares| shares.iter().copied().map(Some)));
        }
        (name, Arc::new(values.finish()))
    };
    vec![
        count("words", |signals| signals.words),
        count("stop_words", |signals| signals.stop_words),
        share("mean_word_length", |signals| signals.mean_word_length),
        share("hashes_per_token", |signals| signals.hashes_per_token),
        share("ellipses_per_token", |signals| signals.ellipses_per_token),
        share("tokens_with_letters", |signals| signals.tokens_with_letters),
        share("digits", |signals| signals.digits),
        share("bullet_lines", |signals| signals.bullet_lines),
        share("ellipsis_lines", |signals| signals.ellipsis_lines),
        share("ended_lines", |signals| signals.ended_lines),
        share("short_lines", |signals| signals.short_lines),
        share("duplicate_lines", |signals| signals.duplicate_lines),
        share("duplicate_line_chars", |signals| {
            signals.duplicate_line_chars
        }),
        share("breaks_per_token", |signals| signals.breaks_per_token),
        shares("top_ngrams", |signals| &signals.top_ngrams),
        shares("duplicate_ngrams", |signals| &signals.duplicate_ngrams),
    ]
}
