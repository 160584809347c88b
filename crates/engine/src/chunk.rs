//! Cutting a run into chunks.

use tables::DateRange;

/// What a file that is being written holds at most: a row group and what waits to be
/// sent. A million pages on 100 dates, two writers and four tables took 1.15 GB more than
/// on three months.
const OPEN_FILE_BYTES: u64 = 1_400 << 10;

/// Bytes of memory for a row of the chunk. Of all rows the URL keys are held at once, to
/// look them up, and what sorts spill is merged at once: 256,000 pages were refused at
/// 48 MB, and a million went through at 512 MB.
const ROW_BYTES: usize = 512;

/// So many rows are never too many.
const FEW_ROWS: u64 = 10_000;

/// With little memory for many threads a chunk has so many partitions all the same: one
/// much shorter than a window would read it over and over.
const FEW_PARTITIONS: usize = 16;

/// How much there is in a chunk, or may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkSize {
    /// Bytes of HTML.
    html_bytes: u64,
    /// Archive rows.
    rows: u64,
    /// Partitions with rows.
    partitions: usize,
    /// Bytes that files hold while they are written: for each partition with many rows
    /// they are open until the end, on every thread.
    open_bytes: u64,
}

impl ChunkSize {
    /// At most `html_bytes` of HTML, and no more than a plan can work on with so many
    /// bytes of `memory`, a quarter of which may be in open files.
    pub(crate) fn most(html_bytes: u64, memory: usize) -> Self {
        Self {
            html_bytes,
            rows: FEW_ROWS.max((memory / ROW_BYTES) as u64),
            partitions: FEW_PARTITIONS,
            open_bytes: (memory / 4) as u64,
        }
    }

    /// One partition, in so many `files` if it has many rows.
    pub(crate) fn of_partition(html_bytes: u64, rows: u64, files: usize) -> Self {
        Self {
            html_bytes,
            rows,
            partitions: usize::from(rows > 0),
            open_bytes: html_bytes.min(files as u64 * OPEN_FILE_BYTES),
        }
    }

    fn has_room_for(self, other: Self) -> bool {
        self.html_bytes >= other.html_bytes
            && self.rows >= other.rows
            && (self.open_bytes >= other.open_bytes || self.partitions >= other.partitions)
    }

    fn and(self, other: Self) -> Self {
        Self {
            html_bytes: self.html_bytes.saturating_add(other.html_bytes),
            rows: self.rows.saturating_add(other.rows),
            partitions: self.partitions + other.partitions,
            open_bytes: self.open_bytes.saturating_add(other.open_bytes),
        }
    }
}

/// Chunks of consecutive `partitions` of these sizes, each of `most` at most; a partition
/// that is larger by itself is a chunk of its own.
pub(crate) fn chunks(
    partitions: &[DateRange],
    size: impl Fn(DateRange) -> ChunkSize,
    most: ChunkSize,
) -> Vec<DateRange> {
    let mut chunks: Vec<(DateRange, ChunkSize)> = Vec::new();
    for partition in partitions {
        let size = size(*partition);
        match chunks.last_mut() {
            Some((dates, filled)) if most.has_room_for(filled.and(size)) => {
                *dates = dates.through(*partition);
                *filled = filled.and(size);
            }
            _ => chunks.push((*partition, size)),
        }
    }
    chunks.into_iter().map(|(dates, _)| dates).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tables::Partitioning;

    fn cut(sizes: &[u64], html_bytes: u64, rows: u64) -> Vec<String> {
        let range: DateRange = "2011-10-24..2011-10-28".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        let of = |day: DateRange| {
            let bytes = sizes[days.iter().position(|other| *other == day).unwrap()];
            ChunkSize::of_partition(bytes, bytes / 2, 1)
        };
        let most = ChunkSize {
            rows,
            ..ChunkSize::most(html_bytes, usize::MAX)
        };
        (chunks(&days, of, most).iter())
            .map(|chunk| chunk.to_string())
            .collect()
    }

    #[test]
    fn chunks_fill_up_to_their_size_and_keep_every_date() {
        let expected = [
            "2011-10-24..2011-10-25",
            "2011-10-26",
            "2011-10-27",
            "2011-10-28",
        ];
        assert_eq!(cut(&[4, 4, 4, 9, 2], 8, u64::MAX), expected);
        assert_eq!(cut(&[4, 4, 4, 9, 2], u64::MAX, 4), expected);
        assert_eq!(cut(&[0, 0, 0, 0, 0], 0, 0), ["2011-10-24..2011-10-28"]);
        assert_eq!(cut(&[2, 2, 2, 2, 2], 0, u64::MAX).len(), 5);
    }

    /// Partitions of the first chunk of ten years, of so many bytes and rows each in four
    /// tables.
    fn partitions(html_bytes: u64, rows: u64, memory: usize, threads: usize) -> usize {
        let range: DateRange = "2001-01-01..2010-12-31".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        let size = |_| ChunkSize::of_partition(html_bytes, rows, 4 * threads);
        let chunks = chunks(&days, size, ChunkSize::most(u64::MAX, memory));
        let last = chunks.last().copied().unwrap();
        assert_eq!(chunks[0].through(last), range);
        Partitioning::Day.partitions(chunks[0]).len()
    }

    #[test]
    fn more_memory_opens_more_files_and_more_threads_fewer() {
        let mib = 1 << 20;
        assert_eq!(partitions(12 * mib, 10_000, 1 << 30, 2), 23);
        assert_eq!(partitions(12 * mib, 10_000, 4 << 30, 2), 93);
        assert_eq!(partitions(12 * mib, 10_000, 1 << 30, 16), 21);
        assert_eq!(partitions(120 * mib, 10_000, 1 << 30, 16), FEW_PARTITIONS);
        assert_eq!(partitions(12 * mib, 1_000, 48 << 20, 2), FEW_PARTITIONS);
        assert_eq!(partitions(12 * mib, 10_000, 64 << 30, 2), 1_497);
    }

    #[test]
    fn dates_of_few_rows_are_many_to_a_chunk_and_empty_ones_any_number() {
        assert_eq!(partitions(3 << 20, 100, 1 << 30, 2), 85);
        assert_eq!(partitions(30 << 10, 1, 1 << 30, 16), 3_652);
        assert_eq!(partitions(0, 0, 1, 2), 3_652);
    }

    #[test]
    fn so_many_rows_were_too_many_for_48_megabytes() {
        assert_eq!(partitions(0, 64_000, 48_000_000, 2), 1);
        assert_eq!(partitions(0, 8_000, 48_000_000, 2), 11);
        assert_eq!(partitions(0, 1_000, 1_000, 2), 10);
    }
}
