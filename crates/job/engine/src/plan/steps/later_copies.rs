//! Chooses the later copies that Block parses because their first page has no text.
//!
//! Dedupe sends the later copies of a URL key behind the row group of its first page. If that page
//! is quarantined or has no text block, its copies wait here. They are tried in waves. A wave has the earliest untried
//! copy of every page, so that it reads each row group once. The first copy with text becomes the
//! page, and the copies after it become its duplicates.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt32Array};
use arrow::compute::{concat_batches, filter_record_batch, not, take_record_batch};
use arrow::datatypes::Int64Type;
use datafusion::error::Result;

use crate::plan::columns::schemas::{RecordBatchExt, project_to, sorted_by};
use crate::plan::steps::dedupe::{Original, Originals, merged_by_step};
use crate::plan::steps::parse_pages::as_unique;
use crate::settings::Settings;

/// Rows by object.
#[derive(Debug, Default)]
pub(crate) struct Positions(BTreeMap<String, BTreeSet<i64>>);

impl Positions {
    pub(crate) fn extend(&mut self, source: String, rows: Vec<i64>) {
        self.0.entry(source).or_default().extend(rows);
    }

    fn contains(&self, source: &str, row: i64) -> bool {
        let rows = self.0.get(source);
        rows.is_some_and(|rows| rows.contains(&row))
    }

    /// Splits later copies into those of other pages, and those of these pages.
    pub(crate) fn split(&self, copies: &RecordBatch) -> Result<(RecordBatch, RecordBatch)> {
        if self.0.is_empty() {
            return Ok((copies.clone(), copies.slice(0, 0)));
        }
        let sources = copies.text("first_source")?;
        let rows = copies.numbers::<Int64Type>("first_row")?;
        let is_here: Vec<bool> = (0..copies.num_rows())
            .map(|row| self.contains(sources.value(row), rows.value(row)))
            .collect();
        let (here, others) = divided(copies, &is_here.into())?;
        Ok((others, here))
    }
}

/// Divides rows into those for which `is_first`, and the others.
pub(super) fn divided(
    rows: &RecordBatch,
    is_first: &BooleanArray,
) -> Result<(RecordBatch, RecordBatch)> {
    Ok((
        filter_record_batch(rows, is_first)?,
        filter_record_batch(rows, &not(is_first)?)?,
    ))
}

/// The order in which the copies of all keys are tried. Block gets them in the order of the first four columns.
const TRIED_ORDER: [&str; 7] = [
    "first_source",
    "first_row_group",
    "first_row",
    "copy_order",
    "url",
    "source",
    "row",
];

/// Returns the position of the first page of the key of a later copy.
fn first_position(copies: &RecordBatch, row: usize) -> Result<(String, i64)> {
    let source = copies.text("first_source")?.value(row);
    let first_row = copies.numbers::<Int64Type>("first_row")?.value(row);
    Ok((source.to_owned(), first_row))
}

/// Later copies of rejected pages, in the order of Block.
#[derive(Default)]
pub(crate) struct LaterCopies {
    waiting: Vec<RecordBatch>,
    count: usize,
    /// The position of the last first page whose copies were tried, and the page with text. More
    /// copies can follow.
    last: Option<((String, i64), Original)>,
}

impl LaterCopies {
    /// Adds copies. All copies of a page come together, in time order.
    pub(crate) fn push(&mut self, copies: RecordBatch) {
        self.count += copies.num_rows();
        if copies.num_rows() > 0 {
            self.waiting.push(copies);
        }
    }

    /// Returns the number of copies that wait.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Takes the copies that wait.
    pub(crate) fn take(&mut self) -> Result<Option<Waves>> {
        let Some(first) = self.waiting.first() else {
            return Ok(None);
        };
        let copies = concat_batches(first.schema_ref(), &self.waiting)?;
        self.waiting.clear();
        self.count = 0;
        let copies = sorted_by(&TRIED_ORDER, &copies)?;
        let of_keys = copies.runs(&TRIED_ORDER[..3])?.into_iter();
        let mut keys: Vec<KeyCopies> = of_keys
            .map(|untried| KeyCopies {
                untried,
                page: None,
            })
            .collect();
        if let (Some(key), Some((position, page))) = (keys.first_mut(), self.last.take())
            && position == first_position(&copies, 0)?
        {
            key.page = Some(page);
        }
        Ok(Some(Waves { copies, keys }))
    }

