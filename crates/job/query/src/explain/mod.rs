//! One page of a job, block by block: what the run has decided about it, and by which counts.
//!
//! The tables have the window entries of every date, so the tree and the template of a domain can be
//! rebuilt as they were when a page was labelled. The page itself is read from the archive. The texts
//! and counts are compared with the row of `documents`: an archive that has changed is an error.

mod effect;
mod entries;
mod fetches;
mod labelled;
mod site_pages;

use chrono::NaiveDate;
use datafusion::logical_expr::{ident, lit};
use datafusion::prelude::SessionContext;
use engine::{ArchivePage, EngineError, Job, RunDate, TableDates, read_pages, without_marks};
use site_replay::{Batching, SiteStream};
use tables::{DateRange, Table, days_from_date};
use url_tree::BlockHash;

use crate::conditions::{day, of_domain, within};
use crate::explain::entries::{Moment, least_ordinal, replay};
use crate::explain::fetches::{at_place, of_url, revisions_before};
use crate::explain::labelled::{RunMarks, WRITTEN};
use crate::rows::Rows;
use crate::session::{RUN_FIRST, open, open_existing, session};

pub use effect::{BlocksAndWords, ChangedBlock, MarksEffect};
pub use fetches::Fetch;
pub use labelled::{ExplainedBlock, ExplainedPage};
pub use site_pages::SitePages;

/// Duplicates of duplicates that are followed. With `paper.lookback = "all"` a page has text; with
/// others, a duplicate may name a row that is a duplicate itself.
const MAX_STEPS: usize = 8;

/// Most bytes of HTML that an explained page keeps, in memory that no pool counts. A page that shows the original
/// embeds no more.
const MAX_HTML_BYTES: usize = 2_000_000;

/// The tables of a job, opened to explain pages.
pub struct Explainer<'a> {
    job: &'a Job,
    context: SessionContext,
    runs: Vec<RunDate>,
}

impl std::fmt::Debug for Explainer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Explainer({} dates)", self.runs.len())
    }
}

impl<'a> Explainer<'a> {
    /// Opens the tables.
    ///
    /// # Errors
    /// [`EngineError::NoTable`] if no date was run, and [`EngineError`] if a table cannot be read.
    pub async fn open(job: &'a Job) -> Result<Self, EngineError> {
        let context = session(job)?;
        for table in [Table::UrlKeys, Table::WindowEntries, Table::Documents] {
            open_existing(&context, job, table, RUN_FIRST).await?;
        }
        open(&context, job, Table::Quarantine).await?;
        let runs = TableDates::read(&job.output).await?.runs;
        Ok(Self { job, context, runs })
    }

    /// Returns the fetches of `url` in time order; none if the tables have no such page. A URL key, and
    /// a URL that differs from a fetched one only in what keys leave out, name a page too.
    ///
    /// # Errors
    /// [`EngineError`] if a table cannot be read.
    pub async fn find(&self, url: &str) -> Result<Vec<Fetch>, EngineError> {
        Ok(of_url(&self.context, &self.job.settings, url).await?)
    }

    /// Returns the first and the last date that were run; `None` if none was.
    pub fn dates(&self) -> Option<DateRange> {
        let (first, last) = (self.runs.first()?, self.runs.last()?);
        Some(DateRange::between(first.date, last.date))
    }

