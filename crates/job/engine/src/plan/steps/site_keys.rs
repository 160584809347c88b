//! Decides about the pages whose keys may change within a chunk, or that may be copies of pages with
//! another key: those of the bases that [`Dedupe`](crate::plan::steps::dedupe::Dedupe) announced. With
//! `dedup.revisions` these are all bases with copies, because the first copy with text is the page.
//!
//! Rows come by domain in time order: the bases, the rows of earlier dates, then all rows of the chunk. The pages
//! of these bases get their key, status and original from [`PageKeys`]. The others keep what Dedupe found.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Int32Array, Int32Builder, Int64Array,
    RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow::compute::{filter_record_batch, nullif};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use site_replay::{Content, FoundBy, KeyedPage, PageKeys, Role, StoredPage};
use url_key::{DuplicateReason, PageUrl, may_have_parts};
use url_parameters::{Openness, Signature};

use crate::archive::ArchiveSource;
use crate::plan::columns::schemas::{BLOCKED, RecordBatchExt, project_to, value_opt};
use crate::plan::columns::status::{Phase, Status, Statuses};
use crate::plan::columns::url_parameters::learned_rows;
use crate::plan::html_reader::PageStream;
use crate::plan::prior::learned::Learned;
use crate::plan::steps::dedupe::{Originals, merged_by_step};
use crate::plan::steps::known_pages::{KnownPages, PageNumber};
use crate::plan::steps::parse_pages::{as_unique, block, unreadable};
use crate::settings::Settings;
use crate::tables_state::table_files::external;

/// The keys of the pages of one partition.
pub(crate) struct SiteKeys {
    settings: Arc<Settings>,
    archive: ArchiveSource,
    learned: Arc<Learned>,
    memory: MemoryReservation,
    domain: Option<DomainKeys>,
}

struct DomainKeys {
    name: String,
    /// The bases that Dedupe announced, by hash.
    open: HashSet<i64>,
    keys: PageKeys<PageNumber>,
    pages: KnownPages,
}

/// The decision about a row.
enum Decision {
    /// It was only looked up.
    Dropped,
    /// It stays as it is.
    Kept,
    /// It has another key, because of what was learned within the chunk, and else stays as it is.
    Rekeyed { key: String },
    /// It is the first page of its key, or a duplicate.
    Decided {
        key: String,
        duplicate: Option<Duplicate>,
    },
}

/// The page that a duplicate repeats.
struct Duplicate {
    /// The position of the page in the archive.
    of: String,
    by: DuplicateReason,
}

impl SiteKeys {
    pub(crate) fn new(
        settings: Arc<Settings>,
        archive: ArchiveSource,
        learned: Arc<Learned>,
        memory: MemoryReservation,
    ) -> Self {
        Self {
            settings,
            archive,
            learned,
            memory,
            domain: None,
        }
    }

    /// Decides about the next rows.
    pub(crate) async fn batch(&mut self, batch: RecordBatch) -> Result<Vec<RecordBatch>> {
        if !self.settings.site.learns() && !self.settings.finds_pages_among_revisions() {
            return Ok(vec![batch]);
        }
        let (mut done, mut rest) = (Vec::new(), vec![batch]);
        while let Some(rows) = rest.pop() {
            let decisions = self.decide(&rows, &mut done)?;
            let next = decisions.len();
            done.push(self.decided(&rows.slice(0, next), &decisions)?);
            if next < rows.num_rows() {
                let after = next + 1;
                rest.push(rows.slice(after, rows.num_rows() - after));
                rest.push(self.parsed(&rows.slice(next, 1)).await?);
            }
        }
        done.retain(|rows| rows.num_rows() > 0);
        Ok(done)
    }

    /// Ends the last domain. Returns what it showed about the parts of URLs.
    pub(crate) fn finish(&mut self) -> Result<Option<RecordBatch>> {
        let Some(mut domain) = self.domain.take() else {
            return Ok(None);
        };
        self.memory.free();
        let changes = domain.keys.finish();
        (!changes.is_empty())
            .then(|| learned_rows(&domain.name, &changes))
            .transpose()
    }

