//! The rows of an archive by date.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use futures::{StreamExt, TryStreamExt};
use tables::{DateRange, Reason};

use super::{ArchiveObject, ArchiveSource, ListedObjects};
use crate::archive::facts::{DateCounts, ObjectFacts, RowGroupFacts, date_of_time, read_facts};
use crate::archive::kept_facts::KeptFacts;
use crate::error::EngineError;

/// Objects whose footers are read at the same time. A higher value opens more connections to the
/// store and keeps more footers in memory; a lower value waits longer for a store with latency.
const CONCURRENT_OBJECTS: usize = 32;

/// The number of archive rows per date, and the row groups that hold them.
///
/// The census reads footers before any other work, and the `fetched_at` column of row groups whose statistics have several
/// dates or none. Chunks are cut by it, and the row accounting of a run must add up to it.
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
    /// The date on which all rows count, if it is known without their times: that of the folder, or the only one in the
    /// statistics.
    pub(crate) date: Option<NaiveDate>,
    /// The first and the last hash of a site, if they are known.
    pub(crate) sites: Option<RangeInclusive<u64>>,
    /// The reason why the times cannot be decoded. All rows then count on the fallback date.
    pub(crate) read_error: Option<String>,
}

impl RowGroupCensus {
    /// Returns the rows per date, for the dates of `range`.
    fn dates_in(&self, range: DateRange) -> impl Iterator<Item = (&NaiveDate, &u64)> {
        self.dates.range(range.first()..=range.last())
    }
}

/// The rules for the date of the rows of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DateRules {
    /// The dates that rows can have.
    pub(crate) possible: DateRange,
    /// The date of rows without a time, or with one that cannot be.
    pub(crate) fallback: NaiveDate,
    /// The date of the folder or of all rows of the row group, if it is known before the rows are read. They count on it
    /// whatever their times are.
    pub(crate) known: Option<NaiveDate>,
}

impl DateRules {
    /// Whether a row can have been fetched at `time_micros`.
    pub(crate) fn is_possible(&self, time_micros: i64) -> bool {
        self.possible.contains(date_of_time(time_micros))
    }

