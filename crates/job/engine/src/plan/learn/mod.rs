//! Learns which parts of URLs identify a page, before the plan of a chunk runs.
//!
//! The plan decides about duplicates before it reads HTML. So pages that differ in undecided parts
//! of their URLs are compared here, in a separate pass over these rows alone. A chunk whose URLs
//! have no such parts takes one look at each URL.
//!
//! ```text
//! 1 Variants     the base URLs of rows with parts, and their domains
//! 2              the verdicts about these domains, from url_parameters
//! 3 Variants     the same base URLs without parts
//! 4              earlier pages of base URLs with an undecided part, from url_keys
//! 5 by round     Scan, Candidates, Key, Dedupe, Block: the signatures of rows to compare
//!                a Learner per domain decides, in time order
//! ```
//!
//! A round has some dates: first one, then twice as many each time. Verdicts of a round leave rows
//! out of the next: those of base URLs of which every part is decided, and pages that differ from a
//! known page in noise only. So the HTML of a parameter that is noise from the second date on is
//! read on the first only, but for audited pages. If noise turns out
//! to identify pages, the rest of the round is repeated for this domain. The number of rounds
//! decides no row: a verdict holds from the date after its evidence.

pub(crate) mod candidates;
pub(crate) mod learned;
mod parts_hash;
pub(crate) mod prior_pages;
mod rounds;
mod rows;
mod seen_bases;
pub(crate) mod variants;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type};
use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{LogicalPlan, ident};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;
use tables::{DateRange, date_from_days, days_from_date};
use url_parameters::{ComparedPage, Learner, Outcome, Signature, SlotChange, Verdict};

use crate::archive::Census;
use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::{RecordBatchExt, Status, value_opt};
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::plan::exec::step::apply;
use crate::plan::prior::chunk_keys::{ChunkKeys, domain_table};
use crate::plan::prior::key_hash::hash;
use crate::plan::prior::state::PriorState;
use crate::plan::row_group_scan::row_group_scan;
use crate::plan::session::session;
use crate::plan::steps::{block, dedupe, key, scan};
use crate::progress::ProgressReporter;
use crate::session_extension::with_metrics;
use crate::settings::Settings;
use crate::state::delta_scan::external;

use candidates::{AuditKeys, Bases, Candidates, Compared, KnownPages, may_be_audited};
use learned::Learned;
use parts_hash::parts_hash;
use rounds::doubling;
use seen_bases::SeenBases;
use variants::{Selected, Variants};

pub(crate) use rows::url_parameters;

/// Bytes of a page that later pages are compared with: its URL, parts and signature, and their index.
const PAGE_BYTES: usize = 1024;

/// Bytes of the learner of a domain without slots and pages, and its place in a map.
const LEARNER_BYTES: usize = 512;

/// Bytes of a hash in a set.
const HASH_BYTES: usize = 16;

/// Bytes of a page with the content of another: two positions.
const COPY_BYTES: usize = 256;

/// Learns from the rows of `chunk`.
pub(crate) async fn learn(
    job: &Job,
    census: &Census,
    chunk: DateRange,
    prior: &PriorState,
    reporter: &ProgressReporter,
) -> Result<(Learned, PlanMetrics)> {
    let mut pass = Pass::new(job, census, chunk, reporter)?;
    if job.settings.site.learns() {
        pass.run(prior).await?;
    }
    Ok((pass.learned, pass.metrics))
}

/// The pass over one chunk.
struct Pass<'a> {
    job: &'a Job,
    census: &'a Census,
    chunk: DateRange,
    reporter: &'a ProgressReporter,
    context: SessionContext,
    learned: Learned,
    metrics: PlanMetrics,
    /// By domain.
    learners: BTreeMap<String, Learner<String>>,
    /// Hashes of the URLs, with all parts, of pages that are known to be other pages or copies.
    known: HashSet<i64>,
    /// Domains where noise turned out to identify pages within a round, and the first date after.
    withdrawn: BTreeMap<String, i32>,
    memory: MemoryReservation,
}

