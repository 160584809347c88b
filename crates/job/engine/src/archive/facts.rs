//! Facts about the rows of an object that do not depend on the dates of a run.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType, UInt64Type};
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
use crate::archive::object::OpenObject;
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
    let opened = match archive.opened.open(archive, found).await? {
        Ok(open) => of_footer(&open).map(|row_groups| (open, row_groups)),
        Err(error) => Err(error.to_string()),
    };
    let (open, mut row_groups) = match opened {
        Ok(opened) => opened,
        Err(error) => return Ok(Err(error)),
    };
    let needed: Vec<usize> = (row_groups.iter().enumerate())
        .filter(|(_, group)| needs_times(group))
        .map(|(index, _)| index)
        .collect();
    let counted: Vec<_> = futures::stream::iter(needed)
        .map(|index| {
            let open = &open;
            async move { Ok::<_, EngineError>((index, count_times(open, index).await?)) }
        })
        .buffered(CONCURRENT_ROW_GROUPS)
        .try_collect()
        .await?;
    for (index, times) in counted {
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
    let groups = open.metadata().row_groups();
    let name = open
        .column_name(ObjectColumn::FetchedAt)
        .unwrap_or(ObjectColumn::FetchedAt.name());
    let field = open.schema().field_with_name(name);
    // The least and the greatest text or number are not the first and the last time.
    if !field.is_ok_and(|field| field.data_type().is_temporal()) {
        return Ok(Vec::new());
    }
    let converter = statistics(open, name)?;
    let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
    let first = cast(&converter.row_group_mins(groups)?, &micros)?;
    let last = cast(&converter.row_group_maxes(groups)?, &micros)?;
    let nulls = converter.row_group_null_counts(groups)?;
    let first = first.as_primitive::<TimestampMicrosecondType>();
    let last = last.as_primitive::<TimestampMicrosecondType>();
    let span = |group: usize| {
        let is_complete = nulls.is_valid(group) && nulls.value(group) == 0;
        let is_known = is_complete && first.is_valid(group) && last.is_valid(group);
        is_known.then(|| {
            (
                date_of_time(first.value(group)),
                date_of_time(last.value(group)),
            )
        })
    };
    Ok((0..groups.len()).map(span).collect())
}

/// Returns the hashes of sites that each row group spans according to its statistics, if they are those of this job.
fn site_spans(open: &OpenObject) -> Result<Vec<Option<RangeInclusive<u64>>>, ParquetError> {
    let groups = open.metadata().row_groups();
    let field = open.schema().field_with_name(SITE_HASH);
    let is_hash = field.is_ok_and(|field| *field.data_type() == DataType::UInt64);
    if !is_hash || !open.has_site_hashes() {
        return Ok(Vec::new());
    }
    let converter = statistics(open, SITE_HASH)?;
    let first = converter.row_group_mins(groups)?;
    let last = converter.row_group_maxes(groups)?;
    let (first, last) = (
        first.as_primitive::<UInt64Type>(),
        last.as_primitive::<UInt64Type>(),
    );
    let span = |group: usize| {
        let is_known = first.is_valid(group) && last.is_valid(group);
        is_known.then(|| first.value(group)..=last.value(group))
    };
    Ok((0..groups.len()).map(span).collect())
}

fn statistics<'a>(
    open: &'a OpenObject,
    column: &'a str,
) -> Result<StatisticsConverter<'a>, ParquetError> {
    let metadata = open.metadata().file_metadata();
    StatisticsConverter::try_new(column, open.schema(), metadata.schema_descr())
}

/// Counts the rows of one row group by date. The outer error stops the run; the inner error concerns this row group only.
async fn count_times(
    open: &OpenObject,
    row_group: usize,
) -> Result<Result<DateCounts, String>, EngineError> {
    let times = match open.times(row_group).await {
        Ok(times) => times,
        Err(error) => return Ok(Err(open.decode_error(error)?.to_string())),
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