    /// Returns the date on which a row fetched at `time_micros` counts, and the reason to quarantine it if its time is
    /// wrong.
    pub(crate) fn date(&self, time_micros: Option<i64>) -> (NaiveDate, Option<Reason>) {
        let counted = self.known.unwrap_or(self.fallback);
        let Some(time) = time_micros else {
            return (counted, Some(Reason::MissingTime));
        };
        let date = date_of_time(time);
        match self.known {
            _ if !self.is_possible(time) => (counted, Some(Reason::ImpossibleTime)),
            Some(known) if known != date => (known, Some(Reason::WrongDate)),
            _ => (date, None),
        }
    }
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
        let facts = facts(archive, &objects, range).await?;
        let objects: Vec<ObjectCensus> = (objects.into_iter().zip(facts))
            .map(|(object, facts)| count(archive, object, facts, range))
            .collect();
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
        for (date, count) in groups(&self.objects).flat_map(|group| group.dates_in(range)) {
            *rows.entry(*date).or_default() += count;
        }
        rows
    }

    /// Returns the rows and objects on each date of `range`, as [`ArchiveSource::inputs`] does.
    pub(crate) fn dated(&self, range: DateRange) -> BTreeMap<NaiveDate, DateInput> {
        let mut dates: BTreeMap<NaiveDate, DateInput> = BTreeMap::new();
        let dated = self.objects.iter().filter(|object| !object.date_unknown);
        for (date, rows) in dated.flat_map(ObjectCensus::dates) {
            if range.contains(date) {
                let input = dates.entry(date).or_default();
                input.rows += rows;
                input.objects += 1;
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

    /// Whether the rows of `range` are ordered by site: a row group has a sixteenth of the sites or less, in the mean of
    /// the rows. A bucket then reads its part of the archive and little more.
    pub(crate) fn is_by_site(&self, range: DateRange) -> bool {
        let (mut rows, mut parts) = (0, 0);
        for group in groups(&self.objects) {
            let counted = group.dates_in(range).map(|(_, rows)| u128::from(*rows));
            let counted: u128 = counted.sum();
            let sites = group.sites.as_ref();
            let part = sites.map_or(u64::MAX, |sites| sites.end().saturating_sub(*sites.start()));
            rows += counted;
            parts += counted * u128::from(part >> 32);
        }
        rows > 0 && parts <= rows * (u128::from(u32::MAX) / 16)
    }
}

fn groups(objects: &[ObjectCensus]) -> impl Iterator<Item = &RowGroupCensus> {
    objects
        .iter()
        .filter_map(|object| object.row_groups.as_ref().ok())
        .flatten()
}

/// Returns the facts of `objects`, or why one cannot be opened. Reads those that were not kept.
async fn facts(
    archive: &ArchiveSource,
    objects: &[ArchiveObject],
    range: DateRange,
) -> Result<Vec<Result<ObjectFacts, String>>, EngineError> {
    let needs_times = |object: &ArchiveObject, group: &RowGroupFacts| {
        let has_date = archive.by_date && object.folder_date.is_some();
        !has_date && group.needs_times(archive.possible_dates, range)
    };
    let mut kept = KeptFacts::read(archive, objects, range).await;
    let known = objects.iter().map(|object| {
        let facts = kept.take(object)?;
        let lacks_times =
            |group: &RowGroupFacts| group.times.is_none() && needs_times(object, group);
        (!facts.row_groups.iter().any(lacks_times)).then_some(facts)
    });
    let known: Vec<_> = objects.iter().zip(known).collect();
    let is_complete = known.iter().all(|(_, facts)| facts.is_some());
    let facts: Vec<_> = futures::stream::iter(known)
        .map(|(object, known)| async move {
            match known {
                Some(facts) => Ok(Ok(facts)),
                None => read_facts(archive, object, |group| needs_times(object, group)).await,
            }
        })
        .buffered(CONCURRENT_OBJECTS)
        .try_collect()
        .await?;
    if !is_complete {
        kept.replace(objects, &facts).await;
    }
    Ok(facts)
}

/// Counts the rows of an object on the dates of `range`. Without facts, it cannot be opened.
fn count(
    archive: &ArchiveSource,
    object: ArchiveObject,
    facts: Result<ObjectFacts, String>,
    range: DateRange,
) -> ObjectCensus {
    let possible = archive.possible_dates;
    let (version, row_groups) = match facts {
        Ok(facts) => (facts.version, Ok(facts.row_groups)),
        Err(error) => (None, Err(error)),
    };
    let folder = object.folder_date;
    let earliest = row_groups.iter().flatten();
    let earliest = earliest.filter_map(|group| group.earliest(possible)).min();
    let known = folder.or(earliest);
    let fallback_date = known.unwrap_or(range.first());
    let deciding = folder.filter(|_| archive.by_date || row_groups.is_err());
    let counted = |group: RowGroupFacts| {
        let date = deciding.or_else(|| group.only_date(possible));
        let (dates, read_error) = match (date, group.times) {
            (Some(date), _) => (BTreeMap::from([(date, group.rows)]), None),
            (None, Some(Ok(counts))) => (dates(counts, possible, fallback_date), None),
            (None, Some(Err(error))) => {
                let dates = BTreeMap::from([(fallback_date, group.rows)]);
                (dates, Some(error))
            }
            // All dates are outside of the range.
            (None, None) => (BTreeMap::new(), None),
        };
        let dates = dates.into_iter();
        RowGroupCensus {
            html_bytes: group.html_bytes,
            rows: group.rows,
            dates: dates
                .filter(|(date, rows)| *rows > 0 && range.contains(*date))
                .collect(),
            date,
            sites: group.sites,
            read_error,
        }
    };
    ObjectCensus {
        version,
        fallback_date,
        date_unknown: known.is_none(),
        earliest: deciding.or(earliest),
        row_groups: row_groups.map(|groups| groups.into_iter().map(counted).collect()),
        object,
    }
}

/// Returns the rows per date. Rows without a possible time count on `fallback`.
fn dates(counts: DateCounts, possible: DateRange, fallback: NaiveDate) -> BTreeMap<NaiveDate, u64> {
    let mut dates = BTreeMap::new();
    for (date, rows) in counts {
        let date = date.filter(|date| possible.contains(*date));
        *dates.entry(date.unwrap_or(fallback)).or_default() += rows;
    }
    dates
}

/// Returns `whole * of / all`: the part of `whole` that belongs to `of` of `all` rows, of which
/// there are at least `of`.
pub(crate) fn share(whole: u64, of: u64, all: u64) -> u64 {
    let part = u128::from(whole) * u128::from(of) / u128::from(all.max(1));
    // Never saturates: the part is at most `whole`.
    u64::try_from(part).unwrap_or(u64::MAX)
}
