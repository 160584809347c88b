use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
use chrono::NaiveDate;
use futures::{StreamExt, TryStreamExt};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::errors::ParquetError;
use tables::{DateRange, Reason, date_from_days};
use url_tree::DAY_MICROS;

use super::{ArchiveObject, ArchiveSource, ListedObjects, ObjectState};
use crate::archive::column::ObjectColumn;
use crate::archive::object::OpenObject;
use crate::error::EngineError;

/// Objects whose footers are read at the same time. A higher value opens more connections to the
/// store and keeps more footers in memory; a lower value waits longer for a store with latency.
const CONCURRENT_OBJECTS: usize = 16;

/// Row groups of an object whose times are read at the same time, for the same reasons.
const CONCURRENT_ROW_GROUPS: usize = 8;

/// The number of archive rows per date, and the row groups that hold them.
///
/// The census reads footers and the `fetched_at` column only, before any other work. Chunks are
/// cut by it, and the row accounting of a run must add up to it.
#[derive(Debug, Default)]
pub(crate) struct Census {
    objects: Vec<ObjectCensus>,
    /// Objects in folders of dates before those that were counted.
    earlier: Vec<ArchiveObject>,
    html_bytes: BTreeMap<NaiveDate, u64>,
}

/// The rows of one object.
#[derive(Debug)]
pub(crate) struct ObjectCensus {
    /// The object.
    pub(crate) object: ArchiveObject,
    /// The version that was counted, if the object can be opened.
    pub(crate) version: Option<String>,
    /// The date of rows without a possible time, and of an object that cannot be opened: the folder's
    /// date, else the earliest date in the object, else the first date of the run.
    pub(crate) fallback_date: NaiveDate,
    /// Whether neither the folder nor a row has a date, so that the fallback date is the run's.
    pub(crate) date_unknown: bool,
    /// The earliest date of the rows, if it is known.
    earliest: Option<NaiveDate>,
    /// The row groups, or the reason why the object cannot be opened.
    pub(crate) row_groups: Result<Vec<RowGroupCensus>, String>,
}

impl ObjectCensus {
    /// Returns the rows by date. An object that cannot be opened has 0 rows on its fallback date.
    fn dates(&self) -> BTreeMap<NaiveDate, u64> {
        let Ok(groups) = &self.row_groups else {
            return BTreeMap::from([(self.fallback_date, 0)]);
        };
        let mut dates = BTreeMap::new();
        for (date, rows) in groups.iter().flat_map(|group| &group.dates) {
            *dates.entry(*date).or_default() += rows;
        }
        dates
    }
}

/// The rows and objects of one date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DateInput {
    /// Rows.
    pub rows: u64,
    /// Objects with rows of the date, and objects that cannot be opened with this fallback date.
    pub objects: u64,
}

/// The rows of one row group.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowGroupCensus {
    /// Bytes of HTML after decompression.
    pub(crate) html_bytes: u64,
    /// Number of rows.
    pub(crate) rows: u64,
    /// Rows per date, for the dates of the requested range.
    pub(crate) dates: BTreeMap<NaiveDate, u64>,
    /// The reason why the times cannot be decoded. All rows then count on the fallback date.
    pub(crate) read_error: Option<String>,
}

/// The date on which a row counts, and the reason to quarantine it if its time is wrong.
pub(crate) type RowDate = (NaiveDate, Option<Reason>);

/// The rules for the date of the rows of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DateRules {
    /// The dates that rows can have.
    pub(crate) possible: DateRange,
    /// The date of rows without a time, or with one that cannot be.
    pub(crate) fallback: NaiveDate,
    /// The date of the folder, if rows count on it whatever their times are.
    pub(crate) folder: Option<NaiveDate>,
}

impl DateRules {
    /// Whether a row can have been fetched at `time_micros`.
    pub(crate) fn is_possible(&self, time_micros: i64) -> bool {
        self.possible.contains(date_of_time(time_micros))
    }