impl<'a> Pass<'a> {
    fn new(
        job: &'a Job,
        census: &'a Census,
        chunk: DateRange,
        reporter: &'a ProgressReporter,
    ) -> Result<Self> {
        let context = session(job)?;
        let pool = Arc::clone(&context.runtime_env().memory_pool);
        Ok(Self {
            job,
            census,
            chunk,
            reporter,
            memory: MemoryConsumer::new("pages to compare").register(&pool),
            context,
            learned: Learned::default(),
            metrics: PlanMetrics::default(),
            learners: BTreeMap::new(),
            known: HashSet::new(),
            withdrawn: BTreeMap::new(),
        })
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.job.settings)
    }

    async fn run(&mut self, prior: &PriorState) -> Result<()> {
        prior
            .register(&self.context, self.job, self.chunk.first())
            .await?;
        let mut bases = self.seen_bases(prior).await?;
        if bases.is_empty() {
            return Ok(());
        }
        let domains = self.learners.keys().cloned().collect();
        let domains = domain_table(domains)?;
        self.context.register_table("chunk_domains", domains)?;
        self.restore_slots(prior).await?;
        let first_date = days_from_date(self.chunk.first());
        bases.keep_compared(&self.learned.verdicts, first_date);
        if !bases.is_empty() {
            self.add_bare_rows(&mut bases).await?;
            self.restore_pages(prior, &mut bases).await?;
            bases.keep_several();
        }
        for dates in self.rounds(&bases) {
            // A part that is decided is never undecided again.
            bases.keep_compared(&self.learned.verdicts, days_from_date(dates.first()));
            if bases.is_empty() {
                break;
            }
            let bases = Arc::new(Bases {
                hosts: bases.hosts(),
                urls: bases.hashes().collect(),
            });
            self.round(dates, &bases, None).await?;
            while !self.withdrawn.is_empty() {
                let again = Arc::new(std::mem::take(&mut self.withdrawn));
                self.round(dates, &bases, Some(again)).await?;
            }
        }
        for (domain, learner) in std::mem::take(&mut self.learners) {
            self.learned.add(&domain, learner.finish());
        }
        Ok(())
    }

    /// Reads the base URLs of the rows with parts, and of hosts whose earlier pages have parts.
    async fn seen_bases(&mut self, prior: &PriorState) -> Result<SeenBases> {
        let hosts = prior_pages::open_hosts(prior, &self.context, self.chunk).await?;
        let mut bases = SeenBases::new(self.memory.new_empty());
        let variants = self.variants(Selected::WithParts { hosts })?;
        self.each(variants, |pass, batch| {
            for domain in batch.text("domain")?.iter().flatten() {
                if !pass.learners.contains_key(domain) {
                    pass.memory.try_grow(LEARNER_BYTES + domain.len())?;
                    pass.learner(domain);
                }
            }
            for seen in bases.add(batch)? {
                pass.learner(&seen.domain)
                    .see(seen.date, seen.slot, seen.rows);
            }
            Ok(())
        })
        .await?;
        Ok(bases)
    }

    /// Adds the rows of base URLs that have no parts.
    async fn add_bare_rows(&mut self, bases: &mut SeenBases) -> Result<()> {
        let variants = self.variants(Selected::Bases {
            hosts: bases.hosts(),
            bases: bases.hashes().collect(),
        })?;
        self.each(variants, |_, batch| bases.add_bare(batch)).await
    }

    fn variants(&self, selected: Selected) -> Result<LogicalPlan> {
        let variants = Variants::new(self.job, selected);
        apply(variants, self.scanned(self.chunk)?)
    }

    /// The dates of each round. If nothing is undecided, no round can leave more rows out of the
    /// next.
    fn rounds(&self, bases: &SeenBases) -> Vec<DateRange> {
        let dates: Vec<NaiveDate> = bases
            .dates
            .iter()
            .map(|days| date_from_days(*days))
            .collect();
        let first_date = days_from_date(self.chunk.first());
        if bases.has_undecided(&self.learned.verdicts, first_date) {
            return doubling(&dates);
        }
        let ends = dates.first().zip(dates.last());
        let all = ends.map(|(first, last)| DateRange::between(*first, *last));
        all.into_iter().collect()
    }

    fn scanned(&self, dates: DateRange) -> Result<LogicalPlan> {
        let scan = scan::Scan::new(self.job, dates);
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

    /// Restores the earlier pages of `bases`.
    async fn restore_pages(&mut self, prior: &PriorState, bases: &mut SeenBases) -> Result<()> {
        let pool = Arc::clone(&self.context.runtime_env().memory_pool);
        let keys = ChunkKeys::of(bases.hashes(), &pool)?;
        let pages = prior
            .first_pages(&self.context, self.job, self.chunk, keys)
            .await?;
        let Some(pages) = pages else { return Ok(()) };
        let pages = DataFrame::new(self.context.state(), pages);
        let sorted = ["fetched_at", "url", "source", "row"];
        let pages = pages.sort(sorted.map(|column| ident(column).sort(true, true)).to_vec())?;
        let plan = pages.into_unoptimized_plan();
        let settings = self.settings();
        self.each(plan, |pass, batch| {
            for page in prior_pages::pages(batch, &settings)? {
                bases.add_prior(hash(&page.parts.base), page.full_hash);
                pass.memory.try_grow(HASH_BYTES)?;
                pass.known.insert(page.full_hash);
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
        .await
    }

    /// Compares the pages of some dates, or with `again` those of some domains, each from a date on.
    async fn round(
        &mut self,
        dates: DateRange,
        bases: &Arc<Bases>,
        again: Option<Arc<BTreeMap<String, i32>>>,
    ) -> Result<()> {
        let (known, keys_memory) = self.known_pages()?;
        let known = Arc::new(known);
        let plan = self.round_plan(dates, bases, &known, again.clone())?;
        let before = Arc::clone(&known);
        self.each(plan, |pass, batch| pass.compare(batch, &before.full))
            .await?;
        drop((before, keys_memory));
        let known = Arc::unwrap_or_clone(known);
        self.known.extend(known.full);
        self.end_round(dates, again.as_deref());
        Ok(())
    }

    /// Returns the pages that were compared, and the memory of their keys.
    fn known_pages(&mut self) -> Result<(KnownPages, MemoryReservation)> {
        let memory = self.memory.new_empty();
        let mut known = KnownPages {
            full: std::mem::take(&mut self.known),
            verdicts: self.learned.verdicts.clone(),
            ..KnownPages::default()
        };
        for learner in self.learners.values().filter(|learner| learner.has_noise()) {
            for (base, parts) in learner.keys() {
                known.without_noise.insert(parts_hash(base, parts));
            }
            memory.try_resize(known.without_noise.len() * HASH_BYTES)?;
        }
        Ok((known, memory))
    }

    fn round_plan(
        &self,
        dates: DateRange,
        bases: &Arc<Bases>,
        known: &Arc<KnownPages>,
        domains: Option<Arc<BTreeMap<String, i32>>>,
    ) -> Result<LogicalPlan> {
        let compared = Compared {
            bases: Arc::clone(bases),
            known: Arc::clone(known),
            domains,
        };
        let candidates = Candidates::new(self.job, compared);
        // Keys keep all parts.
        let keyed = key::Key::new(self.job, Arc::default());
        // Only the first page with text of each key is compared, so there are no revisions.
        let dedupe = dedupe::Dedupe::new(self.job, false, Arc::default());
        let block = block::Block::new(self.job, ProgressReporter::unwatched());
        let candidates = apply(candidates, self.scanned(dates)?)?;
        let keyed = apply(AuditKeys, apply(keyed, candidates)?)?;
        let blocked = apply(block, apply(dedupe, keyed)?)?;
        let columns = [
            "domain",
            "date",
            "fetched_at",
            "url",
            "source",
            "row",
            "status",
            "signature",
        ];
        let sorted = ["domain", "fetched_at", "url", "source", "row"];
        let rows = DataFrame::new(self.context.state(), blocked)
            .select(columns.map(ident).to_vec())?
            .sort(sorted.map(|column| ident(column).sort(true, true)).to_vec())?;
        Ok(rows.into_unoptimized_plan())
    }

    /// Ends the dates of a round, for all domains or those of `again`.
    fn end_round(&mut self, dates: DateRange, again: Option<&BTreeMap<String, i32>>) {
        let next = days_from_date(dates.last()).saturating_add(1);
        for (domain, learner) in &mut self.learners {
            let is_done = again.is_some_and(|again| !again.contains_key(domain));
            if is_done {
                continue;
            }
            if !self.withdrawn.contains_key(domain)
                && let Some(since) = learner.advance_to(next)
                && since < next
            {
                self.withdrawn.insert(domain.clone(), since);
            }
            self.learned.add(domain, learner.take_changes());
        }
    }

    /// Decides about the rows of `batch`, which come by domain in time order.
    fn compare(&mut self, batch: &RecordBatch, known: &HashSet<i64>) -> Result<()> {
        let (domains, urls) = (batch.text("domain")?, batch.text("url")?);
        let statuses = batch.text("status")?;
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
            let Ok(parsed) = settings.site.keyer.parse(url) else {
                continue;
            };
            let Some(parts) = settings.site.keyer.parts(&parsed) else {
                continue;
            };
            let is_empty = signature.is_empty();
            let may_be_audited = may_be_audited(url, &parts);
            let key = parts_hash(&parts.base, &parts.parts);
            let page = ComparedPage {
                date: dates.value(row),
                url: url.to_owned(),
                parts,
                signature,
                page: format!("{}#{}", position.0, position.1),
            };
            if self.is_withdrawn(domain, page.date) {
                continue;
            }
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

    /// Begins the date of a page. Returns whether noise of the domain turned out to identify pages
    /// earlier in the round, so that pages from then on have to be read again.
    fn is_withdrawn(&mut self, domain: &str, date: i32) -> bool {
        if !self.withdrawn.contains_key(domain)
            && let Some(since) = self.learner(domain).advance_to(date)
        {
            self.withdrawn.insert(domain.to_owned(), since);
        }
        self.withdrawn.contains_key(domain)
    }

    fn learner(&mut self, domain: &str) -> &mut Learner<String> {
        if !self.learners.contains_key(domain) {
            self.learners.insert(domain.to_owned(), Learner::default());
        }
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
        let plan = with_metrics(self.job.session_extension.as_ref(), plan).await;
        self.reporter.executed(self.chunk, plan.as_ref());
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
