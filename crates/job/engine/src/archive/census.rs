use std::collections::BTreeMap;

use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit, TimestampMicrosecondType};
use chrono::NaiveDate;
use futures::{StreamExt, TryStreamExt};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::errors::ParquetError;
use tables::{DateRange, Reason, date_from_days};
use url_tree::DAY_MICROS;

use super::{ArchiveObject, ArchiveSource, ObjectState};
use crate::archive::object::{ObjectColumn, OpenObject};
use crate::error::EngineError;

/// Objects whose footers are read at the same time.
const CONCURRENT_OBJECTS: usize = 16;

/// How many rows the archive has per date, and where they are. It is counted
/// from the `fetched_at` column alone, before any work: chunks are cut by it,
/// and what a run wrote must add up to it.
#[derive(Debug, Default)]
pub(crate) struct Census {
    objects: Vec<ObjectCensus>,
    html_bytes: BTreeMap<NaiveDate, u64>,
}

/// The rows of one object.
#[derive(Debug)]
pub(crate) struct ObjectCensus {
    /// The object.
    pub(crate) object: ArchiveObject,
    /// The version of it that was counted, where it can be opened.
    pub(crate) version: Option<String>,
    /// The date of what has none of its own: the folder's, else the earliest
    /// in the object, else the run's first.
    pub(crate) fallback_date: NaiveDate,
    /// Nothing of it says when it was fetched, and its fallback date is the run's.
    pub(crate) date_unknown: bool,
    /// Its row groups, or why it cannot be opened.
    pub(crate) row_groups: Result<Vec<RowGroupCensus>, String>,
}

impl ObjectCensus {
    /// Its rows by date; an unreadable one has none, at its fallback date.
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

/// What the archive has of a date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Input {
    /// Rows.
    pub(crate) rows: u64,
    /// Objects with rows of the date, and unreadable ones at its fallback date there.
    pub(crate) objects: u64,
}

/// The rows of one row group.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowGroupCensus {
    /// Bytes of HTML after decompression.
    pub(crate) html_bytes: u64,
    /// Number of rows.
    pub(crate) rows: u64,
    /// Rows per date, for the dates of the range that was asked for.
    pub(crate) dates: BTreeMap<NaiveDate, u64>,
    /// Why the times cannot be decoded; all rows count at the fallback date then.
    pub(crate) read_error: Option<String>,
}

/// On which date a row counts, and what is wrong with its time.
pub(crate) type RowDate = (NaiveDate, Option<Reason>);

/// The date of a row fetched at `time_micros` in an object whose fallback date is
/// `fallback_date`, and whose folder alone decides where `folder` is given.
pub(crate) fn row_date(
    time_micros: Option<i64>,
    fallback_date: NaiveDate,
    folder: Option<NaiveDate>,
) -> RowDate {
    let Some(time) = time_micros else {
        return (fallback_date, Some(Reason::MissingTime));
    };
    let date = date_of_time(time);
    match folder {
        Some(folder) if folder != date => (folder, Some(Reason::WrongDate)),
        _ => (date, None),
    }
}

fn date_of_time(time_micros: i64) -> NaiveDate {
    // A day count of any i64 of microseconds fits an i32 (at most 1.1e8).
    date_from_days(i32::try_from(time_micros.div_euclid(DAY_MICROS)).unwrap_or(i32::MAX))
}