    /// Returns the date of a row fetched at `time_micros`.
    pub(crate) fn date(&self, time_micros: Option<i64>) -> RowDate {
        let counted = self.folder.unwrap_or(self.fallback);
        let Some(time) = time_micros else {
            return (counted, Some(Reason::MissingTime));
        };
        let date = date_of_time(time);
        match self.folder {
            _ if !self.is_possible(time) => (counted, Some(Reason::ImpossibleTime)),
            Some(folder) if folder != date => (folder, Some(Reason::WrongDate)),
            _ => (date, None),
        }
    }
}

/// Returns the day of a time, in UTC.
pub(crate) fn date_of_time(time_micros: i64) -> NaiveDate {
    // The days of an i64 of microseconds are at most 1.1e8, so this never saturates.
    date_from_days(i32::try_from(time_micros.div_euclid(DAY_MICROS)).unwrap_or(i32::MAX))
}

impl ArchiveSource {
    /// Reads the rows and objects on each date of `range`, without dates that have none and without objects of
    /// unknown date.
    ///
    /// # Errors
    /// [`EngineError`] if the store fails, or if an object lacks a column.
    pub async fn inputs(
        &self,
        range: DateRange,
    ) -> Result<BTreeMap<NaiveDate, DateInput>, EngineError> {
        Ok(Census::take(self, range).await?.dated(range))
    }
}

impl Census {
    /// Counts the rows of `archive` on the dates of `range`.
    ///
    /// # Errors
    /// Where the store fails, or an object lacks a column. An object that is not a Parquet file
    /// is part of the census.
    pub(crate) async fn take(
        archive: &ArchiveSource,
        range: DateRange,
    ) -> Result<Self, EngineError> {
        let ListedObjects { objects, earlier } = archive.objects(range).await?;
        let objects: Vec<ObjectCensus> = futures::stream::iter(objects)
            .map(|object| count_object(archive, object, range))
            .buffered(CONCURRENT_OBJECTS)
            .try_collect()
            .await?;
        let mut html_bytes = BTreeMap::new();
        for group in groups(&objects) {
            for (date, rows) in &group.dates {
                *html_bytes.entry(*date).or_default() += share(group.html_bytes, *rows, group.rows);
            }
        }
        Ok(Self {
            objects,
            earlier,
            html_bytes,
        })
    }

    /// Returns the objects in path order.
    pub(crate) fn objects(&self) -> &[ObjectCensus] {
        &self.objects
    }

    /// Returns the objects that cannot be opened, and why.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = (&ArchiveObject, &str)> {
        self.objects.iter().filter_map(|object| {
            let error = object.row_groups.as_ref().err()?;
            Some((&object.object, error.as_str()))
        })
    }

    /// Returns the objects that have changed after `since_micros` and have rows of dates before `date`.
    pub(crate) fn late_objects(
        &self,
        date: NaiveDate,
        since_micros: i64,
    ) -> impl Iterator<Item = &ArchiveObject> {
        let counted = self.objects.iter();
        let counted = counted.filter(move |object| object.earliest.is_some_and(|of| of < date));
        let found = self
            .earlier
            .iter()
            .chain(counted.map(|object| &object.object));
        found.filter(move |object| since_micros < object.modified_micros)
    }

    /// Returns the archive rows on each date of `range`, without dates that have none.
    pub(crate) fn rows(&self, range: DateRange) -> BTreeMap<NaiveDate, u64> {
        let mut rows = BTreeMap::new();
        for (date, count) in self.dates(range) {
            *rows.entry(date).or_default() += count;
        }
        rows
    }

    /// Returns the rows and objects on each date of `range`, as [`ArchiveSource::inputs`] does.
    pub(crate) fn dated(&self, range: DateRange) -> BTreeMap<NaiveDate, DateInput> {
        let mut dates: BTreeMap<NaiveDate, DateInput> = BTreeMap::new();
        for object in self.objects.iter().filter(|object| !object.date_unknown) {
            for (date, rows) in object.dates() {
                if range.contains(date) {
                    let input = dates.entry(date).or_default();
                    input.rows += rows;
                    input.objects += 1;
                }
            }
        }
        dates
    }

    /// Returns the number of objects with rows on each date of `range`. An object that cannot be
    /// opened counts on its fallback date.
    pub(crate) fn objects_by_date(&self, range: DateRange) -> BTreeMap<NaiveDate, u64> {
        let mut objects = BTreeMap::new();
        for (date, _) in self.objects.iter().flat_map(ObjectCensus::dates) {
            if range.contains(date) {
                *objects.entry(date).or_default() += 1;
            }
        }
        objects
    }

    /// Returns the dates of `range` for which the archive has rows, or objects that cannot be opened.
    pub(crate) fn dates_with_input(&self, range: DateRange) -> BTreeSet<NaiveDate> {
        self.objects_by_date(range).into_keys().collect()
    }

    /// Returns the objects with rows on the dates of `range`. An object that cannot be opened
    /// counts on its fallback date.
    pub(crate) fn objects_in(&self, range: DateRange) -> impl Iterator<Item = &ArchiveObject> {
        self.objects
            .iter()
            .filter(move |object| object.dates().keys().any(|date| range.contains(*date)))
            .map(|object| &object.object)
    }

    /// Returns the bytes of HTML on the dates of `range`. The bytes of a row group that spans
    /// dates are divided in proportion to its rows.
    pub(crate) fn html_bytes(&self, range: DateRange) -> u64 {
        let dates = self.html_bytes.range(range.first()..=range.last());
        dates.map(|(_, bytes)| bytes).sum()
    }

    fn dates(&self, range: DateRange) -> impl Iterator<Item = (NaiveDate, u64)> + '_ {
        groups(&self.objects)
            .flat_map(|group| group.dates.iter())
            .filter(move |(date, _)| range.contains(**date))
            .map(|(date, rows)| (*date, *rows))
    }
}

