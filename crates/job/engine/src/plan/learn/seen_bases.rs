//! The base URLs of a chunk, before it is known which of their parts are undecided.

use std::collections::{BTreeSet, HashMap, HashSet};

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type};
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use url_parameters::{Slot, Verdict, Verdicts};

use crate::plan::columns::schemas::RecordBatchExt;

/// Bytes of a base URL in a map that has room for as many again.
const BASE_BYTES: usize = 2 * size_of::<(i64, SeenBase)>();

/// Bytes of a set of parts: its texts, and its place in two maps.
const SET_BYTES: usize = 512;

/// Maximum number of sets of parts that have a number. A site that invents names of parameters has a set for each
/// URL. The base URLs of the sets after these are compared, which costs time and changes nothing.
const MAX_SETS: usize = 1 << 16;

/// The number of all sets after [`MAX_SETS`].
const OTHER_SET: u32 = u32::MAX;

/// The parts of a URL by name, without their values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PartSet {
    host: String,
    shape: String,
    parameters: Vec<String>,
}

/// A base URL of the chunk.
#[derive(Debug)]
struct SeenBase {
    /// Hash of one URL with all its parts.
    full_hash: i64,
    /// The parts of its first URL; more are in [`SeenBases::more_sets`].
    set: u32,
    first: i32,
    last: i32,
    has_others: bool,
    is_audited: bool,
    is_compared: bool,
}

/// The base URLs of the rows that were added.
#[derive(Debug)]
pub(super) struct SeenBases {
    sets: HashMap<PartSet, u32>,
    bases: HashMap<i64, SeenBase>,
    /// The further sets of base URLs with several.
    more_sets: HashSet<(i64, u32)>,
    /// The hosts of [`OTHER_SET`].
    other_hosts: HashSet<String>,
    pub(super) dates: BTreeSet<i32>,
    memory: MemoryReservation,
}

/// Rows with a part.
pub(super) struct SeenSlot {
    pub(super) domain: String,
    pub(super) date: i32,
    pub(super) slot: Slot,
    pub(super) rows: u64,
}

