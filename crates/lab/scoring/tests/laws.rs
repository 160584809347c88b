//! Properties of the overlaps and of the summaries, checked with random texts.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use scoring::{
    Autojunk, Histogram, MacroSummary, Outcome, Overlap, Summary, Tokens, Vocabulary, WordId,
    alignment, bag_of_words, cumulative_average, lcs, ratcliff_obershelp, rouge_lsum,
};

/// A configuration with a fixed seed, so that every machine checks the same texts.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(1980),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Two texts of up to 330 words, with few or many distinct words. The second is either
/// unrelated, or the first with words removed, changed, inserted and moved.
fn pair() -> impl Strategy<Value = (Vec<WordId>, Vec<WordId>)> {
    let edits = vec(
        (any::<prop::sample::Index>(), 0..4_u8, any::<usize>()),
        0..40,
    );
    (select(vec![2_usize, 5, 30, 400]), any::<bool>()).prop_flat_map(move |(words, related)| {
        let text = vec(any::<usize>(), 0..330);
        (text.clone(), text, edits.clone()).prop_map(move |(gold, other, edits)| {
            let numbers = numbers(words);
            let mut extracted = if related { gold.clone() } else { other };
            for (at, kind, word) in edits {
                if !related || extracted.is_empty() {
                    break;
                }
                let at = at.index(extracted.len());
                match kind {
                    0 => drop(extracted.remove(at)),
                    1 => extracted[at] = word,
                    2 => extracted.insert(at, word),
                    _ => extracted.rotate_left(at),
                }
            }
            let text = |words: Vec<usize>| -> Vec<WordId> {
                words
                    .into_iter()
                    .map(|word| numbers[word % numbers.len()])
                    .collect()
            };
            (text(gold), text(extracted))
        })
    })
}

/// The given number of distinct words.
fn numbers(words: usize) -> Vec<WordId> {
    let text: Vec<String> = (0..words).map(|word| word.to_string()).collect();
    Vocabulary::default().words(&text.join(" "), Tokens::Ascii)
}

/// A text of up to 8 lines of up to 11 words.
fn lines() -> impl Strategy<Value = Vec<Vec<WordId>>> {
    let numbers = numbers(9);
    vec(
        vec((0..9_usize).prop_map(move |word| numbers[word]), 0..12),
        0..9,
    )
}

/// The table of LCS lengths: cell (i, j) is that of the first i and the first j words.
fn table(gold: &[WordId], extracted: &[WordId]) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; extracted.len() + 1]; gold.len() + 1];
    for (i, one) in gold.iter().enumerate() {
        for (j, other) in extracted.iter().enumerate() {
            table[i + 1][j + 1] = if one == other {
                table[i][j] + 1
            } else {
                table[i][j + 1].max(table[i + 1][j])
            };
        }
    }
    table
}

/// The words in common of ROUGE-LSum, computed with whole tables.
fn rouge_from_tables(gold: &[Vec<WordId>], extracted: &[Vec<WordId>]) -> usize {
    let mut unused_gold = gold.concat();
    let mut unused_extracted = extracted.concat();
    let mut common = 0;
    for line in gold {
        let mut union = vec![false; line.len()];
        for other in extracted {
            let table = table(line, other);
            let (mut i, mut j) = (line.len(), other.len());
            while i > 0 && j > 0 {
                if line[i - 1] == other[j - 1] {
                    union[i - 1] = true;
                    (i, j) = (i - 1, j - 1);
                } else if table[i][j - 1] > table[i - 1][j] {
                    j -= 1;
                } else {
                    i -= 1;
                }
            }
        }
        for (word, _) in line.iter().zip(&union).filter(|(_, member)| **member) {
            let at = unused_gold.iter().position(|unused| unused == word);
            let other = unused_extracted.iter().position(|unused| unused == word);
            if let (Some(at), Some(other)) = (at, other) {
                unused_gold.swap_remove(at);
                unused_extracted.swap_remove(other);
                common += 1;
            }
        }
    }
    common
}