    /// Decides about rows up to one whose page has to be parsed.
    fn decide(
        &mut self,
        batch: &RecordBatch,
        done: &mut Vec<RecordBatch>,
    ) -> Result<Vec<Decision>> {
        let rows = Rows::new(batch)?;
        let mut decisions = Vec::new();
        for row in 0..batch.num_rows() {
            let decision = match value_opt(rows.domains, row) {
                None => Decision::Kept,
                Some(name) => {
                    if self
                        .domain
                        .as_ref()
                        .is_some_and(|domain| domain.name != name)
                    {
                        done.extend(self.finish()?);
                    }
                    let domain = (self.domain).get_or_insert_with(|| {
                        DomainKeys::new(name, &self.settings, &self.learned)
                    });
                    let Some(decision) = domain.decide(&rows, row, &self.settings)? else {
                        break;
                    };
                    self.memory.try_resize(domain.bytes())?;
                    decision
                }
            };
            decisions.push(decision);
        }
        Ok(decisions)
    }

    /// Parses the page in the only row of `rows`.
    async fn parsed(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        let mut pages = PageStream::of(&self.archive, rows).await?;
        let rows = as_unique(rows)?;
        let parsed = match pages.next()? {
            Some(Ok(pages)) => block(&rows, &pages, &self.settings)?,
            Some(Err(error)) => unreadable(&rows, &error.to_string(), &self.settings)?,
            None => unreadable(&rows, "the row is not there any more", &self.settings)?,
        };
        Ok(parsed.rows)
    }

    /// Carries the decisions out.
    fn decided(&self, batch: &RecordBatch, decisions: &[Decision]) -> Result<RecordBatch> {
        if decisions
            .iter()
            .all(|decision| matches!(decision, Decision::Kept))
        {
            return Ok(batch.clone());
        }
        let rows = Rows::new(batch)?;
        let (merged_by, duplicate_of) = (batch.text("merged_by")?, batch.text("duplicate_of")?);
        let phases = batch.numbers::<Int32Type>("phase")?;
        let (mut kept, mut has_no_content) = (Vec::new(), Vec::new());
        let (mut status, mut phase) = (Int32Builder::new(), Int32Builder::new());
        let (mut key, mut by, mut of) = (Vec::new(), Vec::new(), Vec::new());
        for (row, decision) in decisions.iter().enumerate() {
            let was = rows.statuses.get(row)?;
            kept.push(!matches!(decision, Decision::Dropped));
            key.push(match decision {
                Decision::Rekeyed { key } | Decision::Decided { key, .. } => Some(key.as_str()),
                Decision::Dropped | Decision::Kept => value_opt(rows.keys, row),
            });
            let Decision::Decided { duplicate, .. } = decision else {
                status.append_value(was as i32);
                phase.append_value(phases.value(row));
                by.push(value_opt(merged_by, row));
                of.push(value_opt(duplicate_of, row));
                has_no_content.push(false);
                continue;
            };
            let is = match (duplicate, rows.hashes.is_valid(row)) {
                (Some(_), _) if !self.settings.site.revisions => Status::Duplicate,
                (Some(_), true) => Status::RevisionCandidate,
                (None, true) => Status::Unique,
                (_, false) => was,
            };
            let is_page = matches!(is, Status::Unique | Status::RevisionCandidate);
            let use_of = if is_page {
                Phase::Page
            } else {
                Phase::PassThrough
            };
            status.append_value(is as i32);
            phase.append_value(use_of as i32);
            by.push(duplicate.as_ref().map(|duplicate| duplicate.by.as_str()));
            of.push(duplicate.as_ref().map(|duplicate| duplicate.of.as_str()));
            has_no_content.push(duplicate.is_some() && is == Status::Duplicate);
        }
        let mut given: Vec<(&str, ArrayRef)> = vec![
            ("status", Arc::new(status.finish())),
            ("url_key", Arc::new(StringArray::from(key))),
            ("merged_by", Arc::new(StringArray::from(by))),
            ("duplicate_of", Arc::new(StringArray::from(of))),
            ("phase", Arc::new(phase.finish())),
        ];
        let has_no_content = BooleanArray::from(has_no_content);
        for name in CONTENT {
            given.push((name, nullif(batch.array(name)?, &has_no_content)?));
        }
        let rows = project_to(batch, &BLOCKED, given)?;
        Ok(filter_record_batch(&rows, &BooleanArray::from(kept))?)
    }
}