    /// Returns the fetch whose text stands for `fetch`: itself if it is labelled, and for a duplicate, the
    /// page that it equals. `None` if no page was labelled.
    ///
    /// # Errors
    /// [`EngineError`] if a table cannot be read.
    pub async fn page_of(&self, fetch: &Fetch) -> Result<Option<Fetch>, EngineError> {
        let mut fetch = fetch.clone();
        for _ in 0..MAX_STEPS {
            if fetch.is_labelled() {
                return Ok(Some(fetch));
            }
            let (Some(domain), Some(place)) = (&fetch.domain, &fetch.duplicate_of) else {
                return Ok(None);
            };
            match at_place(&self.context, domain, place).await? {
                Some(found) => fetch = found,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Labels the blocks of a fetch that is labelled, exactly as the run has. If the marks of the job have changed
    /// since, the labels are those with its marks now, and [`ExplainedPage::has_other_marks`] says so.
    ///
    /// # Errors
    /// [`EngineError::ExplainedSettings`] if its date was run with other settings than the job has now,
    /// [`EngineError::Relabelled`] if the archive or the tables are not those of the run, and
    /// [`EngineError`] if they cannot be read.
    pub async fn explain(&self, fetch: &Fetch) -> Result<ExplainedPage, EngineError> {
        let (domain, _) = fetch.names()?;
        let marks = self.marks_of_run(fetch)?;
        let moment = self.moment(fetch).await?;
        let replay = replay(&self.context, &self.job.settings, domain, &moment).await?;
        let page = self.read(fetch).await?;
        self.labelled(fetch, page, &replay, marks).await
    }

    /// Returns the decoded HTML of a fetch; `None` if it has no page, or one of more bytes than
    /// [`ExplainedPage::html`] may have.
    ///
    /// # Errors
    /// [`EngineError`] if the archive cannot be read.
    pub async fn original(&self, fetch: &Fetch) -> Result<Option<String>, EngineError> {
        let page = self.read(fetch).await?;
        Ok(page.ok().and_then(|page| page.html))
    }

    /// Reads the page of a fetch. An inner error is the reason why it has no blocks.
    async fn read(&self, fetch: &Fetch) -> Result<Result<ArchivePage, String>, EngineError> {
        let pages = read_pages(self.job, &[fetch.position()], MAX_HTML_BYTES).await?;
        let page = pages.into_iter().next();
        Ok(page.unwrap_or_else(|| Err("the row has no page".to_owned())))
    }

    /// Returns the Markdown of a page with its labels: the column `markdown` of `documents`. `None` if the job writes
    /// no Markdown or has no markup of the page.
    pub fn markdown(&self, page: &ExplainedPage) -> Option<String> {
        let texts: Vec<&str> = page
            .blocks
            .iter()
            .map(|block| block.text.as_str())
            .collect();
        let is_content: Vec<bool> = page.blocks.iter().map(|block| block.is_content).collect();
        let url = page.fetch.url.as_deref().unwrap_or_default();
        let markup = page.markup.as_deref()?;
        let settings = &self.job.settings;
        let written = settings.markdown_of(&texts, &is_content, markup, url);
        // For broken markup, the run has written null and a warning.
        written.ok().flatten()
    }

    /// Labels the blocks of a parsed page, and compares them with those of the run.
    async fn labelled(
        &self,
        fetch: &Fetch,
        page: Result<ArchivePage, String>,
        replay: &SiteStream,
        marks: RunMarks,
    ) -> Result<ExplainedPage, EngineError> {
        let (domain, key) = fetch.names()?;
        let settings = &self.job.settings;
        let page = page.map_err(|detail| fetch.differs(&detail))?;
        let branch = url_key::Branch::from_key(key);
        let hashes: Vec<BlockHash> = page.page.blocks.iter().map(|block| block.hash).collect();
        let labels = replay.label(branch.items(), &hashes, page.outline.as_ref());
        let page = ExplainedPage::new(fetch, &branch, page, &labels, settings);
        let mut page = page.with_marks(settings.site.marks.of(domain).map(|marks| &**marks));
        page.has_other_marks = marks != RunMarks::Same;
        self.compare(&page, marks).await?;
        Ok(page)
    }

    fn run_of(&self, date: NaiveDate) -> Option<&RunDate> {
        self.runs.iter().find(|run| run.date == date)
    }

    /// The marks with which the date of a fetch was run. Other settings that differ are an error.
    fn marks_of_run(&self, fetch: &Fetch) -> Result<RunMarks, EngineError> {
        let run = self.run_of(fetch.date);
        let run = run.ok_or_else(|| fetch.differs("no run of its date is complete"))?;
        let marks = self.marks_of(run);
        marks.ok_or(EngineError::ExplainedSettings { date: fetch.date })
    }

    /// The marks of a run; `None` if other settings differ too.
    fn marks_of(&self, run: &RunDate) -> Option<RunMarks> {
        let (of_run, of_job) = (&run.settings, &self.job.settings.digest);
        if of_run == of_job {
            Some(RunMarks::Same)
        } else if without_marks(of_run) != without_marks(of_job) {
            None
        } else if without_marks(of_run) == of_run {
            Some(RunMarks::None)
        } else {
            Some(RunMarks::Unknown)
        }
    }

    /// Finds out when a page was labelled.
    async fn moment(&self, fetch: &Fetch) -> Result<Moment, EngineError> {
        let settings = &self.job.settings.site;
        let kind = match fetch.status.as_str() {
            "revision" => "revision",
            _ => "document",
        };
        let is_entry = fetch.is_row()?.and(ident("entry").eq(lit(kind)));
        let ordinal = least_ordinal(&self.context, is_entry).await?;
        let ordinal = ordinal.ok_or_else(|| fetch.differs("it has no row in window_entries"))?;
        let dates = self.dates_together(fetch.date);
        let mut moment = Moment {
            are_before: ident("date").lt(day(dates.first())),
            are_together: within(dates),
            last: days_from_date(dates.last()),
            revisions: 0,
        };
        if settings.batching == Batching::Page {
            // The entries before the page have all revisions before it.
            moment.are_before = ident("ordinal").lt(lit(ordinal));
            moment.are_together = ident("ordinal").eq(lit(ordinal));
        } else if settings.revisions {
            let (domain, _) = fetch.names()?;
            let are_together = of_domain(domain).and(within(dates));
            moment.revisions = revisions_before(&self.context, fetch, are_together).await?;
        }
        Ok(moment)
    }

    /// The dates of runs whose pages are inserted together with those of `date` or before these are labelled.
    fn dates_together(&self, date: NaiveDate) -> DateRange {
        let settings = &self.job.settings.site;
        let run = self.run_of(date).map(|run| &run.run_id);
        // Each run labels the dates within `tree.relabel_days` before its first date again, and `runs` has every
        // date of a run.
        let reach = chrono::Days::new(settings.relabel_days.into());
        let end = date.checked_add_days(reach).unwrap_or(date);
        let is_together = |other: &&RunDate| match settings.batching {
            Batching::Page => other.date == date,
            Batching::Date => date <= other.date && other.date <= end,
            Batching::Run => Some(&other.run_id) == run,
        };
        let dates = self.runs.iter().filter(is_together).map(|run| run.date);
        let dates = dates.map(|date| DateRange::between(date, date));
        dates
            .reduce(DateRange::through)
            .unwrap_or_else(|| DateRange::between(date, date))
    }

    /// Compares a page with its row of `documents`.
    async fn compare(&self, page: &ExplainedPage, marks: RunMarks) -> Result<(), EngineError> {
        let fetch = &page.fetch;
        let is_page = (fetch.is_row()?).and(ident("status").eq(lit(&fetch.status)));
        let documents = self.context.table(Table::Documents.name()).await?;
        let written = documents.filter(is_page)?.select_columns(&WRITTEN)?;
        let difference = match Rows::collect(written).await?.iter().next() {
            Some(written) => page.difference(written, marks),
            None => Some("it has no row in documents".to_owned()),
        };
        match difference {
            Some(difference) => Err(fetch.differs(&difference)),
            None => Ok(()),
        }
    }
}
