//! The table of the rules: decisions in order, and corrections of them.
//!
//! The first decision whose condition holds for a block is its label. Then each correction may overturn the
//! decisions that it names. A row that is left out is not tried: so the rows are measured one by one.

use crate::copies::later_copies;
use crate::facts::{BlockFacts, PageFacts};
use crate::headings::{headings, row_labels};
use crate::lead::leads;
use crate::lists::links_of_a_list;
use crate::reason::Reason;
use crate::reason::Reason::{
    Caption, Comments, ContentSlot, Copy, FamiliarPath, Figures, Header, Heading, Hidden, Lead,
    LinkSlot, List, OffMainBranch, OtherArticle, OwnTitle, PriorBoilerplate, PriorContent,
    Repeated, Report, RowLabel, SkipElement, Teaser, Unique, Unit,
};
use crate::reports::reports;
use crate::teasers::teasers;
use crate::thresholds::pages;
use crate::unknown::{dropped_by_prior, kept_by_prior};

/// A row of the first table: blocks for which `when` holds get the label.
pub(crate) struct Decision {
    pub(crate) label: Reason,
    pub(crate) when: fn(&BlockFacts<'_>) -> bool,
}

/// A row of the second table.
pub(crate) struct Correction {
    pub(crate) label: Reason,
    /// The labels that it may overturn.
    pub(crate) of: &'static [Reason],
    /// Returns the blocks of a page that it labels, if their labels so far are among these.
    pub(crate) picks: fn(&PageFacts<'_>, &[Reason]) -> Vec<usize>,
    /// Pages of a site from which on it is not tried.
    pub(crate) until: usize,
}

impl Correction {
    const fn until(self, pages: usize) -> Self {
        Self {
            until: pages,
            ..self
        }
    }
}

const fn decision(label: Reason, when: fn(&BlockFacts<'_>) -> bool) -> Decision {
    Decision { label, when }
}

const fn correction(
    label: Reason,
    of: &'static [Reason],
    picks: fn(&PageFacts<'_>, &[Reason]) -> Vec<usize>,
) -> Correction {
    Correction {
        label,
        of,
        picks,
        until: usize::MAX,
    }
}

/// The decisions. The last holds for all blocks.
pub(crate) const DECISIONS: [Decision; 15] = [
    decision(OwnTitle, |block| block.is_title()),
    decision(Comments, |block| block.is_comment()),
    decision(SkipElement, |block| block.node.boilerplate),
    decision(Hidden, |block| block.node.hidden),
    decision(Caption, |block| block.is_own_caption()),
    decision(Header, |block| block.node.header && !block.is_header_text()),
    decision(OffMainBranch, |block| !block.is_in_main()),
    decision(OtherArticle, |block| block.is_in_other_article()),
    decision(LinkSlot, |block| block.is_link_slot()),
    decision(Figures, |block| block.is_own_cell()),
    decision(FamiliarPath, |block| {
        block.is_familiar_path() && !block.is_of_own_unit()
    }),
    decision(Unique, |block| !block.repeats()),
    decision(Unit, |block| block.is_of_own_unit()),
    decision(ContentSlot, |block| block.is_content_slot()),
    decision(Repeated, |_| true),
];

/// The corrections of every page.
pub(crate) const CORRECTIONS: [Correction; 6] = [
    correction(Report, &[Repeated, FamiliarPath, OffMainBranch], reports),
    correction(List, &[LinkSlot], links_of_a_list),
    correction(Lead, &[OffMainBranch, OtherArticle], leads),
    correction(
        Teaser,
        &[Figures, Unit, Unique, ContentSlot, List, Lead],
        teasers,
    ),
    correction(
        Heading,
        &[Repeated, FamiliarPath, Header, Caption, LinkSlot],
        headings,
    ),
    correction(
        RowLabel,
        &[Repeated, FamiliarPath, Header, Caption],
        row_labels,
    ),
];

/// The corrections of a page of a site that is not known yet.
pub(crate) const CORRECTIONS_OF_UNKNOWN: [Correction; 3] = [
    correction(
        PriorBoilerplate,
        &[
            Figures,
            Unit,
            Unique,
            ContentSlot,
            List,
            Lead,
            Heading,
            RowLabel,
        ],
        dropped_by_prior,
    )
    .until(pages::WELL_KNOWN),
    correction(
        PriorContent,
        &[
            Comments,
            SkipElement,
            Caption,
            Header,
            OffMainBranch,
            OtherArticle,
            LinkSlot,
            FamiliarPath,
            Repeated,
            Teaser,
        ],
        kept_by_prior,
    )
    .until(pages::WELL_KNOWN),
    correction(
        Copy,
        &[
            Figures,
            Unit,
            Unique,
            ContentSlot,
            List,
            Lead,
            Heading,
            RowLabel,
            PriorContent,
        ],
        later_copies,
    )
    .until(pages::KNOWN),
];

/// Returns the table of the rules in their order, in Markdown: of each the label, and why a block has it. A
/// correction names the labels that it may overturn.
pub fn rules_table() -> String {
    let mut table =
        String::from("| reason | a block has it because | it may overturn |\n|---|---|---|\n");
    let mut row = |label: Reason, of: &[Reason]| {
        let of: Vec<String> = of.iter().map(|label| format!("`{label}`")).collect();
        table += &format!("| `{label}` | {} | {} |\n", label.meaning(), of.join(", "));
    };
    for decision in &DECISIONS {
        row(decision.label, &[]);
    }
    for correction in CORRECTIONS.iter().chain(&CORRECTIONS_OF_UNKNOWN) {
        row(correction.label, correction.of);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A reason is one row. The caller of a template gives those of marks.
    #[test]
    fn every_reason_is_one_row_and_overturns_other_verdicts() {
        let corrections = || CORRECTIONS.iter().chain(&CORRECTIONS_OF_UNKNOWN);
        let mut rows: Vec<Reason> = DECISIONS.iter().map(|row| row.label).collect();
        rows.extend(corrections().map(|row| row.label));
        rows.extend([Reason::MarkedContent, Reason::MarkedBoilerplate]);
        assert_eq!(rows.len(), Reason::ALL.len());
        let all: BTreeSet<Reason> = rows.into_iter().collect();
        assert_eq!(all, Reason::ALL.iter().copied().collect());
        for row in corrections() {
            for label in row.of {
                assert_ne!(
                    label.is_content(),
                    row.label.is_content(),
                    "{label}, {}",
                    row.label
                );
            }
        }
    }
}
