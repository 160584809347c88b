//! One domain under one heuristic.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use site_replay::{BatchedReplay, Batching, Labelling, PageLabels};
use template::Outline;
use url_key::{Branch, Domain};
use url_tree::Entry;

use super::page::{Dates, Key, ParsedPage, Role};
use crate::cpu::timed;
use crate::{GoldPage, LabelledBlocks, ReplaySettings, Text};

/// The pages of a domain, in time order. All fields but the last are of the whole set,
/// by index of the page.
pub(super) struct DomainPages<'a> {
    pub(super) pages: &'a [GoldPage],
    pub(super) dates: &'a Dates,
    pub(super) keys: &'a [Key],
    pub(super) roles: &'a [Role],
    pub(super) parsed: &'a HashMap<usize, Result<ParsedPage, String>>,
    /// Indices of the domain's pages.
    pub(super) indices: &'a [usize],
}

/// Labels the pages of a domain, and puts the texts of unique pages and of revisions
/// into `made`.
pub(super) fn replay_domain(
    domain: &DomainPages<'_>,
    labelling: Labelling,
    settings: &ReplaySettings,
    made: &mut [Option<Text>],
) {
    let parsed: Vec<Page<'_>> = domain.parsed_pages().collect();
    let Some(first) = parsed.first() else { return };
    let (window, batching) = (settings.window, settings.batching);
    let mut running = Running {
        replay: BatchedReplay::new(
            first.domain.labels(),
            labelling,
            settings.constants,
            window,
            batching,
        )
        .with_marks(settings.marks.of(first.domain.as_str()).cloned()),
        labelling,
        inserting: HashMap::new(),
        made,
    };
    let mut waiting: VecDeque<&Page<'_>> = VecDeque::new();
    let mut inserted_batch = None;
    for page in &parsed {
        let batch = batching.batch_of(page.date);
        if batching == Batching::Page {
            running.replay.begin(batch);
            if page.is_first {
                running.insert(page);
            }
            running.label(page);
            continue;
        }
        if page.is_first {
            if inserted_batch != Some(batch) {
                inserted_batch = Some(batch);
                running.label_until(&mut waiting, batch, domain.dates.last, settings);
            }
            running.replay.begin(batch);
            running.insert(page);
        }
        waiting.push_back(page);
    }
    running.label_until(&mut waiting, i64::MAX, domain.dates.last, settings);
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
            let key = self.keys[index].as_ref().ok()?;
            Some(Page {
                index,
                date: self.dates.of_pages[index],
                time_micros: self.pages[index].fetched_at.unwrap_or_default(),
                is_first: self.roles[index] == Role::First,
                branch: key.branch(),
                domain: &key.domain,
                parsed: self.parsed.get(&index)?.as_ref().ok()?,
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
    replay: BatchedReplay,
    labelling: Labelling,
    /// Seconds that the insertion of a page took, by index.
    inserting: HashMap<usize, f64>,
    made: &'m mut [Option<Text>],
}

impl Running<'_> {
    fn outline(&self, page: &Page<'_>) -> Option<Outline> {
        let is_used = self.labelling == Labelling::Template && page.parsed.has_outline;
        is_used.then(|| Outline::new(&page.parsed.blocks.layout()))
    }

    fn insert(&mut self, page: &Page<'_>) {
        let ((), seconds) = timed(|| {
            let outline = self.outline(page);
            self.replay.insert(page.entry(), outline);
        });
        self.inserting.insert(page.index, seconds);
    }

    /// Labels the waiting pages whose labels do not depend on batch `end`.
    fn label_until(
        &mut self,
        waiting: &mut VecDeque<&Page<'_>>,
        end: i64,
        last: i32,
        settings: &ReplaySettings,
    ) {
        let batching = settings.batching;
        while let Some(page) = waiting.front() {
            let batch = batching.label_batch_of(page.date, settings.relabel_days, last);
            if batch >= end {
                break;
            }
            self.replay.begin(batch);
            self.label(page);
            waiting.pop_front();
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
        let kept = page.is_first.then(|| self.replay.take_outline()).flatten();
        let outline = kept.or_else(|| self.outline(page));
        if page.is_first {
            let hashes = &page.parsed.blocks.hashes;
            let labelled = (self.replay).label_page(page.branch.items(), hashes, outline.as_ref());
            return Some(labelled.labels);
        }
        let lengths = page.utf16_lengths();
        let revision = (self.replay).label_duplicate(page.entry(), &lengths, outline.as_ref());
        revision.map(|revision| revision.labels)
    }
}
