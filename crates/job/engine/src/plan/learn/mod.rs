//! Learns which parts of URLs identify a page, before the plan of a chunk runs.
//!
//! The plan decides about duplicates before it reads HTML. So pages that differ in undecided parts
//! of their URLs are compared here, in a separate pass over these rows alone. A chunk whose URLs
//! have no such parts takes one look at each URL.
//!
//! ```text
//! 1 Variants     the base URLs of rows with parts, and their domains
//! 2              the verdicts about these domains, from url_parameters
//! 3 Variants     base URLs with several pages and an undecided part: the rows to compare
//! 4 by round     Scan, Key, Candidates, Dedupe, Block: the signatures of these rows
//!                a Learner per domain decides, in time order
//! ```
//!
//! A round has some dates: first one, then twice as many each time. Verdicts of a round leave rows
//! out of the next, so that a parameter which is noise from the second date on is read on the first
//! only. The number of rounds decides no row: a verdict holds from the date after its evidence.

pub(crate) mod candidates;
pub(crate) mod learned;
pub(crate) mod prior_pages;
mod rows;
mod variants;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type};
use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{LogicalPlan, ident};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;
use site_replay::{Lookback, Queries};
use tables::{DateRange, date_from_days, days_from_date};
use url_parameters::{ComparedPage, Learner, Outcome, Signature, Slot, SlotChange, Verdict};

use crate::archive::Census;
use crate::job::{Job, Settings};
use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::{RecordBatchExt, Status, value_opt};
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::plan::exec::step::apply;
use crate::plan::row_group_scan::row_group_scan;
use crate::plan::session::session;
use crate::plan::steps::{block, dedupe, key, scan};
use crate::progress::{ProgressReporter, Unwatched};
use crate::state::chunk_keys::{ChunkKeys, base_hash};
use crate::state::delta_scan::external;
use crate::state::key_hash::hash;
use crate::state::prior_state::PriorState;

use candidates::{Candidates, split_audit};
use learned::Learned;
use variants::Variants;

pub(crate) use rows::url_parameters;

/// Bytes of a page that later pages are compared with: its URL, parts and signature, and their index.
const PAGE_BYTES: usize = 1024;

/// Bytes of a hash in a set.
const HASH_BYTES: usize = 16;

/// Bytes of a base URL in a map.
const BASE_BYTES: usize = 2 * size_of::<(i64, Base)>();

/// Bytes of a page with the content of another: two positions.
const COPY_BYTES: usize = 256;

/// Learns from the rows of `chunk`.
pub(crate) async fn learn(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    prior: &PriorState,
) -> Result<(Learned, PlanMetrics)> {
    let mut pass = Pass::new(job, census, chunk)?;
    if learns(&job.settings) {
        pass.run(prior).await?;
    }
    Ok((pass.learned, pass.metrics))
}

/// Whether a job compares pages. A page that is compared with all earlier ones cannot be a new page
/// after some days, so a limited lookback leaves all parts in the keys, and compares nothing.
fn learns(settings: &Settings) -> bool {
    settings.queries == Queries::Learn && settings.lookback == Lookback::All
}

/// The pass over one chunk.
struct Pass<'a> {
    job: &'a Job,
    census: &'a Census,
    chunk: DateRange,
    context: SessionContext,
    learned: Learned,
    metrics: PlanMetrics,
    /// By domain.
    learners: BTreeMap<String, Learner<String>>,
    /// Hosts whose earlier pages have parts that are undecided or noise.
    hosts: Arc<HashSet<String>>,
    /// Hashes of the keys, with all parts, of pages that are known to be other pages or copies.
    known: HashSet<i64>,
    memory: MemoryReservation,
}

/// The rows of one base URL.
struct Base {
    full_hash: i64,
    has_others: bool,
    is_compared: bool,
}