    /// Ends the waves: keeps the page of their last key for copies that follow, and returns the
    /// duplicates.
    pub(crate) fn finish(&mut self, mut waves: Waves, settings: &Settings) -> Result<RecordBatch> {
        let duplicates = waves.duplicates(settings)?;
        if let Some(KeyCopies {
            page: Some(page), ..
        }) = waves.keys.pop()
        {
            let last = waves.copies.num_rows() - 1;
            self.last = Some((first_position(&waves.copies, last)?, page));
        }
        Ok(duplicates)
    }
}

/// Tries the copies of many keys, wave by wave.
pub(crate) struct Waves {
    copies: RecordBatch,
    keys: Vec<KeyCopies>,
}

/// The copies of one key.
struct KeyCopies {
    /// Rows that are neither tried nor the page. They are duplicates once there is a page.
    untried: Range<usize>,
    /// The first copy with text.
    page: Option<Original>,
}

impl KeyCopies {
    /// Returns the row that is tried next. `None` if there is a page, or no such row is left.
    fn next(&self) -> Option<usize> {
        let is_tried = self.page.is_none() && !self.untried.is_empty();
        is_tried.then_some(self.untried.start)
    }
}

impl Waves {
    /// Returns the earliest untried copy of each key that has no page, as a unique row, in archive
    /// order. Returns `None` if no such copy is left.
    pub(crate) fn next(&self) -> Result<Option<RecordBatch>> {
        let wave = self.keys.iter().filter_map(KeyCopies::next);
        let wave: UInt32Array = wave.map(|row| row as u32).collect();
        if wave.is_empty() {
            return Ok(None);
        }
        let wave = take_record_batch(&self.copies, &wave)?;
        as_unique(&sorted_by(&["source", "row_group", "row"], &wave)?).map(Some)
    }

    /// Ends a wave. Each of its rows is the page of its key, unless it was rejected.
    pub(crate) fn tried(&mut self, rejected: &Positions) -> Result<()> {
        let pages = Originals::new(&self.copies)?;
        for key in &mut self.keys {
            let Some(row) = key.next() else { continue };
            key.untried.start += 1;
            let page = pages.get(row);
            key.page = (!rejected.contains(&page.source, page.row)).then_some(page);
        }
        Ok(())
    }