/// The columns of a row that Block parsed or quarantined.
const CONTENT: [&str; 6] = ["reason", "detail", "bytes", "signature", "hashes", "page"];

impl DomainKeys {
    fn new(name: &str, settings: &Settings, learned: &Learned) -> Self {
        let mut keys = PageKeys::new(&settings.site);
        learned.restore(name, &mut keys);
        Self {
            name: name.to_owned(),
            open: HashSet::new(),
            keys,
            pages: KnownPages::default(),
        }
    }

    fn bytes(&self) -> usize {
        self.keys.bytes() + self.pages.bytes() + self.open.capacity() * size_of::<i64>()
    }

    /// Decides about a row of the domain. Returns `None` if its page has to be parsed.
    fn decide(
        &mut self,
        rows: &Rows<'_>,
        row: usize,
        settings: &Settings,
    ) -> Result<Option<Decision>> {
        let site = &settings.site;
        let base = rows.bases.is_valid(row).then(|| rows.bases.value(row));
        let status = rows.statuses.get(row)?;
        if status == Status::Base {
            self.open.extend(base);
            return Ok(Some(Decision::Dropped));
        }
        let is_open = base.is_some_and(|base| self.open.contains(&base));
        if status == Status::Known && !is_open {
            return Ok(Some(Decision::Dropped));
        }
        let is_keyed =
            rows.keys.is_valid(row) && rows.phases.value(row) != Phase::WindowEntry as i32;
        let Some(address) = value_opt(rows.urls, row).filter(|_| is_keyed) else {
            return Ok(Some(Decision::Kept));
        };
        let date = rows.dates.value(row);
        if !is_open {
            return Ok(Some(self.key_alone(rows, row, address, settings)));
        }
        let Ok(url) = site.keyer.parse(address) else {
            return Ok(Some(Decision::Kept));
        };
        if status == Status::Known {
            self.restore(rows, row, (address, &url), settings)?;
            return Ok(Some(Decision::Dropped));
        }
        let pages = &self.pages;
        (self.keys).begin(&site.keyer, date, |page| pages.url(*page).to_owned());
        let parts = self.keys.parts(&site.keyer, &url);
        let mut key = self.keys.key(site, &url, None, date);
        if parts.as_ref().is_none_or(|parts| parts.parts.is_empty()) {
            // No verdict changes it, and it may depend on the title.
            rows.keys.value(row).clone_into(&mut key.text);
        }
        let own = rows.pages.get(row);
        let id = self.pages.add(&own);
        let page = KeyedPage {
            address,
            parts: parts.as_ref(),
            key: &key,
            date,
            time_micros: rows.times.value(row),
            id: &id,
        };
        let is_parsed = rows.hashes.is_valid(row)
            || matches!(status, Status::Quarantined | Status::Blocklisted);
        if !is_parsed && self.keys.asks(&page) {
            self.pages.remove_last();
            return Ok(None);
        }
        (parts.iter()).for_each(|parts| self.keys.see(parts, date));
        if status == Status::Blocklisted {
            self.pages.remove_last();
            return Ok(Some(Decision::Kept));
        }
        let role = (self.keys).classify(&page, &mut rows.content(row)?);
        let is_known = matches!(role, Role::Duplicate { found, .. } if found != FoundBy::Content);
        let duplicate = match role {
            Role::First => None,
            Role::Duplicate {
                original,
                first,
                found,
            } => Some(Duplicate {
                of: self.pages.position(original),
                by: match found {
                    FoundBy::Content => DuplicateReason::SameContent,
                    FoundBy::Alias => DuplicateReason::LearnedParameter,
                    FoundBy::Key => merged_by_step(settings, &self.pages.get(first), &own),
                },
            }),
        };
        if is_known {
            self.pages.remove_last();
        }
        Ok(Some(Decision::Decided {
            key: key.text,
            duplicate,
        }))
    }

