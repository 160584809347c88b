//! The newest pages of a site, block by block.

use chrono::NaiveDate;
use datafusion::logical_expr::{Expr, ident, lit};
use engine::{EngineError, PagePosition, read_pages};
use site_replay::SiteStream;
use tables::Table;

use crate::conditions::{day, from, of_domain};
use crate::explain::Explainer;
use crate::explain::entries::{ENTRY_COLUMNS, Moment, least_ordinal, replay};
use crate::explain::fetches::{Fetch, KEYED, newest};
use crate::explain::labelled::{ExplainedPage, WRITTEN};
use crate::session::session;

/// The newest pages of a site.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SitePages {
    /// Public suffix and one label.
    pub domain: String,
    /// Pages of the domain with labels, on the dates that were run with the settings of the job apart from marks.
    pub labelled: usize,
    /// The newest of them, in time order.
    pub pages: Vec<ExplainedPage>,
}

impl Explainer<'_> {
    /// Labels the `most` newest pages of a domain, as [`explain`](Self::explain) labels one.
    ///
    /// Dates that were run with other settings are left out. The rows of the domain are read once and kept in memory, with
    /// the window before the first page; the tree and the template are rebuilt once per batch.
    ///
    /// # Errors
    /// As those of [`explain`](Self::explain).
    pub async fn newest_pages(&self, domain: &str, most: usize) -> Result<SitePages, EngineError> {
        let are_asked = self.are_dates_of_job();
        let (labelled, fetches) = newest(&self.context, domain, are_asked, most).await?;
        let mut site = SitePages {
            domain: domain.to_owned(),
            labelled,
            pages: Vec::with_capacity(fetches.len()),
        };
        let first = |fetch: &Fetch| self.dates_together(fetch.date).first();
        let Some(first) = fetches.iter().map(first).min() else {
            return Ok(site);
        };
        let of_site = self.in_memory(domain, first).await?;
        let positions: Vec<PagePosition<'_>> = fetches.iter().map(Fetch::position).collect();
        let pages = read_pages(self.job, &positions, 0).await?;
        let mut replayed: Option<(Moment, SiteStream)> = None;
        for (fetch, page) in fetches.iter().zip(pages) {
            let marks = self.marks_of_run(fetch)?;
            let moment = of_site.moment(fetch).await?;
            let replay = match replayed.take() {
                Some((known, replay)) if known == moment => replay,
                _ => replay(&of_site.context, &self.job.settings, domain, &moment).await?,
            };
            let page = of_site.labelled(fetch, page, &replay, marks).await?;
            site.pages.push(page);
            replayed = Some((moment, replay));
        }
        Ok(site)
    }

    /// The condition for rows of dates that were run with the settings of the job, apart from marks.
    fn are_dates_of_job(&self) -> Expr {
        let is_of_job = |run: &&_| self.marks_of(run).is_some();
        let dates: Vec<Expr> = (self.runs.iter().filter(is_of_job))
            .map(|run| day(run.date))
            .collect();
        if dates.len() == self.runs.len() {
            return lit(true);
        }
        ident("date").in_list(dates, false)
    }

    /// Reads what the labels of pages of a domain from `first` on depend on into memory.
    async fn in_memory(&self, domain: &str, first: NaiveDate) -> Result<Self, EngineError> {
        let rows = of_domain(domain).and(from(first));
        let window = self.job.settings.site.window;
        // No window reaches farther back.
        let reach = i64::try_from(window.max_pages.max(window.min_pages)).unwrap_or(i64::MAX);
        let least = least_ordinal(&self.context, rows.clone()).await?;
        let least = least.unwrap_or_default().saturating_sub(reach);
        let entries = of_domain(domain).and(ident("ordinal").gt_eq(lit(least)));
        let context = session(self.job)?;
        for (table, rows, columns) in [
            (Table::WindowEntries, entries, &ENTRY_COLUMNS[..]),
            (Table::Documents, rows.clone(), &WRITTEN),
            (Table::UrlKeys, rows, &KEYED),
        ] {
            let frame = self.context.table(table.name()).await?;
            let frame = frame.filter(rows)?.select_columns(columns)?;
            context.register_table(table.name(), frame.cache().await?.into_view())?;
        }
        Ok(Self {
            job: self.job,
            context,
            runs: self.runs.clone(),
        })
    }
}
