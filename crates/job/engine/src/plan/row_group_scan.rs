//! The leaf of the plan: the row groups of a chunk, assigned to partitions.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arrow::array::{
    Date32Builder, Int32Builder, Int64Builder, RecordBatch, StringBuilder, UInt64Builder,
};
use chrono::NaiveDate;
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use tables::{Bucket, DateRange, days_from_date};
use url_key::hash;

use crate::archive::{Census, ObjectCensus};
use crate::job::Job;
use crate::plan::columns::schemas::ROW_GROUPS;

/// Lists the row groups with rows of `chunk` and `bucket` as a table of [`ROW_GROUPS`]. Each row group goes
/// to the partition with the fewest archive rows so far, so that partitions get about the same
/// number of rows.
pub(crate) fn row_group_scan(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    bucket: Bucket,
) -> Result<LogicalPlan> {
    let mut partitions: Vec<Partition> = (0..job.resources.threads)
        .map(|_| Partition::default())
        .collect();
    for object in census.objects() {
        let units = scan_units(object, chunk).into_iter();
        for unit in units.filter(|unit| unit.has_rows_of(bucket)) {
            assign(&mut partitions, object, &unit)?;
        }
    }
    let batches = partitions
        .into_iter()
        .map(|partition| Ok(vec![partition.columns.finish()?]))
        .collect::<Result<Vec<_>>>()?;
    let table = MemTable::try_new(Arc::clone(&ROW_GROUPS), batches)?;
    LogicalPlanBuilder::scan("row_groups", provider_as_source(Arc::new(table)), None)?.build()
}

/// A row group, or an object that cannot be opened.
struct ScanUnit<'a> {
    /// `None` for an object that cannot be opened.
    row_group: Option<usize>,
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
                row_group: Some(index),
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

/// Adds `unit` to the partition with the fewest rows.
fn assign(partitions: &mut [Partition], object: &ObjectCensus, unit: &ScanUnit<'_>) -> Result<()> {
    match partitions.iter_mut().min_by_key(|partition| partition.rows) {
        Some(partition) => {
            partition.rows += unit.rows;
            partition.columns.append(object, unit)
        }
        None => Ok(()),
    }
}

#[derive(Default)]
struct Partition {
    /// Archive rows in the assigned row groups.
    rows: u64,
    columns: RowGroupColumns,
}

#[derive(Default)]
struct RowGroupColumns {
    source: StringBuilder,
    object_bytes: Int64Builder,
    object_version: StringBuilder,
    row_group: Int32Builder,
    fallback_date: Date32Builder,
    known_date: Date32Builder,
    owner: UInt64Builder,
    read_error: StringBuilder,
}

impl RowGroupColumns {
    fn append(&mut self, object: &ObjectCensus, unit: &ScanUnit<'_>) -> Result<()> {
        let source = &object.object.source;
        let too_large = |what: &str, value: &dyn std::fmt::Display| {
            DataFusionError::Execution(format!("{source}: {what} {value} is too large"))
        };
        let bytes = object.object.bytes;
        let bytes = i64::try_from(bytes).map_err(|_| too_large("size in bytes", &bytes))?;
        let row_group = unit.row_group.map(|row_group| {
            i32::try_from(row_group).map_err(|_| too_large("row group", &row_group))
        });
        self.source.append_value(source);
        self.object_bytes.append_value(bytes);
        self.object_version.append_option(object.version.as_deref());
        self.row_group.append_option(row_group.transpose()?);
        self.fallback_date
            .append_value(days_from_date(object.fallback_date));
        self.known_date.append_option(unit.date.map(days_from_date));
        self.owner.append_value(unit.owner);
        self.read_error.append_option(unit.read_error);
        Ok(())
    }

    fn finish(mut self) -> Result<RecordBatch> {
        Ok(RecordBatch::try_new(
            Arc::clone(&ROW_GROUPS),
            vec![
                Arc::new(self.source.finish()),
                Arc::new(self.object_bytes.finish()),
                Arc::new(self.object_version.finish()),
                Arc::new(self.row_group.finish()),
                Arc::new(self.fallback_date.finish()),
                Arc::new(self.known_date.finish()),
                Arc::new(self.owner.finish()),
                Arc::new(self.read_error.finish()),
            ],
        )?)
    }
}