impl<'a> Pass<'a> {
    fn new(job: &'a Job, census: &'a Census, chunk: DateRange) -> Result<Self> {
        let context = session(job)?;
        let pool = Arc::clone(&context.runtime_env().memory_pool);
        Ok(Self {
            job,
            census,
            chunk,
            memory: MemoryConsumer::new("pages to compare").register(&pool),
            context,
            learned: Learned::default(),
            metrics: PlanMetrics::default(),
            learners: BTreeMap::new(),
            hosts: Arc::default(),
            known: HashSet::new(),
        })
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.job.settings)
    }

    async fn run(&mut self, prior: &PriorState) -> Result<()> {
        prior.register(&self.context, self.chunk.first()).await?;
        self.hosts = Arc::new(prior_pages::open_hosts(prior, &self.context, self.chunk).await?);
        let mut domains = BTreeSet::new();
        let mut bases = HashSet::new();
        let variants = self.variants(None)?;
        self.each(variants, |_, batch| {
            domains.extend(batch.text("domain")?.iter().flatten().map(str::to_owned));
            bases.extend(batch.numbers::<Int64Type>("base_hash")?.values());
            Ok(())
        })
        .await?;
        if bases.is_empty() {
            return Ok(());
        }
        let domains = ChunkKeys::domain_table(domains)?;
        self.context.register_table("chunk_domains", domains)?;
        self.restore_slots(prior).await?;
        let (bases, dates) = self.bases(bases).await?;
        let bases = Arc::new(self.restore_pages(prior, bases).await?);
        if !bases.is_empty() {
            for round in rounds(&dates) {
                self.round(round, &bases).await?;
            }
        }
        for (domain, learner) in std::mem::take(&mut self.learners) {
            self.learned.add(&domain, learner.finish());
        }
        Ok(())
    }

    fn variants(&self, bases: Option<Arc<HashSet<i64>>>) -> Result<LogicalPlan> {
        let variants = Variants {
            settings: self.settings(),
            verdicts: Arc::new(self.learned.verdicts.clone()),
            bases,
            hosts: Arc::clone(&self.hosts),
        };
        apply(variants, self.scanned(self.chunk)?)
    }

    fn scanned(&self, dates: DateRange) -> Result<LogicalPlan> {
        let scan = scan::Scan {
            archive: self.job.archive.clone(),
            dates,
        };
        apply(scan, row_group_scan(self.job, self.census, dates)?)
    }

    /// Restores the evidence about the domains of the chunk, and the verdicts.
    async fn restore_slots(&mut self, prior: &PriorState) -> Result<()> {
        for (domain, slot, evidence) in prior_pages::slots(prior, &self.context, self.chunk).await?
        {
            let verdicts = &mut self.learned.verdicts;
            match evidence.verdict {
                Verdict::Undecided => verdicts.insert_undecided(slot.clone()),
                verdict => verdicts.insert(slot.clone(), evidence.since, verdict),
            }
            let learner = self.learners.entry(domain).or_default();
            learner.restore_slot(slot, evidence);
        }
        Ok(())
    }

    /// Returns the bases with a row to compare, and whether other rows of the chunk have the base.
    /// Also returns the dates of these rows.
    async fn bases(
        &mut self,
        with_parts: HashSet<i64>,
    ) -> Result<(HashMap<i64, Base>, BTreeSet<NaiveDate>)> {
        let mut bases: HashMap<i64, Base> = HashMap::new();
        let mut dates = BTreeSet::new();
        let variants = self.variants(Some(Arc::new(with_parts)))?;
        self.each(variants, |pass, batch| {
            let (domains, slots) = (batch.text("domain")?, batch.text("slots")?);
            let days = batch.numbers::<Date32Type>("date")?;
            let found = batch.numbers::<Int64Type>("base_hash")?;
            let full = batch.numbers::<Int64Type>("full_hash")?;
            let compared = batch.array("is_compared")?.as_boolean();
            for row in 0..batch.num_rows() {
                dates.insert(date_from_days(days.value(row)));
                let base = bases.entry(found.value(row)).or_insert(Base {
                    full_hash: full.value(row),
                    has_others: false,
                    is_compared: false,
                });
                base.has_others |= base.full_hash != full.value(row);
                base.is_compared |= compared.value(row);
                let mut names = slots.value(row).split('\n');
                let (host, shape) = (names.next(), names.next());
                for name in names {
                    let slot = Slot {
                        host: host.unwrap_or_default().to_owned(),
                        shape: shape.unwrap_or_default().to_owned(),
                        parameter: name.to_owned(),
                    };
                    pass.learner(domains.value(row)).see(days.value(row), slot);
                }
            }
            Ok(())
        })
        .await?;
        bases.retain(|_, base| base.is_compared);
        self.memory.try_grow(bases.len() * BASE_BYTES)?;
        Ok((bases, dates))
    }

    /// Restores the pages of `bases`. Returns the bases with several pages.
    async fn restore_pages(
        &mut self,
        prior: &PriorState,
        bases: HashMap<i64, Base>,
    ) -> Result<HashSet<i64>> {
        if bases.is_empty() {
            return Ok(HashSet::new());
        }
        let hashes: Vec<i64> = bases.keys().copied().collect();
        let mut several: HashSet<i64> = (bases.iter())
            .filter(|(_, base)| base.has_others)
            .map(|(hash, _)| *hash)
            .collect();
        ChunkKeys::register(&self.context, &hashes)?;
        self.context.register_udf(base_hash(self.settings()));
        let lookback = self.job.settings.lookback;
        let pages = prior
            .first_pages(&self.context, lookback, self.chunk)
            .await?;
        let Some(pages) = pages else {
            return Ok(several);
        };
        let sorted = ["fetched_at", "url", "source", "row"];
        let pages = pages.sort(sorted.map(|column| ident(column).sort(true, true)).to_vec())?;
        let plan = pages.into_unoptimized_plan();
        let settings = self.settings();
        self.each(plan, |pass, batch| {
            for page in prior_pages::pages(batch, &settings)? {
                let base = hash(&page.parts.base);
                let full_hash = page.full_hash;
                if bases
                    .get(&base)
                    .is_some_and(|base| base.full_hash != full_hash)
                {
                    several.insert(base);
                }
                pass.memory.try_grow(HASH_BYTES)?;
                pass.known.insert(full_hash);
                if let Some(compared) = page.compared {
                    let learner = pass.learner(&page.domain);
                    let before = learner.pages();
                    learner.restore_page(compared);
                    let added = learner.pages() - before;
                    pass.memory.try_grow(added * PAGE_BYTES)?;
                }
            }
            Ok(())
        })
        .await?;
        Ok(several)
    }

    /// Compares the pages of some dates.
    async fn round(&mut self, dates: DateRange, bases: &Arc<HashSet<i64>>) -> Result<()> {
        let archive = || self.job.archive.clone();
        let keyed = key::Key {
            archive: archive(),
            settings: self.settings(),
            learned: Arc::default(),
        };
        let candidates = Candidates {
            settings: self.settings(),
            bases: Arc::clone(bases),
            known: Arc::new(std::mem::take(&mut self.known)),
        };
        let known = Arc::clone(&candidates.known);
        let rows = apply(candidates, apply(keyed, self.scanned(dates)?)?)?;
        let dedupe = dedupe::Dedupe {
            settings: self.settings(),
            // Only the first page with text of each key is compared.
            revisions: false,
            learned: Arc::default(),
        };
        let deduped = apply(dedupe, rows)?;
        let reporter = ProgressReporter::new(Arc::new(Unwatched), self.census);
        let threads = self.job.resources.threads;
        let blocked = block::Block::new(archive(), self.settings(), reporter, threads);
        let blocked = apply(blocked, deduped)?;
        let columns = [
            "domain",
            "date",
            "fetched_at",
            "url",
            "url_key",
            "source",
            "row",
            "status",
            "signature",
        ];
        let sorted = ["domain", "fetched_at", "url", "source", "row"];
        let rows = DataFrame::new(self.context.state(), blocked)
            .select(columns.map(ident).to_vec())?
            .sort(sorted.map(|column| ident(column).sort(true, true)).to_vec())?;
        let plan = rows.into_unoptimized_plan();
        let before = Arc::clone(&known);
        self.each(plan, |pass, batch| pass.compare(batch, &before))
            .await?;
        drop(before);
        let known = Arc::unwrap_or_clone(known);
        self.known.extend(known);
        let next = days_from_date(dates.last()).saturating_add(1);
        for (domain, learner) in &mut self.learners {
            self.learned.add(domain, learner.changes_before(next));
        }
        Ok(())
    }

    /// Decides about the rows of `batch`, which come by domain in time order.
    fn compare(&mut self, batch: &RecordBatch, known: &HashSet<i64>) -> Result<()> {
        let (domains, urls) = (batch.text("domain")?, batch.text("url")?);
        let (keys, statuses) = (batch.text("url_key")?, batch.text("status")?);
        let dates = batch.numbers::<Date32Type>("date")?;
        let (sources, rows) = (batch.text("source")?, batch.numbers::<Int64Type>("row")?);
        let signatures = batch.bytes("signature")?;
        let settings = self.settings();
        for row in 0..batch.num_rows() {
            let status = Status::from_name(statuses.value(row))?;
            let position = (sources.value(row).to_owned(), rows.value(row));
            let signature = match status {
                Status::Unique if signatures.is_valid(row) => {
                    Signature::from_bytes(signatures.value(row)).map_err(external)?
                }
                Status::Quarantined => Signature::default(),
                _ => continue,
            };
            let (Some(domain), Some(url)) = (value_opt(domains, row), value_opt(urls, row)) else {
                continue;
            };
            let Ok(parsed) = settings.keyer.parse(url) else {
                continue;
            };
            let Some(parts) = settings.keyer.parts(&parsed) else {
                continue;
            };
            let is_empty = signature.is_empty();
            let page = ComparedPage {
                date: dates.value(row),
                url: url.to_owned(),
                parts,
                signature,
                page: format!("{}#{}", position.0, position.1),
            };
            let (key, may_be_audited) = split_audit(keys.value(row));
            let key = hash(key);
            if may_be_audited {
                self.learner(domain).audit(&page);
            }
            if known.contains(&key) || self.known.contains(&key) {
                continue;
            }
            if is_empty {
                self.learned.without_text.insert(position);
                continue;
            }
            let learner = self.learner(domain);
            let before = learner.pages();
            let outcome = learner.page(page);
            let added = learner.pages() - before;
            self.memory.try_grow(added * PAGE_BYTES)?;
            match outcome {
                Outcome::New => {
                    self.memory.try_grow(HASH_BYTES)?;
                    self.known.insert(key);
                }
                Outcome::SameContent { original } => {
                    self.memory.try_grow(HASH_BYTES + COPY_BYTES)?;
                    self.known.insert(key);
                    self.learned.same_content.insert(position, original);
                }
                Outcome::SameKey { .. } => {}
            }
        }
        Ok(())
    }

    fn learner(&mut self, domain: &str) -> &mut Learner<String> {
        self.learners.entry(domain.to_owned()).or_default()
    }

    /// Calls `each` with the batches of a plan.
    async fn each(
        &mut self,
        plan: LogicalPlan,
        mut each: impl FnMut(&mut Self, &RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let plan = DataFrame::new(self.context.state(), plan);
        let plan = plan.create_physical_plan().await?;
        let mut batches = execute_stream(Arc::clone(&plan), self.context.task_ctx())?;
        while let Some(batch) = batches.try_next().await? {
            each(self, &batch)?;
        }
        drop(batches);
        self.metrics.add(plan_metrics(plan.as_ref()));
        Ok(())
    }
}