fn outcomes() -> impl Strategy<Value = Vec<(&'static str, Outcome)>> {
    let measured = (0..60_usize, 0..60_usize, 0..60_usize).prop_map(|(common, more, missed)| {
        let overlap = Overlap::new(common, common + more, common + missed);
        overlap.expect("no more than in either text").outcome()
    });
    let outcome = prop_oneof![
        6 => measured,
        1 => select(vec![Outcome::Failed, Outcome::FailedWithoutGold]),
    ];
    vec((select(vec!["a.eu", "b.eu", "c.eu"]), outcome), 0..80)
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn lcs_equals_the_table_algorithm((gold, extracted) in pair()) {
        let overlap = lcs(&gold, &extracted);
        prop_assert_eq!(overlap.common(), table(&gold, &extracted)[gold.len()][extracted.len()]);
        prop_assert_eq!((overlap.gold(), overlap.extracted()), (gold.len(), extracted.len()));
    }

    #[test]
    fn aligned_words_are_a_longest_common_subsequence((gold, extracted) in pair()) {
        let pairs = alignment(&gold, &extracted);
        prop_assert_eq!(pairs.len(), lcs(&gold, &extracted).common());
        prop_assert!(pairs.iter().all(|(i, j)| gold[*i] == extracted[*j]));
        prop_assert!(pairs.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1));
    }

    #[test]
    fn a_bag_has_at_least_the_words_of_a_sequence((gold, extracted) in pair()) {
        let bag = bag_of_words(&gold, &extracted);
        prop_assert!(bag.common() >= lcs(&gold, &extracted).common());
        let mut sorted = extracted.clone();
        sorted.reverse();
        prop_assert_eq!(bag, bag_of_words(&gold, &sorted));
    }

    #[test]
    fn swapping_the_texts_swaps_precision_and_recall((gold, extracted) in pair()) {
        match (lcs(&gold, &extracted).outcome(), lcs(&extracted, &gold).outcome()) {
            (Outcome::Measured(forth), Outcome::Measured(back)) => {
                prop_assert_eq!((forth.precision, forth.recall), (back.recall, back.precision));
                prop_assert_eq!(forth.f1, back.f1);
            }
            (Outcome::EmptyGold, back) => prop_assert_eq!(back, Outcome::EmptyExtraction),
            (Outcome::EmptyExtraction, back) => prop_assert_eq!(back, Outcome::EmptyGold),
            (forth, back) => prop_assert_eq!(forth, back),
        }
    }

    #[test]
    fn f1_is_one_only_for_equal_texts((gold, extracted) in pair(), same in any::<bool>()) {
        let extracted = if same { gold.clone() } else { extracted };
        let all = [
            lcs(&gold, &extracted),
            ratcliff_obershelp(&gold, &extracted, Autojunk::Off),
            ratcliff_obershelp(&gold, &extracted, Autojunk::On),
        ];
        for overlap in all {
            let perfect = match overlap.outcome() {
                Outcome::Measured(score) => score.f1 == 1.0,
                _ => gold.is_empty() && extracted.is_empty(),
            };
            prop_assert_eq!(perfect, gold == extracted);
        }
    }

    #[test]
    fn f1_is_the_harmonic_mean_of_precision_and_recall((gold, extracted) in pair()) {
        if let Outcome::Measured(score) = lcs(&gold, &extracted).outcome() {
            let (precision, recall) = (score.precision, score.recall);
            let harmonic = 2.0 * precision * recall / (precision + recall);
            prop_assert!((score.f1 - harmonic).abs() < 1e-12);
            prop_assert!(score.f1 <= precision.max(recall) && score.f1 >= precision.min(recall));
        }
    }

    #[test]
    fn matching_blocks_are_a_common_subsequence((gold, extracted) in pair()) {
        let longest = lcs(&gold, &extracted).common();
        for autojunk in [Autojunk::On, Autojunk::Off] {
            let matched = ratcliff_obershelp(&gold, &extracted, autojunk).common();
            prop_assert!(matched <= longest);
        }
        let matched = ratcliff_obershelp(&gold, &extracted, Autojunk::Off).common();
        prop_assert_eq!(matched == 0, longest == 0);
    }

    #[test]
    fn rouge_lsum_equals_the_table_algorithm(gold in lines(), extracted in lines()) {
        let overlap = rouge_lsum(&gold, &extracted);
        prop_assert_eq!(overlap.common(), rouge_from_tables(&gold, &extracted));
        prop_assert_eq!(overlap.gold(), gold.concat().len());
        prop_assert_eq!(overlap.extracted(), extracted.concat().len());
    }

    #[test]
    fn rouge_lsum_of_single_lines_equals_lcs(
        (gold, extracted) in pair()
    ) {
        let overlap = rouge_lsum(std::slice::from_ref(&gold), std::slice::from_ref(&extracted));
        prop_assert_eq!(overlap, lcs(&gold, &extracted));
    }

    #[test]
    fn the_last_cumulative_average_equals_the_mean(pages in outcomes()) {
        let outcomes = || pages.iter().map(|(_, outcome)| *outcome);
        let summary = Summary::from_outcomes(outcomes());
        let averages: Vec<_> = cumulative_average(outcomes()).collect();
        prop_assert_eq!(averages.len(), pages.len());
        if let Some(last) = averages.last() {
            prop_assert_eq!(last.mean, summary.spread.map(|spread| spread.mean));
            prop_assert_eq!(last.cases, summary.cases);
        }
        prop_assert_eq!(summary.spread.is_some(), summary.cases.counted() > 0);
    }

    #[test]
    fn summaries_and_histograms_count_every_page(pages in outcomes()) {
        let by_domain = MacroSummary::from_pages(pages.iter().copied());
        let histogram = Histogram::from_outcomes(pages.iter().map(|(_, outcome)| *outcome));
        prop_assert_eq!(by_domain.cases, histogram.cases);
        prop_assert_eq!(by_domain.cases.pages(), pages.len());
        let of_domains = by_domain.domains.values().map(|summary| summary.cases.pages());
        prop_assert_eq!(of_domains.sum::<usize>(), pages.len());
        for bins in [histogram.precision, histogram.recall, histogram.f1] {
            prop_assert_eq!(bins.iter().sum::<usize>(), histogram.cases.counted());
        }
    }
}
