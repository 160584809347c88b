//! Cutting a run into chunks.

use tables::DateRange;

/// Chunks of consecutive `partitions`, each of at most `chunk_bytes` by
/// `bytes`; a partition that is larger by itself is a chunk of its own.
pub(crate) fn chunks(
    partitions: &[DateRange],
    bytes: impl Fn(DateRange) -> u64,
    chunk_bytes: u64,
) -> Vec<DateRange> {
    let mut chunks: Vec<DateRange> = Vec::new();
    let mut filled = 0;
    for partition in partitions {
        let size = bytes(*partition);
        match chunks.last_mut() {
            Some(last) if size <= chunk_bytes.saturating_sub(filled) => {
                *last = last.through(*partition);
                filled += size;
            }
            _ => {
                chunks.push(*partition);
                filled = size;
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
}