impl Learned {
    /// Adds what a domain's pages changed.
    fn add(&mut self, domain: &str, changes: Vec<SlotChange>) {
        for change in changes {
            let (slot, evidence) = (change.slot.clone(), &change.evidence);
            if evidence.verdict != Verdict::Undecided {
                self.verdicts.insert(slot, evidence.since, evidence.verdict);
            }
            self.changes.push((domain.to_owned(), change));
        }
    }
}

/// Groups dates into ranges of one date, then of twice as many each time.
fn rounds(dates: &BTreeSet<NaiveDate>) -> Vec<DateRange> {
    let dates: Vec<NaiveDate> = dates.iter().copied().collect();
    let (mut rounds, mut rest, mut length) = (Vec::new(), &dates[..], 1);
    while let Some(first) = rest.first() {
        let (round, later) = rest.split_at(length.min(rest.len()));
        let last = round.last().unwrap_or(first);
        rounds.push(DateRange::between(*first, *last));
        (rest, length) = (later, length * 2);
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_double() {
        let dates = (1..=11).map(|day| format!("2011-10-{day:02}").parse().unwrap());
        let rounds = rounds(&dates.collect());
        let texts: Vec<String> = rounds.iter().map(ToString::to_string).collect();
        let expected = [
            "2011-10-01",
            "2011-10-02..2011-10-03",
            "2011-10-04..2011-10-07",
            "2011-10-08..2011-10-11",
        ];
        assert_eq!(texts, expected);
    }
}
