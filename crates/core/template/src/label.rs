//! Labels the blocks of a page by the table of rules.

use crate::block_counts::BlockCounts;
use crate::decisions::{CORRECTIONS, CORRECTIONS_OF_UNKNOWN, Correction, DECISIONS};
use crate::facts::PageFacts;
use crate::outline::Outline;
use crate::prior::{Inputs, LikelyKind, Nets, Surroundings};
use crate::reason::Reason;
use crate::site::Template;
use crate::thresholds::prior::MOST_BLOCKS;
use crate::twins::OwnCounts;

impl Template {
    /// Labels the blocks of a page by the current sums of the template.
    ///
    /// The page should be inserted before. Otherwise the sums of its new paths are 0.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn label(&self, outline: &Outline, counts: BlockCounts<'_>) -> Vec<Reason> {
        self.label_with(outline, counts, Nets::learned())
    }

    /// Like [`label`](Self::label), with other nets for blocks of unknown sites.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn label_with(
        &self,
        outline: &Outline,
        counts: BlockCounts<'_>,
        nets: &Nets,
    ) -> Vec<Reason> {
        self.on_page(outline, counts, nets, |page| {
            self.corrected(self.labels_of_any_site(page), page)
        })
    }

    /// Like [`label`](Self::label), with the kind of the page, for which the net is asked on known sites too. `None`
    /// for a page of more blocks than the net reads.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn label_and_kind(
        &self,
        outline: &Outline,
        counts: BlockCounts<'_>,
    ) -> (Vec<Reason>, Option<LikelyKind>) {
        self.on_page(outline, counts, Nets::learned(), |page| {
            let rules = self.labels_of_any_site(page);
            let is_read = outline.blocks.len() <= MOST_BLOCKS;
            // The net reads the labels before it corrects them, as on unknown sites.
            let kind = is_read.then(|| page.verdicts(&rules).kind());
            (self.corrected(rules, page), kind.flatten())
        })
    }

    /// Like [`label`](Self::label), without the corrections of unknown sites.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn rules(&self, outline: &Outline, counts: BlockCounts<'_>) -> Vec<Reason> {
        self.on_page(outline, counts, Nets::learned(), |page| {
            let mut reasons = self.labels_of_any_site(page);
            crate::whole_units::share_labels(outline, &mut reasons);
            reasons
        })
    }

    /// Returns the labels of a page by those of any site, with the corrections of unknown sites if the site is one.
    fn corrected(&self, mut reasons: Vec<Reason>, page: &PageFacts<'_>) -> Vec<Reason> {
        self.correct(&CORRECTIONS_OF_UNKNOWN, page, &mut reasons);
        crate::whole_units::share_labels(page.outline, &mut reasons);
        reasons
    }

    /// Returns what the net reads of a page of an unknown site, from which it is learned.
    ///
    /// # Panics
    /// Panics if `counts` and `outline` have different numbers of blocks.
    pub fn inputs(&self, outline: &Outline, counts: BlockCounts<'_>) -> Inputs {
        self.on_page(outline, counts, Nets::learned(), |page| {
            let reasons = self.labels_of_any_site(page);
            let surroundings = Surroundings::new(outline, page.counts, page.title);
            Inputs::new(&surroundings, &page.main, &reasons)
        })
    }

    /// Calls `judge` with the facts about a page, in which its twins do not count as other pages.
    fn on_page<T>(
        &self,
        outline: &Outline,
        counts: BlockCounts<'_>,
        nets: &Nets,
        judge: impl FnOnce(&PageFacts<'_>) -> T,
    ) -> T {
        let blocks = outline.blocks.len();
        assert_eq!(
            (blocks, blocks),
            (counts.blocks.len(), counts.first.len()),
            "counts and outline have different numbers of blocks"
        );
        let own = OwnCounts::new(outline, counts);
        judge(&PageFacts::new(
            self,
            outline,
            own.in_place_of(counts),
            nets,
        ))
    }

    /// Returns the labels without the corrections of unknown sites.
    fn labels_of_any_site(&self, page: &PageFacts<'_>) -> Vec<Reason> {
        let rows = || DECISIONS.iter().filter(|row| self.has(row.label));
        let label = |at: usize| {
            let block = page.block(at);
            let row = rows().find(|row| (row.when)(&block));
            row.map_or(Reason::Unique, |row| row.label)
        };
        let mut reasons: Vec<Reason> = (0..page.outline.blocks.len()).map(label).collect();
        self.correct(&CORRECTIONS, page, &mut reasons);
        reasons
    }

    fn correct(&self, rows: &[Correction], page: &PageFacts<'_>, reasons: &mut [Reason]) {
        let is_tried = |row: &&Correction| self.has(row.label) && page.pages < row.until;
        for row in rows.iter().filter(is_tried) {
            for at in (row.picks)(page, reasons) {
                if row.of.contains(&reasons[at]) {
                    reasons[at] = row.label;
                }
            }
        }
    }
}