impl SeenBases {
    pub(super) fn new(memory: MemoryReservation) -> Self {
        Self {
            sets: HashMap::new(),
            bases: HashMap::new(),
            more_sets: HashSet::new(),
            other_hosts: HashSet::new(),
            dates: BTreeSet::new(),
            memory,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// Adds rows of [`Variants`](super::variants::Variants). Returns how many have each part.
    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<Vec<SeenSlot>> {
        let domains = batch.text("domain")?;
        let (hosts, shapes) = (batch.text("host")?, batch.text("shape")?);
        let parameters = batch.array("parameters")?.as_list::<i32>();
        let names = parameters.values().as_string::<i32>();
        let days = batch.numbers::<Date32Type>("date")?;
        let bases = batch.numbers::<Int64Type>("base_hash")?;
        let full = batch.numbers::<Int64Type>("full_hash")?;
        let audited = batch.array("is_audited")?.as_boolean();
        let mut counts: HashMap<(i32, &str, &str, &str, &str), u64> = HashMap::new();
        let before = (self.bases.len(), self.sets.len(), self.more_sets.len());
        for row in 0..batch.num_rows() {
            let (host, shape, date) = (hosts.value(row), shapes.value(row), days.value(row));
            let bounds = parameters.value_offsets();
            let names = (bounds[row]..bounds[row + 1]).map(|at| names.value(at as usize));
            let set = self.set(host, shape, names.clone());
            for name in names {
                let slot = (date, domains.value(row), host, shape, name);
                *counts.entry(slot).or_default() += 1;
            }
            self.dates.insert(date);
            self.add_row(bases.value(row), full.value(row), date, set);
            if let Some(base) = self.bases.get_mut(&bases.value(row)) {
                base.is_audited |= audited.value(row);
            }
        }
        self.memory.try_grow(
            (self.bases.len() - before.0) * BASE_BYTES
                + (self.sets.len() - before.1) * SET_BYTES
                + (self.more_sets.len() - before.2) * BASE_BYTES,
        )?;
        let slots = counts
            .into_iter()
            .map(|((date, domain, host, shape, name), rows)| SeenSlot {
                domain: domain.to_owned(),
                date,
                slot: Slot {
                    host: host.to_owned(),
                    shape: shape.to_owned(),
                    parameter: name.to_owned(),
                },
                rows,
            });
        Ok(slots.collect())
    }

    /// Adds rows without parts.
    pub(super) fn add_bare(&mut self, batch: &RecordBatch) -> Result<()> {
        let days = batch.numbers::<Date32Type>("date")?;
        let bases = batch.numbers::<Int64Type>("base_hash")?;
        let full = batch.numbers::<Int64Type>("full_hash")?;
        for row in 0..batch.num_rows() {
            if let Some(base) = self.bases.get_mut(&bases.value(row)) {
                base.add(full.value(row), days.value(row));
                self.dates.insert(days.value(row));
            }
        }
        Ok(())
    }

    fn set<'a>(
        &mut self,
        host: &str,
        shape: &str,
        parameters: impl Iterator<Item = &'a str>,
    ) -> u32 {
        let set = PartSet {
            host: host.to_owned(),
            shape: shape.to_owned(),
            parameters: parameters.map(str::to_owned).collect(),
        };
        let next = self.sets.len();
        if next < MAX_SETS {
            return *self.sets.entry(set).or_insert(next as u32);
        }
        match self.sets.get(&set) {
            Some(set) => *set,
            None => {
                self.other_hosts.insert(set.host);
                OTHER_SET
            }
        }
    }

    fn add_row(&mut self, hash: i64, full_hash: i64, date: i32, set: u32) {
        let base = self.bases.entry(hash).or_insert(SeenBase {
            full_hash,
            set,
            first: date,
            last: date,
            has_others: false,
            is_audited: false,
            is_compared: false,
        });
        base.add(full_hash, date);
        if base.set != set {
            self.more_sets.insert((hash, set));
        }
    }

    /// Keeps the base URLs whose pages may have to be compared on `date` or later, given what is
    /// decided on `date`.
    pub(super) fn keep_compared(&mut self, verdicts: &Verdicts, date: i32) {
        let names: HashMap<u32, &PartSet> =
            self.sets.iter().map(|(names, set)| (*set, names)).collect();
        let is_compared = |set: u32, is_audited: bool| {
            names
                .get(&set)
                .is_none_or(|set| set.is_compared(verdicts, date, is_audited))
        };
        for base in self.bases.values_mut() {
            base.is_compared = is_compared(base.set, base.is_audited);
        }
        for (hash, set) in &self.more_sets {
            if let Some(base) = self.bases.get_mut(hash) {
                base.is_compared |= is_compared(*set, base.is_audited);
            }
        }
        self.bases.retain(|_, base| base.is_compared);
    }

    /// The hosts of the base URLs.
    pub(super) fn hosts(&self) -> HashSet<String> {
        let hosts = self.part_sets().map(|set| set.host.clone());
        hosts.chain(self.other_hosts.iter().cloned()).collect()
    }

    /// The sets of parts of the base URLs.
    fn part_sets(&self) -> impl Iterator<Item = &PartSet> {
        let mut sets: HashSet<u32> = self.bases.values().map(|base| base.set).collect();
        sets.extend(self.more_sets.iter().map(|(_, set)| *set));
        self.sets
            .iter()
            .filter(move |(_, set)| sets.contains(set))
            .map(|(set, _)| set)
    }

    /// The hashes of the base URLs.
    pub(super) fn hashes(&self) -> impl Iterator<Item = i64> {
        self.bases.keys().copied()
    }

    /// Adds an earlier page.
    pub(super) fn add_prior(&mut self, base: i64, full_hash: i64) {
        if let Some(base) = self.bases.get_mut(&base) {
            base.has_others |= base.full_hash != full_hash;
        }
    }

    /// Keeps the base URLs with several URLs, and the dates of their rows.
    pub(super) fn keep_several(&mut self) {
        self.bases.retain(|_, base| base.has_others);
        let first = self.bases.values().map(|base| base.first).min();
        let last = self.bases.values().map(|base| base.last).max();
        self.dates
            .retain(|date| first.is_some_and(|first| first <= *date) && last >= Some(*date));
    }

    /// Whether a part of the base URLs is undecided on the first date of the chunk.
    pub(super) fn has_undecided(&self, verdicts: &Verdicts, first_date: i32) -> bool {
        let mut sets = self.part_sets();
        sets.any(|set| set.has(verdicts, first_date, Verdict::Undecided))
            || !self.other_hosts.is_empty()
    }
}

impl SeenBase {
    fn add(&mut self, full_hash: i64, date: i32) {
        self.has_others |= self.full_hash != full_hash;
        self.first = self.first.min(date);
        self.last = self.last.max(date);
    }
}

impl PartSet {
    /// Whether pages with these parts are compared with pages of their base URL. A page without an
    /// undecided part is a copy of one that has some.
    fn is_compared(&self, verdicts: &Verdicts, date: i32, is_audited: bool) -> bool {
        self.has(verdicts, date, Verdict::Undecided)
            || (is_audited && self.has(verdicts, date, Verdict::Noise))
            || verdicts.has_undecided(&self.host, &self.shape)
    }

