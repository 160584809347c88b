//! The leaf of the plan: the row groups of a chunk, assigned to partitions.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow::array::RecordBatch;
use chrono::NaiveDate;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::error::Result;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use tables::{Bucket, DateRange, days_from_date};
use url_key::hash;

use crate::archive::{Census, ObjectCensus};
use crate::job::Job;
use crate::plan::columns::column::{column, dates};
use crate::plan::columns::schemas::{ROW_GROUPS, rows_of};

/// Lists the row groups with rows of `chunk` and `bucket` as a table of [`ROW_GROUPS`]. Each row group goes
/// to the partition with the fewest archive rows so far, so that partitions get about the same
/// number of rows.
pub(crate) fn row_group_scan(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    bucket: Bucket,
) -> Result<LogicalPlan> {
    let mut partitions: Vec<Partition<'_>> = (0..job.resources.threads)
        .map(|_| Partition::default())
        .collect();
    let units = census
        .objects()
        .iter()
        .flat_map(|object| scan_units(object, chunk));
    for unit in units.filter(|unit| unit.has_rows_of(bucket)) {
        let least = partitions.iter_mut().min_by_key(|partition| partition.rows);
        if let Some(partition) = least {
            partition.rows += unit.rows;
            partition.units.push(unit);
        }
    }
    let batches = partitions.iter();
    let batches = batches.map(|partition| Ok(vec![row_groups(&partition.units)?]));
    let batches = batches.collect::<Result<Vec<_>>>()?;
    let table = MemTable::try_new(Arc::clone(&ROW_GROUPS), batches)?;
    LogicalPlanBuilder::scan("row_groups", provider_as_source(Arc::new(table)), None)?.build()
}

#[derive(Default)]
struct Partition<'a> {
    /// Archive rows in the units.
    rows: u64,
    units: Vec<ScanUnit<'a>>,
}

/// A row group, or an object that cannot be opened.
struct ScanUnit<'a> {
    object: &'a ObjectCensus,
    /// `None` for an object that cannot be opened.
    row_group: Option<i32>,
    rows: u64,
    /// The date on which all rows count, if it is known.
    date: Option<NaiveDate>,
    /// The sites, if they are known.
    sites: Option<&'a RangeInclusive<u64>>,
    /// The site whose bucket has the rows without a site.
    owner: u64,
    read_error: Option<&'a str>,
}

impl ScanUnit<'_> {
    fn has_rows_of(&self, bucket: Bucket) -> bool {
        self.sites.is_none_or(|sites| bucket.overlaps(sites))
    }
}

/// Returns the site whose bucket has the rows of a row group without a site: one that the row group has, so that
/// rows of a damaged row group are found where it is read. Objects without row groups have -1.
pub(crate) fn owner(source: &str, row_group: i64, sites: Option<&RangeInclusive<u64>>) -> u64 {
    let any = || hash(&format!("{source} {row_group}"));
    sites.map_or_else(any, |sites| *sites.start())
}

/// Returns the row groups of `object` with rows of `chunk`. An object that cannot be opened
/// is one unit, in the chunk of its fallback date.
fn scan_units(object: &ObjectCensus, chunk: DateRange) -> Vec<ScanUnit<'_>> {
    match &object.row_groups {
        Err(error) if chunk.contains(object.fallback_date) => vec![ScanUnit {
            object,
            row_group: None,
            rows: 1,
            date: None,
            sites: None,
            owner: owner(&object.object.source, -1, None),
            read_error: Some(error),
        }],
        Err(_) => Vec::new(),
        Ok(row_groups) => row_groups
            .iter()
            .enumerate()
            .filter(|(_, row_group)| row_group.dates.keys().any(|date| chunk.contains(*date)))
            .map(|(index, row_group)| ScanUnit {
                object,
                row_group: Some(index as i32),
                rows: row_group.rows,
                date: row_group.date,
                sites: row_group.sites.as_ref(),
                owner: owner(
                    &object.object.source,
                    index as i64,
                    row_group.sites.as_ref(),
                ),
                read_error: row_group.read_error.as_deref(),
            })
            .collect(),
    }
}

/// Returns `units` as rows of [`ROW_GROUPS`].
fn row_groups(units: &[ScanUnit<'_>]) -> Result<RecordBatch> {
    let fallback = |unit: &ScanUnit<'_>| Some(days_from_date(unit.object.fallback_date));
    let columns = vec![
        column("source", units, |unit| Some(&*unit.object.object.source)),
        column("object_bytes", units, |unit| Some(unit.object.object.bytes)),
        column("object_version", units, |unit| {
            unit.object.version.as_deref()
        }),
        column("row_group", units, |unit| unit.row_group),
        dates("fallback_date", units, fallback),
        dates("known_date", units, |unit| unit.date.map(days_from_date)),
        column("owner", units, |unit| Some(unit.owner)),
        column("read_error", units, |unit| unit.read_error),
    ];
    rows_of(&ROW_GROUPS, columns)
}
