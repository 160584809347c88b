//! Cuts a run into chunks.

use tables::DateRange;

/// Plan memory in bytes per archive row. The chunk's key-hash set takes 8 bytes per row, 16
/// while it is built. Lower fails chunks that do not fit, higher makes shorter chunks, each
/// of which reads the windows again.
const ROW_BYTES: u64 = 32;

/// Limits a chunk to memory² / `ROW_SQUARE` rows, in bytes² per row. An external sort writes
/// runs of about the size of its memory and needs one buffer per run to merge them, so the
/// rows that it can sort in one pass grow with memory². A lower value merges in more passes over
/// the disk, a higher one makes shorter chunks.
const ROW_SQUARE: u64 = 20_000_000_000;

/// Rows that a chunk may always have, however small the memory.
const MIN_CHUNK_ROWS: u64 = 10_000;

/// The size of a chunk, or its limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkSize {
    /// Bytes of HTML.
    pub(crate) html_bytes: u64,
    /// Archive rows.
    pub(crate) rows: u64,
}

impl ChunkSize {
    /// Limits a chunk to `html_bytes` of HTML, and to the rows that a plan can sort with
    /// `plan_memory` bytes.
    pub(crate) fn limit(html_bytes: u64, plan_memory: usize) -> Self {
        let memory = plan_memory as u64;
        let merged = memory.saturating_mul(memory) / ROW_SQUARE;
        Self {
            html_bytes,
            rows: merged.min(memory / ROW_BYTES).max(MIN_CHUNK_ROWS),
        }
    }

    fn fits(self, other: Self) -> bool {
        self.html_bytes >= other.html_bytes && self.rows >= other.rows
    }

    fn plus(self, other: Self) -> Self {
        Self {
            html_bytes: self.html_bytes.saturating_add(other.html_bytes),
            rows: self.rows.saturating_add(other.rows),
        }
    }
}

/// Cuts `dates` into chunks. `partitions` are those that have input, in order: consecutive ones share a
/// chunk of at most `limit`, and one above the limit is its own chunk. A chunk begins after the one before it, and the last
/// one ends with `dates`: rows of partitions that have no input any more are removed with it.
pub(crate) fn chunks(
    dates: DateRange,
    partitions: &[DateRange],
    size: impl Fn(DateRange) -> ChunkSize,
    limit: ChunkSize,
) -> Vec<DateRange> {
    let mut chunks: Vec<(DateRange, ChunkSize)> = Vec::new();
    for partition in partitions {
        let size = size(*partition);
        match chunks.last_mut() {
            Some((dates, filled)) if limit.fits(filled.plus(size)) => {
                *dates = dates.through(*partition);
                *filled = filled.plus(size);
            }
            _ => chunks.push((*partition, size)),
        }
    }
    let mut ends: Vec<_> = chunks.into_iter().map(|(chunk, _)| chunk.last()).collect();
    ends.pop();
    ends.push(dates.last());
    let mut first = dates.first();
    let next = ends.into_iter().map(|last| {
        let chunk = DateRange::between(first, last);
        first = last.succ_opt().unwrap_or(last);
        chunk
    });
    next.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tables::Partitioning;

    fn days_of(range: DateRange) -> Vec<DateRange> {
        let days = range.first().iter_days();
        Partitioning::Day.containing(days.take_while(|day| range.contains(*day)))
    }

    fn cut(sizes: &[u64], html_bytes: u64, rows: u64) -> Vec<String> {
        let range: DateRange = "2011-10-24..2011-10-28".parse().unwrap();
        let days = days_of(range);
        let size = |day: DateRange| {
            let bytes = sizes[days.iter().position(|other| *other == day).unwrap()];
            ChunkSize {
                html_bytes: bytes,
                rows: bytes / 2,
            }
        };
        let limit = ChunkSize {
            rows,
            ..ChunkSize::limit(html_bytes, usize::MAX)
        };
        (chunks(range, &days, size, limit).iter())
            .map(|chunk| chunk.to_string())
            .collect()
    }

    #[test]
    fn chunks_fill_up_to_the_limit_and_keep_every_date() {
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

    /// Returns the days of the first chunk of ten years of days with `rows` rows each.
    fn days(rows: u64, plan_memory: usize) -> usize {
        let range: DateRange = "2001-01-01..2010-12-31".parse().unwrap();
        let days = days_of(range);
        let size = |_| ChunkSize {
            html_bytes: 1 << 20,
            rows,
        };
        let chunks = chunks(range, &days, size, ChunkSize::limit(u64::MAX, plan_memory));
        let last = chunks.last().copied().unwrap();
        assert_eq!(chunks[0].through(last), range);
        days_of(chunks[0]).len()
    }

    #[test]
    fn chunks_have_the_dates_without_input_too() {
        let range: DateRange = "1990-01-01..2030-12-31".parse().unwrap();
        let dates = ["1995-06-01", "2011-10-24", "2011-10-25", "2020-01-01"];
        let days = Partitioning::Day.containing(dates.map(|date| date.parse().unwrap()));
        let size = |_| ChunkSize {
            html_bytes: 1,
            rows: 1,
        };
        let cut = |partitions: &[DateRange], html_bytes| {
            let limit = ChunkSize::limit(html_bytes, usize::MAX);
            let chunks = chunks(range, partitions, size, limit);
            chunks.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let expected = ["1990-01-01..2011-10-24", "2011-10-25..2030-12-31"];
        assert_eq!(cut(&days, 2), expected);
        assert_eq!(cut(&days, 4), ["1990-01-01..2030-12-31"]);
        assert_eq!(cut(&[], 4), ["1990-01-01..2030-12-31"]);
    }

    #[test]
    fn small_dates_share_a_chunk() {
        assert_eq!(days(100_000, 512 << 20), 144);
        assert_eq!(days(10_000, 512 << 20), 1_441);
        assert_eq!(days(1_000, 512 << 20), 3_652);
    }

    #[test]
    fn a_quarter_of_the_memory_sorts_a_sixteenth_of_the_rows() {
        assert_eq!(days(10_000, 128 << 20), 90);
        assert_eq!(days(8_000, 48_000_000), 14);
        assert_eq!(days(1_000, 1_000), 10);
        assert_eq!(days(200_000_000, 8 << 30), 1);
    }
}
