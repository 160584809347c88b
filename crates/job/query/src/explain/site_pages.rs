//! The newest pages of a site, block by block.

use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::prelude::SessionContext;
use engine::{EngineError, PagePosition, read_pages};
use site_replay::{Batching, SiteStream};
use tables::Table;

use crate::conditions::{day, from, of_domain};
use crate::explain::entries::{ENTRY_COLUMNS, Moment, least_ordinal};
use crate::explain::fetches::{Fetch, KEYED, newest};
use crate::explain::labelled::ExplainedPage;
use crate::explain::{Explainer, names};
use crate::rows::collect;
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
        let found = newest(&self.context, domain, are_asked, most).await;
        let (labelled, fetches) = found.map_err(EngineError::query)?;
        let mut site = SitePages {
            domain: domain.to_owned(),
            labelled,
            pages: Vec::with_capacity(fetches.len()),
        };
        let Some(first) = fetches.iter().map(|fetch| self.first_date(fetch)).min() else {
            return Ok(site);
        };
        let of_site = self.in_memory(domain, first).await?;
        let positions: Vec<PagePosition<'_>> = fetches.iter().map(Fetch::position).collect();
        let pages = read_pages(self.job, &positions, 0).await?;
        let mut replayed: Option<(Moment, SiteStream)> = None;
        for (fetch, page) in fetches.iter().zip(pages) {
            let (_, key) = names(fetch)?;
            let moment = of_site.moment(fetch, domain, key).await?;
            let (_, replay) = match replayed.take().filter(|(known, _)| *known == moment) {
                Some(known) => replayed.insert(known),
                None => {
                    let replay = of_site.replay(domain, &moment).await?;
                    replayed.insert((moment, replay))
                }
            };
            let marks = self.marks_of_run(fetch)?;
            let page = of_site.labelled(fetch, page, replay, marks).await?;
            site.pages.push(page);
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

    /// The first date whose pages are inserted together with those of a fetch.
    fn first_date(&self, fetch: &Fetch) -> NaiveDate {
        match self.job.settings.site.batching {
            Batching::Run => self.dates_of_run(fetch.date).first(),
            Batching::Page | Batching::Date => fetch.date,
        }
    }

    /// Reads what the labels of pages of a domain from `first` on depend on into memory.
    async fn in_memory(&self, domain: &str, first: NaiveDate) -> Result<Self, EngineError> {
        let context = session(self.job)?;
        let filled = self.fill(&context, domain, first).await;
        filled.map_err(EngineError::query)?;
        Ok(Self {
            job: self.job,
            context,
            runs: self.runs.clone(),
        })
    }

    async fn fill(&self, context: &SessionContext, domain: &str, first: NaiveDate) -> Result<()> {
        let window = self.job.settings.site.window;
        // No window reaches farther back.
        let reach = i64::try_from(window.max_pages.max(window.min_pages)).unwrap_or(i64::MAX);
        let least = least_ordinal(&self.context, domain, first).await?;
        let least = least.unwrap_or_default().saturating_sub(reach);
        let entries = of_domain(domain).and(ident("ordinal").gt_eq(lit(least)));
        let rows = of_domain(domain).and(from(first));
        let entry_columns = [&["domain"], &ENTRY_COLUMNS[..]].concat();
        let document_columns = [
            "date",
            "domain",
            "fetched_at",
            "url_key",
            "status",
            "text",
            "blocks",
            "support",
            "node",
        ];
        for (table, rows, columns) in [
            (Table::WindowEntries, entries, &*entry_columns),
            (Table::Documents, rows.clone(), &document_columns[..]),
            (Table::UrlKeys, rows, &KEYED[..]),
        ] {
            let frame = self.context.table(table.name()).await?;
            let frame = frame.filter(rows)?.select_columns(columns)?;
            let (schema, batches) = collect(frame).await?;
            let table_of_site = MemTable::try_new(schema, vec![batches])?;
            context.register_table(table.name(), Arc::new(table_of_site))?;
        }
        Ok(())
    }
}