fn groups(objects: &[ObjectCensus]) -> impl Iterator<Item = &RowGroupCensus> {
    objects
        .iter()
        .filter_map(|object| object.row_groups.as_ref().ok())
        .flatten()
}

async fn count_object(
    archive: &ArchiveSource,
    object: ArchiveObject,
    range: DateRange,
) -> Result<ObjectCensus, EngineError> {
    let folder = object.folder_date;
    let found = ObjectState {
        source: object.source.clone(),
        bytes: object.bytes,
        version: None,
    };
    let opened = match archive.opened.open(archive, found).await? {
        Ok(open) => row_counts(&open).map(|rows| (open, rows)),
        Err(error) => Err(error.to_string()),
    };
    let (open, rows) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return Ok(ObjectCensus {
                fallback_date: folder.unwrap_or(range.first()),
                date_unknown: folder.is_none(),
                earliest: folder,
                row_groups: Err(error),
                version: None,
                object,
            });
        }
    };
    let possible = archive.possible_dates;
    let spans = match time_spans(&open, possible) {
        Ok(spans) => spans,
        Err(_) => vec![None; rows.len()],
    };
    let outside = |span: &TimeSpan| range.last() < span.first || span.last < range.first();
    let counted: Vec<_> = futures::stream::iter(spans.iter().enumerate())
        .map(|(index, span)| {
            let is_counted = archive.by_date || !span.as_ref().is_some_and(outside);
            count_times(&open, index, is_counted, possible)
        })
        .buffered(CONCURRENT_ROW_GROUPS)
        .try_collect()
        .await?;
    let mut groups = Vec::with_capacity(spans.len());
    let mut times = Vec::with_capacity(spans.len());
    let mut earliest = spans.iter().flatten().map(|span| span.first).min();
    for (index, (counted, rows)) in counted.into_iter().zip(rows).enumerate() {
        let mut group = RowGroupCensus {
            html_bytes: open.html_bytes(index),
            rows,
            ..RowGroupCensus::default()
        };
        let counts = counted.unwrap_or_else(|error| {
            group.read_error = Some(error.to_string());
            BTreeMap::new()
        });
        earliest = earliest
            .into_iter()
            .chain(counts.keys().flatten().copied())
            .min();
        groups.push(group);
        times.push(counts);
    }
    let known = folder.or(earliest);
    let fallback_date = known.unwrap_or(range.first());
    let deciding = folder.filter(|_| archive.by_date);
    for (group, counts) in groups.iter_mut().zip(times) {
        if group.read_error.is_some() {
            group.dates.insert(fallback_date, group.rows);
        }
        for (date, rows) in counts {
            let counted = deciding.or(date).unwrap_or(fallback_date);
            *group.dates.entry(counted).or_default() += rows;
        }
        group.dates.retain(|date, _| range.contains(*date));
    }
    Ok(ObjectCensus {
        object,
        version: open.state().version.clone(),
        fallback_date,
        date_unknown: known.is_none(),
        earliest: deciding.or(earliest),
        row_groups: Ok(groups),
    })
}

