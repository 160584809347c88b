//! The blocks of a page that are in its gold text.

use std::collections::HashMap;

use scoring::WordId;

/// Returns whether half of the words of each block are in the longest common subsequence of the page
/// and the gold text.
pub(crate) fn in_gold(blocks: &[Vec<WordId>], gold: &[WordId]) -> Vec<bool> {
    let page: Vec<(usize, WordId)> = (blocks.iter().enumerate())
        .flat_map(|(at, words)| words.iter().map(move |word| (at, *word)))
        .collect();
    let mut places: HashMap<WordId, Vec<usize>> = HashMap::new();
    for (at, word) in gold.iter().enumerate() {
        places.entry(*word).or_default().push(at);
    }
    // Bit `j` of row `i` is 0 if the subsequence of `i` words of the page grows with the gold word `j`
    // (Hyyrö 2004).
    let width = gold.len().div_ceil(64).max(1);
    let mut rows: Vec<Vec<u64>> = vec![vec![u64::MAX; width]];
    for (_, word) in &page {
        let last = &rows[rows.len() - 1];
        let Some(places) = places.get(word) else {
            let same = last.clone();
            rows.push(same);
            continue;
        };
        let mut matches = vec![0_u64; width];
        for at in places {
            matches[at / 64] |= 1 << (at % 64);
        }
        let mut row = Vec::with_capacity(width);
        let mut carry = false;
        for (bits, matches) in last.iter().zip(&matches) {
            let common = bits & matches;
            let (sum, over) = bits.overflowing_add(common);
            let (sum, more) = sum.overflowing_add(u64::from(carry));
            carry = over || more;
            row.push(sum | (bits & !common));
        }
        rows.push(row);
    }
    let length = |row: &[u64], end: usize| -> usize {
        let whole: u32 = row[..end / 64].iter().map(|bits| bits.count_zeros()).sum();
        let rest = end % 64;
        let part = if rest == 0 {
            0
        } else {
            (!row[end / 64] & ((1 << rest) - 1)).count_ones()
        };
        (whole + part) as usize
    };
    let mut found = vec![0; blocks.len()];
    let (mut at, mut end) = (page.len(), gold.len());
    while at > 0 && end > 0 {
        let here = length(&rows[at], end);
        if here == 0 {
            break;
        }
        if length(&rows[at - 1], end) == here {
            at -= 1;
        } else if length(&rows[at], end - 1) == here {
            end -= 1;
        } else {
            found[page[at - 1].0] += 1;
            at -= 1;
            end -= 1;
        }
    }
    (blocks.iter().zip(found))
        .map(|(words, found)| found * 2 > words.len())
        .collect()
}
