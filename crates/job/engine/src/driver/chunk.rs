//! Cutting a run into chunks.

use tables::DateRange;

/// Bytes of memory that sorts and joins have for a row of the chunk. Of all rows with a URL
/// key 8 bytes are held, to look it up, and 16 while they are collected.
const ROW_BYTES: u64 = 32;

/// Memory times memory for a row of the chunk, in bytes. What a sort spills comes in runs as
/// large as the memory, and merging takes a buffer for each run: 330,000 thin pages were
/// too much for 48 MB, beside earlier ones.
const ROW_SQUARE: u64 = 20_000_000_000;

/// So many rows are never too many.
const FEW_ROWS: u64 = 10_000;

/// How much there is in a chunk, or may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkSize {
    /// Bytes of HTML.
    pub(crate) html_bytes: u64,
    /// Archive rows.
    pub(crate) rows: u64,
}

impl ChunkSize {
    /// At most `html_bytes` of HTML, and no more than a plan can work on with so many
    /// bytes of `plan_memory`.
    pub(crate) fn most(html_bytes: u64, plan_memory: usize) -> Self {
        let memory = plan_memory as u64;
        let merged = memory.saturating_mul(memory) / ROW_SQUARE;
        Self {
            html_bytes,
            rows: merged.min(memory / ROW_BYTES).max(FEW_ROWS),
        }
    }

    fn has_room_for(self, other: Self) -> bool {
        self.html_bytes >= other.html_bytes && self.rows >= other.rows
    }

    fn and(self, other: Self) -> Self {
        Self {
            html_bytes: self.html_bytes.saturating_add(other.html_bytes),
            rows: self.rows.saturating_add(other.rows),
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
            ChunkSize {
                html_bytes: bytes,
                rows: bytes / 2,
            }
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

    /// Days of the first chunk of ten years, with so many rows each.
    fn days(rows: u64, plan_memory: usize) -> usize {
        let range: DateRange = "2001-01-01..2010-12-31".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        let size = |_| ChunkSize {
            html_bytes: 1 << 20,
            rows,
        };
        let chunks = chunks(&days, size, ChunkSize::most(u64::MAX, plan_memory));
        let last = chunks.last().copied().unwrap();
        assert_eq!(chunks[0].through(last), range);
        Partitioning::Day.partitions(chunks[0]).len()
    }

    #[test]
    fn dates_of_few_rows_are_many_to_a_chunk() {
        assert_eq!(days(100_000, 512 << 20), 144);
        assert_eq!(days(10_000, 512 << 20), 1_441);
        assert_eq!(days(1_000, 512 << 20), 3_652);
    }

    #[test]
    fn a_fourth_of_the_memory_is_for_a_sixteenth_of_the_rows() {
        assert_eq!(days(10_000, 128 << 20), 90);
        assert_eq!(days(8_000, 48_000_000), 14);
        assert_eq!(days(1_000, 1_000), 10);
        assert_eq!(days(200_000_000, 8 << 30), 1);
    }
}
