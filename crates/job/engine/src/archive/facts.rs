//! Facts about the rows of an object that do not depend on the dates of a run.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow::array::{AsArray, UInt64Array};
use arrow::compute::cast;
use arrow::datatypes::{ArrowPrimitiveType, DataType, TimestampMicrosecondType, UInt64Type};
use chrono::NaiveDate;
use futures::{StreamExt, TryStreamExt};
use import::SITE_HASH;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use tables::{DateRange, date_from_days};
use url_tree::DAY_MICROS;

use super::{ArchiveObject, ArchiveSource, ObjectState};
use crate::archive::column::ObjectColumn;
use crate::archive::object::{OpenObject, decode_error};
use crate::error::EngineError;

/// Row groups of an object whose times are read at the same time. A higher value opens more connections to the store; a
/// lower value waits longer for a store with latency.
const CONCURRENT_ROW_GROUPS: usize = 8;

/// Rows by date, `None` for those without a time.
pub(super) type DateCounts = Vec<(Option<NaiveDate>, u64)>;

/// Facts about the rows of an object.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct ObjectFacts {
    /// The version that was read.
    pub(super) version: Option<String>,
    pub(super) row_groups: Vec<RowGroupFacts>,
}

/// Facts about the rows of a row group.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct RowGroupFacts {
    pub(super) rows: u64,
    /// Bytes of HTML after decompression.
    pub(super) html_bytes: u64,
    /// The first and the last date by statistics, if each row has a time.
    pub(super) dates: Option<(NaiveDate, NaiveDate)>,
    /// The first and the last hash of a site, if they are known.
    pub(super) sites: Option<RangeInclusive<u64>>,
    /// Rows by date, or why the times cannot be decoded. `None` if they were not read.
    pub(super) times: Option<Result<DateCounts, String>>,
}

impl RowGroupFacts {
    /// The first and the last date by statistics, if all times are possible.
    fn span(&self, possible: DateRange) -> Option<(NaiveDate, NaiveDate)> {
        let is_possible = |(first, last): &_| possible.contains(*first) && possible.contains(*last);
        self.dates.filter(is_possible)
    }

    /// The date of all rows, if statistics say so.
    pub(super) fn only_date(&self, possible: DateRange) -> Option<NaiveDate> {
        let (first, last) = self.span(possible)?;
        (first == last).then_some(first)
    }

    /// Whether the rows of the dates of `range` are only known by their times.
    pub(super) fn needs_times(&self, possible: DateRange, range: DateRange) -> bool {
        let is_outside = |(first, last)| range.last() < first || last < range.first();
        self.only_date(possible).is_none() && !self.span(possible).is_some_and(is_outside)
    }

    /// The earliest possible date, as far as it is known.
    pub(super) fn earliest(&self, possible: DateRange) -> Option<NaiveDate> {
        let of_statistics = self.span(possible).map(|(first, _)| first);
        let counted = self.times.iter().flatten().flatten();
        let counted = counted.filter_map(|(date, _)| *date);
        let counted = counted.filter(|date| possible.contains(*date));
        of_statistics.into_iter().chain(counted).min()
    }
}

/// Reads the footer of `object`, and the times of the row groups that need them.
///
/// # Errors
/// The outer error stops the run; the inner one concerns this object only: it cannot be opened.
pub(super) async fn read_facts(
    archive: &ArchiveSource,
    object: &ArchiveObject,
    needs_times: impl Fn(&RowGroupFacts) -> bool,
) -> Result<Result<ObjectFacts, String>, EngineError> {
    let found = ObjectState {
        source: object.source.clone(),
        bytes: object.bytes,
        version: None,
    };
    let opened = archive.open_for_census(found).await?;
    let opened = opened.map_err(|error| error.to_string());
    let (mut row_groups, open) = match opened.and_then(|open| Ok((of_footer(&open)?, open))) {
        Ok(opened) => opened,
        Err(error) => return Ok(Err(error)),
    };
    let needed: Vec<usize> = (row_groups.iter().enumerate())
        .filter(|(_, group)| needs_times(group))
        .map(|(index, _)| index)
        .collect();
    let counted: Vec<_> = futures::stream::iter(needed.iter().copied())
        .map(|index| count_times(&open, index))
        .buffered(CONCURRENT_ROW_GROUPS)
        .try_collect()
        .await?;
    for (index, times) in needed.into_iter().zip(counted) {
        row_groups[index].times = Some(times);
    }
    Ok(Ok(ObjectFacts {
        version: open.state().version.clone(),
        row_groups,
    }))
}

