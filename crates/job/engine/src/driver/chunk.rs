//! Cuts a run into chunks.

use std::num::NonZeroU32;

use tables::DateRange;

use crate::archive::Census;
use crate::job::Job;
use crate::spec::Batching;

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

/// Most buckets that a run chooses by itself. More makes small files.
pub(super) const MAX_BUCKETS: NonZeroU32 = NonZeroU32::new(4096).unwrap();

/// The size of a chunk, or its limit.
#[derive(Debug, Clone, Copy)]
struct ChunkSize {
    /// Bytes of HTML.
    html_bytes: u64,
    /// Archive rows.
    rows: u64,
}

impl ChunkSize {
    /// Limits a chunk to `html_bytes` of HTML, and to the rows that a plan can sort with
    /// `plan_memory` bytes.
    fn limit(html_bytes: u64, plan_memory: usize) -> Self {
        let memory = plan_memory as u64;
        let merged = memory.saturating_mul(memory) / ROW_SQUARE;
        Self {
            html_bytes,
            rows: merged.min(memory / ROW_BYTES).max(MIN_CHUNK_ROWS),
        }
    }

    /// Returns the limit of a chunk whose units are `buckets`.
    fn times(self, buckets: NonZeroU32) -> Self {
        let buckets = u64::from(buckets.get());
        Self {
            html_bytes: self.html_bytes.saturating_mul(buckets),
            rows: self.rows.saturating_mul(buckets),
        }
    }

    /// Returns the number of buckets with which a unit of this size has at most the rows of `limit`, and spills at most
    /// `spill_limit`. The last sort holds a third of the HTML.
    ///
    /// HTML above `limit` counts only in an archive that `is_by_site`: another one is read once for each bucket.
    fn buckets(self, limit: Self, spill_limit: u64, is_by_site: bool) -> NonZeroU32 {
        let mut needed = self.rows.div_ceil(limit.rows.max(1));
        needed = needed.max((self.html_bytes / 3).div_ceil(spill_limit.max(1)));
        if is_by_site {
            needed = needed.max(self.html_bytes.div_ceil(limit.html_bytes.max(1)));
        }
        let needed = u32::try_from(needed).unwrap_or(u32::MAX);
        NonZeroU32::new(needed).unwrap_or(NonZeroU32::MIN)
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

/// Cuts `dates` into chunks. Returns the number of buckets of each.
///
/// An archive that is ordered by site is cut by site, and each unit has all dates: it replays its pages once. Another one
/// is cut by date, because each bucket reads all of it, unless later dates decide the labels of earlier ones.
pub(super) fn cut(job: &Job, dates: DateRange, census: &Census) -> (Vec<DateRange>, NonZeroU32) {
    let set = job.resources.buckets;
    // Buckets cut the largest of these ranges.
    let mut least = vec![dates];
    let mut needed = needed_buckets(job, census, &least);
    let is_whole = match job.settings.site.batching {
        // All pages are inserted into the trees before the first is labelled.
        Batching::Run => true,
        // A page is labelled with the dates after it: each chunk would read those before it again.
        Batching::Page | Batching::Date if is_labelled_at_end(job, dates) => true,
        Batching::Page | Batching::Date => {
            census.is_by_site(dates) && needed <= set.unwrap_or(MAX_BUCKETS)
        }
    };
    if !is_whole {
        let partitions = job.output.partitioning();
        least = partitions.containing(census.dates_with_input(dates));
        needed = needed_buckets(job, census, &least);
    }
    // Files of buckets merge, and runs with other numbers share them, where one number divides the other.
    let power = needed.checked_next_power_of_two();
    let buckets = set.unwrap_or(power.map_or(MAX_BUCKETS, |power| power.min(MAX_BUCKETS)));
    let limit = limit(job).times(buckets);
    let chunks = chunks(dates, &least, sizes(census, dates), limit);
    (chunks, buckets)
}

/// Whether all pages are labelled with the trees of the last of `dates`.
fn is_labelled_at_end(job: &Job, dates: DateRange) -> bool {
    let days = dates.last().signed_duration_since(dates.first()).num_days();
    days > 0 && days <= i64::from(job.settings.site.relabel_days)
}

/// Returns the number of buckets that the largest of `ranges` needs.
pub(super) fn needed_buckets(job: &Job, census: &Census, ranges: &[DateRange]) -> NonZeroU32 {
    let all = ranges.iter().copied().reduce(DateRange::through);
    let Some(all) = all else {
        return NonZeroU32::MIN;
    };
    let (size, is_by_site) = (sizes(census, all), census.is_by_site(all));
    let spill_limit = job.resources.spill_limit;
    let needed = |dates: &DateRange| size(*dates).buckets(limit(job), spill_limit, is_by_site);
    ranges.iter().map(needed).max().unwrap_or(NonZeroU32::MIN)
}

fn limit(job: &Job) -> ChunkSize {
    ChunkSize::limit(job.resources.chunk_bytes, job.resources.plan_memory())
}

/// Returns the sizes of ranges within `all`.
fn sizes(census: &Census, all: DateRange) -> impl Fn(DateRange) -> ChunkSize {
    let rows = census.rows(all);
    move |dates| ChunkSize {
        html_bytes: census.html_bytes(dates),
        rows: (rows.range(dates.first()..=dates.last()))
            .map(|(_, rows)| rows)
            .sum(),
    }
}

/// Cuts `dates` into chunks. `partitions` are those that have input, in order: consecutive ones share a
/// chunk of at most `limit`, and one above the limit is its own chunk. A chunk begins after the one before it, and the last
/// one ends with `dates`: rows of partitions that have no input any more are removed with it.
fn chunks(
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