    fn has(&self, verdicts: &Verdicts, date: i32, verdict: Verdict) -> bool {
        self.parameters
            .iter()
            .any(|name| verdicts.verdict(&self.host, &self.shape, name, date) == verdict)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, UnboundedMemoryPool};

    use super::*;

    fn bases() -> SeenBases {
        let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
        SeenBases::new(MemoryConsumer::new("test").register(&pool))
    }

    /// Adds a row with a base URL and one parameter.
    fn add(bases: &mut SeenBases, base: i64, parameter: &str) {
        let set = bases.set("a.example", "/s", std::iter::once(parameter));
        bases.add_row(base, base, 1, set);
    }

    #[test]
    fn a_base_url_is_compared_if_one_of_its_parameters_is_undecided() {
        let slot = |parameter: &str| Slot {
            host: "a.example".to_owned(),
            shape: "/s".to_owned(),
            parameter: parameter.to_owned(),
        };
        let mut verdicts = Verdicts::default();
        verdicts.insert(slot("id"), 0, Verdict::Identifies);
        verdicts.insert(slot("skin"), 0, Verdict::Noise);
        let mut seen = bases();
        for (base, parameter) in [(1, "id"), (2, "skin"), (3, "skin"), (3, "new")] {
            add(&mut seen, base, parameter);
        }
        seen.keep_compared(&verdicts, 1);
        assert_eq!(seen.hashes().collect::<Vec<_>>(), [3]);

        let mut seen = bases();
        add(&mut seen, 2, "skin");
        verdicts.insert_undecided(slot("new"));
        seen.keep_compared(&verdicts, 1);
        assert!(!seen.is_empty(), "a page with `new` may be its copy");
    }

    #[test]
    fn base_urls_of_a_site_that_invents_names_are_all_compared() {
        let mut seen = bases();
        let rows = MAX_SETS as i64 + 10;
        for base in 0..rows {
            add(&mut seen, base, &format!("p{base}"));
        }
        assert_eq!(seen.sets.len(), MAX_SETS);
        seen.keep_compared(&Verdicts::default(), 1);
        assert_eq!(seen.hashes().count() as i64, rows);
        assert_eq!(seen.hosts(), HashSet::from(["a.example".to_owned()]));
    }
}
