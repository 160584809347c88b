//! Small data files of some sites as one.
//!
//! A crawl in 64 units leaves 64 files of a date and table, of some kilobytes each, and a night over a hundred sites would
//! open them all. So the files of neighbouring buckets become one before they are committed.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use bytes::Bytes;
use deltalake::kernel::Add;
use deltalake::{DeltaResult, DeltaTableError};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::ObjectStoreExt;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::{Bucket, Output, SinkSize, Table, TableError, TableFormat, days_from_date};

/// Bytes that a merged file has at least, if its partition has them. More makes units of later runs read the sites of
/// other units, less makes nights open more files.
const LEAST_BYTES: u64 = 2 << 20;

/// Files of at most twice [`LEAST_BYTES`] that are read at once.
const READ_AT_ONCE: usize = 8;

impl Output {
    /// Writes the small ones of `files` that are of buckets of `table` to fewer files, and returns the files to commit. `files`
    /// are `add` actions as JSON. A vacuum removes those that are not committed.
    ///
    /// # Errors
    /// [`TableError`] if the store fails, or a file is not as it was written.
    pub async fn merge_small(
        &self,
        table: Table,
        files: Vec<String>,
    ) -> Result<Vec<String>, TableError> {
        // Other tables have no buckets.
        if !Table::STATE.contains(&table) || self.format() != TableFormat::Delta {
            return Ok(files);
        }
        let merged = self.merged(table, files).await;
        merged.map_err(|error| self.error(table, error))
    }

    async fn merged(&self, table: Table, files: Vec<String>) -> DeltaResult<Vec<String>> {
        let least_bytes = self.target_file_bytes().get().min(LEAST_BYTES);
        let mut merged = Vec::new();
        let mut partitions: BTreeMap<i32, Vec<(Bucket, Add)>> = BTreeMap::new();
        for file in files {
            let add: Add = serde_json::from_str(&file)?;
            let small = Bucket::of_file(&add.path).filter(|_| bytes(&add) <= 2 * least_bytes);
            match small.zip(self.first_day(table, &add)) {
                Some((bucket, day)) => partitions.entry(day).or_default().push((bucket, add)),
                None => merged.push(file),
            }
        }
        for (day, small) in partitions {
            for (bucket, adds) in by_larger_buckets(small, least_bytes) {
                merged.extend(self.merge(table, day, bucket, &adds).await?);
            }
        }
        Ok(merged)
    }

    /// Returns the first day of the partition of a file.
    fn first_day(&self, table: Table, add: &Add) -> Option<i32> {
        let partitioning = self.partitioning_of(table);
        let value = add.partition_values.get(partitioning.column())?;
        let dates = partitioning.parse_value(value.as_deref()?)?;
        Some(days_from_date(dates.first()))
    }

    /// Writes the rows of `adds`, in their order, to a file of `bucket`.
    async fn merge(
        &self,
        table: Table,
        day: i32,
        bucket: Bucket,
        adds: &[Add],
    ) -> DeltaResult<Vec<String>> {
        if let [add] = adds {
            return Ok(vec![serde_json::to_string(add)?]);
        }
        let folder = self.written_to(table);
        let mut contents = stream::iter(adds)
            .map(async |add| {
                let path = folder.below(&add.path);
                let object = folder.store().get(&path).await?;
                Ok::<Bytes, DeltaTableError>(object.bytes().await?)
            })
            .buffered(READ_AT_ONCE);
        let files = self.data_files(table, SinkSize::default()).of_sites(bucket);
        let mut file = files.open(day)?;
        while let Some(content) = contents.try_next().await? {
            for rows in ParquetRecordBatchReaderBuilder::try_new(content)?.build()? {
                file.write(&rows?).await?;
            }
        }
        file.close().await
    }
}

/// Returns the files by the smallest buckets that have `least_bytes` in the mean, in the order of their sites.
fn by_larger_buckets(
    mut files: Vec<(Bucket, Add)>,
    least_bytes: u64,
) -> BTreeMap<Bucket, Vec<Add>> {
    files.sort_by(|(a, one), (b, other)| (a, &one.path).cmp(&(b, &other.path)));
    let most = files.iter().map(|(_, add)| bytes(add)).sum::<u64>() / least_bytes.max(1);
    let larger = |bucket: Bucket| {
        let counts = (1..=bucket.of().get())
            .rev()
            .filter(|count| u64::from(*count) <= most.max(1));
        let mut larger = counts.filter_map(|count| bucket.within(NonZeroU32::new(count)?));
        larger.next().unwrap_or(bucket)
    };
    let mut merged: BTreeMap<Bucket, Vec<Add>> = BTreeMap::new();
    for (bucket, add) in files {
        merged.entry(larger(bucket)).or_default().push(add);
    }
    merged
}

fn bytes(add: &Add) -> u64 {
    u64::try_from(add.size).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folders of merged files for files of these bytes, one of each bucket.
    fn merged(sizes: &[u64]) -> Vec<(String, usize)> {
        let count = u32::try_from(sizes.len()).unwrap().try_into().unwrap();
        let files = Bucket::all(count).zip(sizes).map(|(bucket, bytes)| {
            let add = Add {
                path: format!("date=2011-10-24/{}/part", bucket.folder()),
                size: i64::try_from(*bytes).unwrap(),
                ..Add::default()
            };
            (bucket, add)
        });
        let merged = by_larger_buckets(files.collect(), LEAST_BYTES);
        let merged = merged
            .iter()
            .map(|(bucket, adds)| (bucket.to_string(), adds.len()));
        merged.collect()
    }

    #[test]
    fn small_files_share_the_smallest_bucket_that_makes_them_large_enough() {
        assert_eq!(merged(&[1000; 64]), [("1/1".to_owned(), 64)]);
        let four = merged(&[1 << 20; 8]);
        assert_eq!(four.len(), 4);
        assert!(four.iter().all(|(_, files)| *files == 2), "{four:?}");
        // 6 buckets in 4 would share sites.
        assert_eq!(merged(&[3 << 19; 6]).len(), 3);
        assert_eq!(merged(&[LEAST_BYTES; 5]).len(), 5);
    }
}