    /// Returns the untried copies: the duplicates of the pages that were found.
    fn duplicates(&self, settings: &Settings) -> Result<RecordBatch> {
        let pages = Originals::new(&self.copies)?;
        let (mut rows, mut merged_by, mut duplicate_of) = (Vec::new(), Vec::new(), Vec::new());
        for KeyCopies { untried, page } in &self.keys {
            let Some(page) = page else { continue };
            for row in untried.clone() {
                rows.push(row as u32);
                merged_by.push(merged_by_step(settings, page, &pages.get(row)).as_str());
                duplicate_of.push(page.position());
            }
        }
        let duplicates = take_record_batch(&self.copies, &UInt32Array::from(rows))?;
        let given: Vec<(&str, ArrayRef)> = vec![
            ("merged_by", Arc::new(StringArray::from(merged_by))),
            ("duplicate_of", Arc::new(StringArray::from(duplicate_of))),
        ];
        project_to(&duplicates, &duplicates.schema(), given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::columns::schemas::DEDUPED;
    use crate::plan::test_support::{TestJob, TestRow, batch, numbers, texts};

    /// A later copy of the key whose first page is row `first` of `first.parquet`.
    fn copy(first: i64, source: &str, row: i64) -> TestRow {
        TestRow::default()
            .with("source", source)
            .with("row_group", row / 10)
            .with("row", row)
            .with("url", format!("http://a.example/{first}").as_str())
            .with("url_key", format!("http://a.example/{first}").as_str())
            .with("status", "duplicate")
            .with("first_source", "first.parquet")
            .with("first_row", first)
    }

    /// A batch of copies, each later than the one before.
    fn copies(rows: &[TestRow]) -> RecordBatch {
        let times = rows.iter().zip(0_i64..);
        let rows: Vec<TestRow> = times
            .map(|(row, time)| row.clone().with("copy_order", time))
            .collect();
        batch(&DEDUPED, &rows)
    }

    /// Ends a wave in which `source#row` pages are rejected.
    fn reject(waves: &mut Waves, pages: &[(&str, i64)]) {
        let mut rejected = Positions::default();
        for (source, row) in pages {
            rejected.extend((*source).to_owned(), vec![*row]);
        }
        waves.tried(&rejected).unwrap();
    }

    /// The rows of the next wave, `None` after the last.
    fn next(waves: &mut Waves) -> Option<Vec<i64>> {
        let rows = waves.next().unwrap()?;
        Some(numbers(&rows, "row").into_iter().flatten().collect())
    }

    fn settings() -> Arc<Settings> {
        TestJob::new(&[]).job().settings
    }

    #[test]
    fn a_wave_has_the_next_copy_of_each_key_in_archive_order() {
        let mut later = LaterCopies::default();
        later.push(copies(&[
            copy(1, "b.parquet", 25),
            copy(1, "a.parquet", 40),
            copy(1, "c.parquet", 1),
            copy(2, "b.parquet", 3),
            copy(2, "b.parquet", 2),
            copy(3, "a.parquet", 90),
        ]));
        let mut waves = later.take().unwrap().unwrap();
        assert_eq!(next(&mut waves), Some(vec![90, 3, 25]));
        reject(&mut waves, &[("b.parquet", 3), ("b.parquet", 25)]);
        assert_eq!(next(&mut waves), Some(vec![40, 2]));
        reject(&mut waves, &[("b.parquet", 2)]);
        assert_eq!(next(&mut waves), None);
        let duplicates = later.finish(waves, &settings()).unwrap();
        assert_eq!(numbers(&duplicates, "row"), [Some(1)]);
        assert_eq!(texts(&duplicates, "duplicate_of"), ["a.parquet#40"]);
        assert!(later.take().unwrap().is_none());
    }

    #[test]
    fn copies_that_follow_later_are_duplicates_of_the_page_of_their_key() {
        let mut later = LaterCopies::default();
        later.push(copies(&[copy(1, "a.parquet", 5)]));
        let mut waves = later.take().unwrap().unwrap();
        assert_eq!(next(&mut waves), Some(vec![5]));
        reject(&mut waves, &[]);
        assert_eq!(later.finish(waves, &settings()).unwrap().num_rows(), 0);
        later.push(copies(&[copy(1, "a.parquet", 6), copy(2, "a.parquet", 7)]));
        let mut waves = later.take().unwrap().unwrap();
        assert_eq!(next(&mut waves), Some(vec![7]));
        reject(&mut waves, &[]);
        let duplicates = later.finish(waves, &settings()).unwrap();
        assert_eq!(numbers(&duplicates, "row"), [Some(6)]);
        assert_eq!(texts(&duplicates, "duplicate_of"), ["a.parquet#5"]);
    }

    #[test]
    fn copies_of_one_time_are_tried_in_the_order_of_their_urls() {
        let mut later = LaterCopies::default();
        let copy = |row: i64, url: &str| {
            copy(1, "a.parquet", row)
                .with("url", url)
                .with("copy_order", 0)
        };
        later.push(batch(
            &DEDUPED,
            &[
                copy(5, "http://a.example/1?b"),
                copy(9, "http://a.example/1?a"),
            ],
        ));
        let mut waves = later.take().unwrap().unwrap();
        assert_eq!(next(&mut waves), Some(vec![9]));
    }

    #[test]
    fn copies_that_follow_later_are_tried_if_none_had_text() {
        let mut later = LaterCopies::default();
        for row in [5, 6] {
            later.push(copies(&[copy(1, "a.parquet", row)]));
            let mut waves = later.take().unwrap().unwrap();
            assert_eq!(next(&mut waves), Some(vec![row]));
            reject(&mut waves, &[("a.parquet", 5)]);
            later.finish(waves, &settings()).unwrap();
        }
    }
}
