//! Cutting a run into chunks.

use tables::DateRange;

/// What a file that is being written holds: a million pages on 100 dates, two writers
/// and four tables took 1.15 GB more than on three months.
const OPEN_FILE_BYTES: usize = 3 << 19;

/// Tables that every page has a part in, or may have.
const TABLES: usize = 4;

/// Bytes of memory for a row of the chunk. Of all rows the URL keys are held at once, to
/// look them up, and what sorts spill is merged at once: 256,000 pages were refused at
/// 48 MB, and a million went through at 512 MB.
const ROW_BYTES: usize = 512;

/// How much a chunk may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkSize {
    /// Bytes of HTML.
    pub(crate) html_bytes: u64,
    /// Archive rows.
    pub(crate) rows: u64,
    /// Partitions with rows.
    pub(crate) partitions: usize,
}

impl ChunkSize {
    /// At most `html_bytes` of HTML, and no more than a plan on so many `threads` can work
    /// on with so many bytes of `memory`. For each partition files are open on every
    /// thread, and hold half of the memory at most; where that is little for many threads,
    /// more, for chunks much shorter than a window would read it over and over.
    pub(crate) fn new(html_bytes: u64, memory: usize, threads: usize) -> Self {
        let of_one_partition = OPEN_FILE_BYTES * TABLES * threads.max(1);
        Self {
            html_bytes,
            rows: (memory / ROW_BYTES) as u64,
            partitions: (memory / 2 / of_one_partition).clamp(16, 512),
        }
    }

    fn has_room_for(self, other: Self) -> bool {
        self.html_bytes >= other.html_bytes
            && self.rows >= other.rows
            && self.partitions >= other.partitions
    }

    fn and(self, other: Self) -> Self {
        Self {
            html_bytes: self.html_bytes.saturating_add(other.html_bytes),
            rows: self.rows.saturating_add(other.rows),
            partitions: self.partitions + other.partitions,
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

    fn size(html_bytes: u64, rows: u64) -> ChunkSize {
        ChunkSize {
            html_bytes,
            rows,
            partitions: usize::from(rows > 0),
        }
    }

    fn cut(sizes: &[u64], html_bytes: u64, rows: u64) -> Vec<String> {
        let range: DateRange = "2011-10-24..2011-10-28".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        let of = |day: DateRange| {
            let bytes = sizes[days.iter().position(|other| *other == day).unwrap()];
            size(bytes, bytes / 2)
        };
        let most = ChunkSize {
            html_bytes,
            rows,
            partitions: 512,
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

    #[test]
    fn a_chunk_has_few_partitions_with_rows_and_any_number_without() {
        let range: DateRange = "2001-01-01..2010-12-31".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        let most = ChunkSize {
            html_bytes: u64::MAX,
            rows: u64::MAX,
            partitions: 42,
        };
        assert_eq!(chunks(&days, |_| size(0, 0), most).len(), 1);
        let full = chunks(&days, |_| size(1, 1), most);
        assert_eq!(full.len(), days.len().div_ceil(42));
        assert_eq!(full[0].through(full[full.len() - 1]), range);
    }

    #[test]
    fn more_memory_opens_more_files_and_more_threads_fewer() {
        let partitions = |memory, threads| ChunkSize::new(1, memory, threads).partitions;
        assert_eq!(partitions(1 << 30, 2), 42);
        assert_eq!(partitions(4 << 30, 2), 170);
        assert_eq!(partitions(4 << 30, 16), 21);
        assert_eq!(partitions(48 << 20, 2), 16);
        assert_eq!(partitions(64 << 30, 2), 512);
    }

    #[test]
    fn so_many_rows_were_too_many_for_48_megabytes() {
        assert!(ChunkSize::new(1, 48_000_000, 2).rows < 256_000);
    }
}
