//! The numbers of a whole page, by which the prior knows articles from other kinds of pages.

use std::ops::Range;

use crate::prior::features::after_title;
use crate::prior::numbers::numbers;
use crate::prior::structure::{Sum, Surroundings, log, share};
use crate::reason::Reason;

/// Number of the numbers of a page.
pub(crate) const PAGE_FEATURES: usize = PAGE.len();

/// The numbers of a page. All are shares or counts of blocks: a text in Chinese has a third of the
/// characters of one in English.
pub(crate) type PageFeatures = [i16; PAGE_FEATURES];

/// The texts of a page.
pub(crate) struct Texts {
    title: Option<usize>,
    all: Sum,
    main: Sum,
    /// Blocks that the rules keep, without the title.
    kept: Sum,
    /// Of these, the paragraphs, those of them with sentences, and the blocks in records.
    long: Sum,
    sentences: Sum,
    in_records: Sum,
    /// Characters of the longest run of kept texts.
    longest_run: u64,
}

numbers! {
    /// Returns the numbers of a page.
    PAGE, of_texts(of: &Texts) {
        kept_blocks => log(of.kept.blocks),
        long_blocks => log(of.long.blocks),
        long_chars => share(of.long.chars, of.kept.chars),
        sentence_chars => share(of.sentences.chars, of.kept.chars),
        record_chars => share(of.in_records.chars, of.kept.chars),
        main_links => share(of.main.links, of.main.chars),
        main_chars => share(of.main.chars, of.all.chars),
        links => share(of.all.links, of.all.chars),
        longest_run => share(of.longest_run, of.kept.chars),
        has_title => i16::from(of.title.is_some()),
        title_at => after_title(of.title, 0),
        kept_of_main => share(of.kept.chars, of.main.chars),
        kept_marks => share(of.kept.marks, of.kept.chars),
    }
}

/// Characters of a paragraph.
const LONG: u64 = 100;
/// Characters of a block that continues a run of text, and of one that does not end it.
const RUN: (u64, u64) = (60, 20);

/// Returns the numbers of a page. `main` are the blocks of the main branch, and `reasons` those of
/// the rules.
pub(crate) fn page_features(
    surroundings: &Surroundings<'_>,
    main: &Range<usize>,
    reasons: &[Reason],
) -> PageFeatures {
    let Surroundings {
        outline,
        sums,
        title,
        records,
        record_of,
        ..
    } = surroundings;
    let all = sums.of(0..reasons.len());
    let of_main = sums.of(main.clone());
    let (mut kept, mut long, mut sentences, mut in_records) = (
        Sum::default(),
        Sum::default(),
        Sum::default(),
        Sum::default(),
    );
    let (mut run, mut longest_run) = (0, 0);
    for (at, reason) in reasons.iter().enumerate() {
        let block = sums.of(at..at + 1);
        if reason.is_content() && block.chars > RUN.0 {
            run += block.chars;
            longest_run = longest_run.max(run);
        } else if block.chars > RUN.1 {
            run = 0;
        }
        if !reason.is_content() || *reason == Reason::OwnTitle {
            continue;
        }
        kept.add(block);
        if block.chars > LONG && block.links * 10 < block.chars * 3 {
            long.add(block);
            if block.marks > 1 {
                sentences.add(block);
            }
        }
        if records[record_of[outline.leaves[at]]].count > 0 {
            in_records.add(block);
        }
    }
    of_texts(&Texts {
        title: *title,
        all,
        main: of_main,
        kept,
        long,
        sentences,
        in_records,
        longest_run,
    })
}