impl Census {
    /// Counts the rows of `archive` on the dates of `range`.
    ///
    /// # Errors
    /// Where the store fails, or an object lacks a column. An object that is
    /// no Parquet is part of the census.
    pub(crate) async fn take(
        archive: &ArchiveSource,
        range: DateRange,
    ) -> Result<Self, EngineError> {
        let objects = archive.objects(range).await?;
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
            html_bytes,
        })
    }

    /// The objects, in order of their path.
    pub(crate) fn objects(&self) -> &[ObjectCensus] {
        &self.objects
    }

    /// Archive rows on each date of `range`; dates without rows are left out.
    pub(crate) fn rows(&self, range: DateRange) -> BTreeMap<NaiveDate, u64> {
        let mut rows = BTreeMap::new();
        for (date, count) in self.dates(range) {
            *rows.entry(date).or_default() += count;
        }
        rows
    }

    /// What the archive has on each date of `range` by what it says itself:
    /// objects that nothing dates are left out.
    pub(crate) fn dated(&self, range: DateRange) -> BTreeMap<NaiveDate, Input> {
        let mut dates: BTreeMap<NaiveDate, Input> = BTreeMap::new();
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

    /// Objects with rows on each date of `range`, unreadable ones at its fallback date.
    pub(crate) fn objects_by_date(&self, range: DateRange) -> BTreeMap<NaiveDate, u64> {
        let mut objects = BTreeMap::new();
        for (date, _) in self.objects.iter().flat_map(ObjectCensus::dates) {
            if range.contains(date) {
                *objects.entry(date).or_default() += 1;
            }
        }
        objects
    }

    /// The objects with rows on the dates of `range`, unreadable ones at its fallback date.
    pub(crate) fn objects_in(&self, range: DateRange) -> impl Iterator<Item = &ArchiveObject> {
        (self.objects.iter())
            .filter(move |object| object.dates().keys().any(|date| range.contains(*date)))
            .map(|object| &object.object)
    }

    /// Bytes of HTML on the dates of `range`, row groups that span dates being
    /// shared out by rows.
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
    (objects.iter())
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
    let open = match OpenObject::open(archive, found).await? {
        Ok(open) => open,
        Err(error) => {
            return Ok(ObjectCensus {
                fallback_date: folder.unwrap_or(range.first()),
                date_unknown: folder.is_none(),
                row_groups: Err(error.to_string()),
                version: None,
                object,
            });
        }
    };
    let spans = match time_spans(&open) {
        Ok(spans) => spans,
        Err(_) => vec![None; open.metadata().num_row_groups()],
    };
    let mut groups = Vec::with_capacity(spans.len());
    let mut times = Vec::with_capacity(spans.len());
    let mut earliest = spans.iter().flatten().map(|span| span.first).min();
    for (index, span) in spans.iter().enumerate() {
        let rows = u64::try_from(open.metadata().row_group(index).num_rows()).unwrap_or(0);
        let mut group = RowGroupCensus {
            html_bytes: open.html_bytes(index),
            rows,
            ..RowGroupCensus::default()
        };
        let outside = |span: &TimeSpan| range.last() < span.first || span.last < range.first();
        let mut counts = BTreeMap::new();
        if archive.by_date || !span.as_ref().is_some_and(outside) {
            match count_times(&open, index).await? {
                Ok(found) => counts = found,
                Err(error) => group.read_error = Some(error.to_string()),
            }
        }
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
        row_groups: Ok(groups),
    })
}

#[derive(Debug, Clone)]
struct TimeSpan {
    first: NaiveDate,
    last: NaiveDate,
}

/// The dates each row group spans by its statistics; `None` where there are
/// none, or some time is missing.
fn time_spans(open: &OpenObject) -> Result<Vec<Option<TimeSpan>>, ParquetError> {
    let name = open
        .column_name(ObjectColumn::FetchedAt)
        .unwrap_or(ObjectColumn::FetchedAt.name());
    let metadata = open.metadata();
    let converter =
        StatisticsConverter::try_new(name, open.schema(), metadata.file_metadata().schema_descr())?;
    let groups = metadata.row_groups();
    let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
    let first = cast(&converter.row_group_mins(groups)?, &micros)?;
    let last = cast(&converter.row_group_maxes(groups)?, &micros)?;
    let nulls = converter.row_group_null_counts(groups)?;
    let first = first.as_primitive::<TimestampMicrosecondType>();
    let last = last.as_primitive::<TimestampMicrosecondType>();
    Ok((0..groups.len())
        .map(|group| {
            let complete = nulls.is_valid(group) && nulls.value(group) == 0;
            (complete && first.is_valid(group) && last.is_valid(group)).then(|| TimeSpan {
                first: date_of_time(first.value(group)),
                last: date_of_time(last.value(group)),
            })
        })
        .collect())
}

type DateCounts = BTreeMap<Option<NaiveDate>, u64>;

/// Rows per date of one row group, `None` for rows without a time; the inner
/// error is about the row group alone.
async fn count_times(
    open: &OpenObject,
    row_group: usize,
) -> Result<Result<DateCounts, ParquetError>, EngineError> {
    let counted = async {
        let mut counts = DateCounts::new();
        for time in open.times(row_group).await? {
            *counts.entry(time.map(date_of_time)).or_default() += 1;
        }
        Ok::<_, ParquetError>(counts)
    };
    match counted.await {
        Ok(counts) => Ok(Ok(counts)),
        Err(error) => open.decode_error(error).map(Err),
    }
}

/// The part of `whole` that `of` in `all` rows have.
pub(crate) fn share(whole: u64, of: u64, all: u64) -> u64 {
    let part = u128::from(whole) * u128::from(of) / u128::from(all.max(1));
    u64::try_from(part).unwrap_or(u64::MAX)
}
