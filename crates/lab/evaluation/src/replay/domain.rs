//! One domain under one heuristic.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use site_replay::{Labelling, PageLabels, Role, SiteSettings, SiteStream};
use template::Outline;
use url_key::{Branch, Domain};
use url_tree::Entry;

use super::page::{Dates, Key, Parsed, ParsedPage, Seen};
use crate::cpu::timed;
use crate::{GoldPage, LabelledBlocks, Text};

/// The pages of a domain, in time order. All fields but the last are of the whole set,
/// by index of the page.
pub(super) struct DomainPages<'a> {
    pub(super) pages: &'a [GoldPage],
    pub(super) dates: &'a Dates,
    pub(super) keys: &'a [Key],
    pub(super) parsed: &'a Parsed,
    /// Indices of the domain's pages.
    pub(super) indices: &'a [usize],
}

/// Labels the pages of a domain, and puts the texts of unique pages and of revisions
/// into `made`.
pub(super) fn replay_domain(
    domain: &DomainPages<'_>,
    settings: &SiteSettings,
    made: &mut [Option<Text>],
) {
    let pages: Vec<Page<'_>> = domain.parsed_pages().collect();
    let Some(first) = pages.first() else { return };
    let mut running = Running {
        stream: SiteStream::new(first.domain, settings, domain.dates.last),
        labelling: settings.labelling,
        inserting: HashMap::new(),
        made,
    };
    let mut waiting: VecDeque<&Page<'_>> = VecDeque::new();
    for page in &pages {
        if page.is_first && !running.stream.is_one_by_one() {
            if running.stream.expect(page.date) {
                running.label_due(&mut waiting);
            }
            running.insert(page);
        }
        waiting.push_back(page);
    }
    running.stream.end();
    running.label_due(&mut waiting);
}

/// A page that takes part in the replay.
struct Page<'a> {
    index: usize,
    date: i32,
    time_micros: i64,
    /// Whether it is the first of its URL key.
    is_first: bool,
    branch: Branch<'a>,
    domain: &'a Domain,
    parsed: &'a ParsedPage,
}

impl DomainPages<'_> {
    fn parsed_pages(&self) -> impl Iterator<Item = Page<'_>> {
        self.indices.iter().filter_map(|&index| {
            let keyed = self.keys[index].as_ref().ok()?;
            let Seen { page, .. } = self.parsed.get(&index)?;
            Some(Page {
                index,
                date: self.dates.of_pages[index],
                time_micros: self.pages[index].fetched_at.unwrap_or_default(),
                is_first: keyed.role == Role::First,
                branch: keyed.key.branch(),
                domain: &keyed.key.domain,
                parsed: page.as_ref().ok()?,
            })
        })
    }
}

impl Page<'_> {
    fn entry(&self) -> Entry<'_, std::borrow::Cow<'_, str>> {
        Entry {
            time_micros: self.time_micros,
            branch: self.branch.items(),
            hashes: &self.parsed.blocks.hashes,
        }
    }

    fn utf16_lengths(&self) -> Vec<usize> {
        let texts = self.parsed.blocks.texts.iter();
        texts.map(|text| text.encode_utf16().count()).collect()
    }
}

/// A replay that is running.
struct Running<'m> {
    stream: SiteStream,
    labelling: Labelling,
    /// Seconds that the insertion of a page took, by index.
    inserting: HashMap<usize, f64>,
    made: &'m mut [Option<Text>],
}

impl Running<'_> {
    fn outline(&self, page: &Page<'_>) -> Option<Outline> {
        let is_used = self.labelling == Labelling::Template && page.parsed.has_outline;
        is_used.then(|| page.parsed.blocks.outline())
    }

    fn insert(&mut self, page: &Page<'_>) {
        let ((), seconds) = timed(|| {
            let outline = self.outline(page);
            self.stream.insert(page.entry(), page.date, outline);
        });
        self.inserting.insert(page.index, seconds);
    }

    /// Labels the waiting pages that are due.
    fn label_due(&mut self, waiting: &mut VecDeque<&Page<'_>>) {
        while let Some(page) = waiting.pop_front_if(|page| self.stream.is_due(page.date)) {
            self.label(page);
        }
    }

    fn label(&mut self, page: &Page<'_>) {
        let (labels, labelling) = timed(|| self.labels(page));
        let Some(labels) = labels else { return };
        let text = Text::of_blocks(LabelledBlocks {
            texts: Arc::clone(&page.parsed.blocks.texts),
            reasons: labels.reasons,
        });
        let measuring = match self.labelling {
            Labelling::Template => page.parsed.measuring,
            Labelling::Tree(_) => 0.0,
        };
        let inserting = self.inserting.remove(&page.index).unwrap_or_default();
        let seconds = page.parsed.parsing + measuring + inserting + labelling;
        self.made[page.index] = Some(text.taking(seconds));
    }

    /// The labels of a unique page or of a revision; `None` for another duplicate.
    fn labels(&mut self, page: &Page<'_>) -> Option<PageLabels> {
        let is_kept = page.is_first && self.stream.has_outline();
        let outline = (!is_kept).then(|| self.outline(page)).flatten();
        if page.is_first {
            let labelled = self.stream.label_page(page.entry(), page.date, outline);
            return Some(labelled.labels);
        }
        let (stream, lengths) = (&mut self.stream, page.utf16_lengths());
        let revision = stream.label_duplicate(page.entry(), page.date, &lengths, outline.as_ref());
        revision.map(|revision| revision.labels)
    }
}