/// Returns the number of rows of each row group.
///
/// # Errors
/// Where the footer is damaged and a row group has a negative number of rows.
fn row_counts(open: &OpenObject) -> Result<Vec<u64>, String> {
    let groups = open.metadata().row_groups().iter().enumerate();
    groups
        .map(|(index, group)| {
            let rows = group.num_rows();
            u64::try_from(rows).map_err(|_| format!("row group {index} has {rows} rows"))
        })
        .collect()
}

#[derive(Debug, Clone)]
struct TimeSpan {
    first: NaiveDate,
    last: NaiveDate,
}

/// Returns the dates that each row group spans according to its statistics. `None` means no
/// statistics, or a row without a possible time, which counts on another date.
fn time_spans(
    open: &OpenObject,
    possible: DateRange,
) -> Result<Vec<Option<TimeSpan>>, ParquetError> {
    let groups = open.metadata().row_groups();
    let name = open
        .column_name(ObjectColumn::FetchedAt)
        .unwrap_or(ObjectColumn::FetchedAt.name());
    let field = open.schema().field_with_name(name);
    // The least and the greatest text or number are not the first and the last time.
    if !field.is_ok_and(|field| field.data_type().is_temporal()) {
        return Ok(vec![None; groups.len()]);
    }
    let metadata = open.metadata();
    let converter =
        StatisticsConverter::try_new(name, open.schema(), metadata.file_metadata().schema_descr())?;
    let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
    let first = cast(&converter.row_group_mins(groups)?, &micros)?;
    let last = cast(&converter.row_group_maxes(groups)?, &micros)?;
    let nulls = converter.row_group_null_counts(groups)?;
    let first = first.as_primitive::<TimestampMicrosecondType>();
    let last = last.as_primitive::<TimestampMicrosecondType>();
    Ok((0..groups.len())
        .map(|group| {
            let complete = nulls.is_valid(group) && nulls.value(group) == 0;
            let span =
                (complete && first.is_valid(group) && last.is_valid(group)).then(|| TimeSpan {
                    first: date_of_time(first.value(group)),
                    last: date_of_time(last.value(group)),
                });
            span.filter(|span| possible.contains(span.first) && possible.contains(span.last))
        })
        .collect())
}

type DateCounts = BTreeMap<Option<NaiveDate>, u64>;

/// Counts the rows of one row group by date, `None` for rows without a possible time. The outer error
/// stops the run; the inner error concerns this row group only. A row group that `is_counted` does
/// not include has no dates.
async fn count_times(
    open: &OpenObject,
    row_group: usize,
    is_counted: bool,
    possible: DateRange,
) -> Result<Result<DateCounts, ParquetError>, EngineError> {
    if !is_counted {
        return Ok(Ok(DateCounts::new()));
    }
    let counted = async {
        let mut counts = DateCounts::new();
        for time in open.times(row_group).await? {
            let date = time
                .map(date_of_time)
                .filter(|date| possible.contains(*date));
            *counts.entry(date).or_default() += 1;
        }
        Ok::<_, ParquetError>(counts)
    };
    match counted.await {
        Ok(counts) => Ok(Ok(counts)),
        Err(error) => open.decode_error(error).map(Err),
    }
}

/// Returns `whole * of / all`: the part of `whole` that belongs to `of` of `all` rows, of which
/// there are at least `of`.
pub(crate) fn share(whole: u64, of: u64, all: u64) -> u64 {
    let part = u128::from(whole) * u128::from(of) / u128::from(all.max(1));
    // Never saturates: the part is at most `whole`.
    u64::try_from(part).unwrap_or(u64::MAX)
}