    /// Decides about the only page of its base.
    fn key_alone(
        &mut self,
        rows: &Rows<'_>,
        row: usize,
        address: &str,
        settings: &Settings,
    ) -> Decision {
        let site = &settings.site;
        let url = may_have_parts(address).then(|| site.keyer.parse(address));
        let Some(Ok(url)) = url else {
            return Decision::Kept;
        };
        let date = rows.dates.value(row);
        let parts = self.keys.parts(&site.keyer, &url);
        (parts.iter()).for_each(|parts| self.keys.see(parts, date));
        if rows.openness.value(row) == Openness::Settled as i32 {
            return Decision::Kept;
        }
        let pages = &self.pages;
        (self.keys).begin(&site.keyer, date, |page| pages.url(*page).to_owned());
        let key = self.keys.key(site, &url, None, date).text;
        match key == rows.keys.value(row) {
            true => Decision::Kept,
            false => Decision::Rekeyed { key },
        }
    }

    /// Restores a row of an earlier date.
    fn restore(
        &mut self,
        rows: &Rows<'_>,
        row: usize,
        (address, url): (&str, &PageUrl),
        settings: &Settings,
    ) -> Result<()> {
        let site = &settings.site;
        let date = rows.dates.value(row);
        let parts = self.keys.parts(&site.keyer, url);
        let mut key = self.keys.key(site, url, None, date);
        rows.stored.value(row).clone_into(&mut key.text);
        let own = rows.pages.get(row);
        let owner = value_opt(rows.same_content, row);
        let owner = owner.map(|position| self.pages.add(&own.clone().at(position)));
        let page = KeyedPage {
            address,
            parts: parts.as_ref(),
            key: &key,
            date,
            time_micros: rows.times.value(row),
            id: &self.pages.add(&own),
        };
        let signature = rows.content(row)?.signature();
        let stored = StoredPage {
            page,
            owner,
            signature,
        };
        self.keys.restore(stored);
        Ok(())
    }
}

/// The content of a row that Block parsed or quarantined.
struct RowContent<'a> {
    hashes: Option<&'a [u8]>,
    signature: Option<Signature>,
}

impl Content for RowContent<'_> {
    fn has_text(&mut self) -> bool {
        self.hashes.is_some_and(|hashes| !hashes.is_empty())
    }

    fn signature(&mut self) -> Signature {
        self.signature.take().unwrap_or_default()
    }
}

/// Typed access to the columns that decide.
struct Rows<'a> {
    domains: &'a StringArray,
    statuses: Statuses<'a>,
    phases: &'a Int32Array,
    urls: &'a StringArray,
    keys: &'a StringArray,
    stored: &'a StringArray,
    same_content: &'a StringArray,
    bases: &'a Int64Array,
    openness: &'a Int32Array,
    dates: &'a Date32Array,
    times: &'a TimestampMicrosecondArray,
    hashes: &'a BinaryArray,
    signatures: &'a BinaryArray,
    pages: Originals<'a>,
}

impl<'a> Rows<'a> {
    fn new(batch: &'a RecordBatch) -> Result<Self> {
        Ok(Self {
            domains: batch.text("domain")?,
            statuses: batch.statuses()?,
            phases: batch.numbers::<Int32Type>("phase")?,
            urls: batch.text("url")?,
            keys: batch.text("url_key")?,
            stored: batch.text("stored_key")?,
            same_content: batch.text("same_content")?,
            bases: batch.numbers::<Int64Type>("base_hash")?,
            openness: batch.numbers::<Int32Type>("openness")?,
            dates: batch.numbers::<Date32Type>("date")?,
            times: batch.numbers::<TimestampMicrosecondType>("fetched_at")?,
            hashes: batch.bytes("hashes")?,
            signatures: batch.bytes("signature")?,
            pages: Originals::new(batch)?,
        })
    }

    fn content(&self, row: usize) -> Result<RowContent<'a>> {
        let signature = value_opt(self.signatures, row).map(Signature::from_bytes);
        Ok(RowContent {
            hashes: value_opt(self.hashes, row),
            signature: signature.transpose().map_err(external)?,
        })
    }
}
