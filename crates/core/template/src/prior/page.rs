//! The numbers of a whole page, by which the prior knows articles from other kinds of pages.

use std::ops::Range;

use crate::element_code as code;
use crate::outline::Outline;
use crate::prior::features::after_title;
use crate::prior::structure::{Sum, Surroundings, log, share};
use crate::reason::Reason;

/// Number of the numbers of a page.
pub const PAGE_FEATURES: usize = 13;

/// The numbers of a page. All are shares or counts of blocks: a text in Chinese has a third of the
/// characters of one in English.
pub type PageFeatures = [i16; PAGE_FEATURES];

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
    [
        log(kept.blocks),
        log(long.blocks),
        share(long.chars, kept.chars),
        share(sentences.chars, kept.chars),
        share(in_records.chars, kept.chars),
        share(of_main.links, of_main.chars),
        share(of_main.chars, all.chars),
        share(all.links, all.chars),
        share(longest_run, kept.chars),
        i16::from(title.is_some()),
        after_title(*title, 0),
        share(kept.chars, of_main.chars),
        share(kept.marks, kept.chars),
    ]
}

/// Returns whether a page has two of the elements of HTML 5 that divide pages, as those that the
/// prior was learned from.
pub(crate) fn is_divided(outline: &Outline) -> bool {
    let elements = [
        code::NAV,
        code::FOOTER,
        code::HEADER,
        code::MAIN,
        code::ARTICLE,
    ];
    let has = |of: &&u8| outline.nodes.iter().any(|node| node.code == **of);
    elements.iter().filter(has).count() >= 2
}
