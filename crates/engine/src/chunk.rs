//! Cutting a run into chunks.

use tables::DateRange;

/// Partitions with rows that a chunk has at most: a writer per partition and
/// table is open while the plan runs. 2,951 days of one site in one chunk took
/// 4.5 GB; 512 at a time, 1.1 GB.
const MOST_PARTITIONS: usize = 512;

/// Chunks of consecutive `partitions`, each of at most `chunk_bytes` by
/// `bytes`; a partition that is larger by itself is a chunk of its own.
pub(crate) fn chunks(
    partitions: &[DateRange],
    bytes: impl Fn(DateRange) -> u64,
    chunk_bytes: u64,
) -> Vec<DateRange> {
    let mut chunks: Vec<DateRange> = Vec::new();
    let (mut filled, mut with_rows) = (0, 0);
    for partition in partitions {
        let size = bytes(*partition);
        let more = usize::from(size > 0);
        match chunks.last_mut() {
            Some(last)
                if size <= chunk_bytes.saturating_sub(filled)
                    && with_rows + more <= MOST_PARTITIONS =>
            {
                *last = last.through(*partition);
                filled += size;
                with_rows += more;
            }
            _ => {
                chunks.push(*partition);
                (filled, with_rows) = (size, more);
            }
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use tables::Partitioning;

    fn cut(sizes: &[u64], chunk_bytes: u64) -> Vec<String> {
        let range: DateRange = "2011-10-24..2011-10-28".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        let size = |day: DateRange| sizes[days.iter().position(|other| *other == day).unwrap()];
        chunks(&days, size, chunk_bytes)
            .iter()
            .map(|chunk| chunk.to_string())
            .collect()
    }

    #[test]
    fn chunks_fill_up_to_their_size_and_keep_every_date() {
        assert_eq!(
            cut(&[4, 4, 4, 9, 1], 8),
            [
                "2011-10-24..2011-10-25",
                "2011-10-26",
                "2011-10-27",
                "2011-10-28"
            ]
        );
        assert_eq!(cut(&[0, 0, 0, 0, 0], 0), ["2011-10-24..2011-10-28"]);
        assert_eq!(cut(&[1, 1, 1, 1, 1], 0).len(), 5);
    }

    #[test]
    fn a_chunk_has_few_partitions_with_rows_and_any_number_without() {
        let range: DateRange = "2001-01-01..2010-12-31".parse().unwrap();
        let days = Partitioning::Day.partitions(range);
        assert_eq!(chunks(&days, |_| 0, 1).len(), 1);
        let full = chunks(&days, |_| 1, u64::MAX);
        assert_eq!(full.len(), days.len().div_ceil(MOST_PARTITIONS));
        assert_eq!(full[0].through(full[full.len() - 1]), range);
    }
}