/// Returns the facts in the footer.
///
/// # Errors
/// Where the footer is damaged and a row group has a negative number of rows.
fn of_footer(open: &OpenObject) -> Result<Vec<RowGroupFacts>, String> {
    let groups = open.metadata().row_groups();
    let mut dates = date_spans(open).unwrap_or_default();
    let mut sites = site_spans(open).unwrap_or_default();
    dates.resize(groups.len(), None);
    sites.resize(groups.len(), None);
    let groups = groups.iter().zip(dates).zip(sites).enumerate();
    groups
        .map(|(index, ((group, dates), sites))| {
            let rows = group.num_rows();
            Ok(RowGroupFacts {
                rows: u64::try_from(rows)
                    .map_err(|_| format!("row group {index} has {rows} rows"))?,
                html_bytes: open.html_bytes(index),
                dates,
                sites,
                times: None,
            })
        })
        .collect()
}

/// Returns the dates that each row group spans according to its statistics. `None` means no statistics, or a row without a
/// time.
fn date_spans(open: &OpenObject) -> Result<Vec<Option<(NaiveDate, NaiveDate)>>, ParquetError> {
    let field = open.field(ObjectColumn::FetchedAt);
    // The least and the greatest text or number are not the first and the last time.
    let Some(field) = field.filter(|field| field.data_type().is_temporal()) else {
        return Ok(Vec::new());
    };
    let (spans, nulls) = spans::<TimestampMicrosecondType>(open, field.name())?;
    let dates = spans.into_iter().zip(&nulls).map(|(span, nulls)| {
        let (first, last) = span.filter(|_| nulls == Some(0))?;
        Some((date_of_time(first), date_of_time(last)))
    });
    Ok(dates.collect())
}

/// Returns the hashes of sites that each row group spans according to its statistics, if they are those of this job.
fn site_spans(open: &OpenObject) -> Result<Vec<Option<RangeInclusive<u64>>>, ParquetError> {
    let field = open.schema().field_with_name(SITE_HASH);
    let is_hash = field.is_ok_and(|field| *field.data_type() == DataType::UInt64);
    if !is_hash || !open.has_site_hashes {
        return Ok(Vec::new());
    }
    let (spans, _) = spans::<UInt64Type>(open, SITE_HASH)?;
    let hashes = |(first, last)| first..=last;
    Ok(spans.into_iter().map(|span| span.map(hashes)).collect())
}

/// The least and the greatest value of a column in each row group, where statistics have them.
type Spans<T> = Vec<Option<(T, T)>>;

/// Returns what statistics say of `column` in each row group, and the numbers of its nulls.
fn spans<T: ArrowPrimitiveType>(
    open: &OpenObject,
    column: &str,
) -> Result<(Spans<T::Native>, UInt64Array), ParquetError> {
    let groups = open.metadata().row_groups();
    let columns = open.metadata().file_metadata().schema_descr();
    let converter = StatisticsConverter::try_new(column, open.schema(), columns)?;
    let first = cast(&converter.row_group_mins(groups)?, &T::DATA_TYPE)?;
    let last = cast(&converter.row_group_maxes(groups)?, &T::DATA_TYPE)?;
    let (first, last) = (first.as_primitive::<T>(), last.as_primitive::<T>());
    let spans = first.iter().zip(last).map(|(first, last)| first.zip(last));
    Ok((spans.collect(), converter.row_group_null_counts(groups)?))
}

/// Counts the rows of one row group by date. The outer error stops the run; the inner error concerns this row group only.
async fn count_times(
    open: &Arc<OpenObject>,
    row_group: usize,
) -> Result<Result<DateCounts, String>, EngineError> {
    let times = match open.times(row_group).await {
        Ok(times) => times,
        Err(error) => return Ok(Err(decode_error(error)?.to_string())),
    };
    let mut counts = BTreeMap::new();
    for time in times {
        *counts.entry(time.map(date_of_time)).or_default() += 1;
    }
    Ok(Ok(counts.into_iter().collect()))
}

/// Returns the day of a time, in UTC.
pub(crate) fn date_of_time(time_micros: i64) -> NaiveDate {
    // The days of an i64 of microseconds are at most 1.1e8, so this never saturates.
    date_from_days(i32::try_from(time_micros.div_euclid(DAY_MICROS)).unwrap_or(i32::MAX))
}
