//! The pages of a job, computed when they are asked for.

use anyhow::Result;
use engine::{EngineError, Job};
use query::{Explainer, TablesSession};
use report::{
    DomainRow, ListedPage, MarkOutcome, MarkPage, MessagePage, Outcome, Searched, Site, SqlPage,
    TableColumns, domain_address, domains_page, page_address, pages_page, quarantine_page, visible,
    without_links,
};
use serve::{Answer, Kind, MAX_PAGES, Mark, Pages, Question, Search, Status};
use tables::{Partitioning, Table, archive_schema};
use tokio::sync::Mutex;

use super::live_marks;
use super::live_query::{Csv, Limits, csv, outcome};
use crate::args::JobArgs;
use crate::exit_code::exit_code;
use crate::explain_page::{original_at, page_at, time};
use crate::print::message;
use crate::report_site::page_lists::pages_with;
use crate::report_site::queries;
use crate::report_site::selection::Selection;
use crate::report_site::{QUARANTINE_ROWS, opened, overview};
use crate::usage::Usage;

/// The line at the foot of pages that are not about some dates.
const VERSION: &str = concat!("urltree ", env!("CARGO_PKG_VERSION"));

/// Domains that are offered for a part of a name.
const OFFERED_DOMAINS: usize = 50;

/// Pages of a search. More make a page of more than a megabyte.
const FOUND_PAGES: usize = 1000;

/// The pages of a job. Each question opens the tables anew, so a page has what the last run wrote.
pub(super) struct LivePages {
    job: Job,
    args: JobArgs,
    limits: Limits,
    /// Held while a mark is saved: two saves at once would lose one.
    saving: Mutex<()>,
}

impl LivePages {
    pub(super) fn new(job: Job, args: JobArgs, limits: Limits) -> Self {
        Self {
            job: with_share_of_memory(job),
            args,
            limits,
            saving: Mutex::new(()),
        }
    }

    /// The job with the marks of now: a reader may have saved some.
    fn job_of_now(&self) -> Result<Job> {
        Ok(with_share_of_memory(self.args.open()?))
    }

    async fn overview(&self) -> Result<String> {
        let tables = opened(&self.job).await?;
        let domains = all_domains(&tables).await?;
        let overview = overview(&tables, &self.args, Selection::default(), &domains).await?;
        Ok(overview.to_html(Site::Live)?)
    }

    async fn domains(&self) -> Result<String> {
        let tables = opened(&self.job).await?;
        let domains = all_domains(&tables).await?;
        Ok(domains_page(Site::Live, VERSION, &domains)?)
    }

    /// The pages with a text, within the time of a query.
    async fn search(&self, search: Search) -> Result<String> {
        let tables = opened(&self.job).await?;
        let (text, domain) = (search.text.trim(), search.domain.trim());
        let found = pages_with(&tables, text, domain, FOUND_PAGES + 1);
        let found = tokio::time::timeout(self.limits.time, found).await;
        let mut pages = found.map_err(|_| self.too_long())??;
        let is_cut = pages.len() > FOUND_PAGES;
        pages.truncate(FOUND_PAGES);
        pages.iter_mut().for_each(lead_to_blocks);
        let searched = Searched {
            text: text.to_owned(),
            domain: domain.to_owned(),
            pages,
            is_cut,
        };
        Ok(pages_page(VERSION, &searched)?)
    }

    fn too_long(&self) -> Usage {
        let time = humantime::format_duration(self.limits.time);
        Usage::of(format!(
            "the search was stopped after {time} (--query-timeout); name a domain"
        ))
    }

    async fn quarantine(&self) -> Result<String> {
        let tables = opened(&self.job).await?;
        let all = Selection::default();
        let (reasons, rows) = tokio::try_join!(
            queries::quarantine_reasons(&tables, all),
            queries::quarantine(&tables, all, QUARANTINE_ROWS),
        )?;
        let total = reasons.iter().map(|reason| reason.count).sum();
        Ok(quarantine_page(Site::Live, VERSION, &rows, total)?)
    }

    async fn domain(&self, name: &str) -> Result<Answer> {
        let name = name.trim();
        let tables = opened(&self.job).await?;
        let selection = Selection {
            domain: Some(name),
            ..Selection::default()
        };
        let asked = [DomainRow {
            domain: name.to_owned(),
            ..DomainRow::default()
        }];
        let (rows, mut pages) = tokio::try_join!(
            queries::domains(&tables, selection),
            queries::details(&tables, selection, &asked),
        )?;
        let (Some(row), Some(mut page)) = (rows.into_iter().next(), pages.remove(name)) else {
            let domains = queries::domains_with(&tables, name, OFFERED_DOMAINS).await?;
            let message = MessagePage {
                heading: "No such domain".to_owned(),
                message: format!("The tables have no domain with the name {name}."),
                domains,
                ..MessagePage::default()
            };
            return Ok(Answer::page(Status::NotFound, message.to_html(VERSION)?));
        };
        page.row = DomainRow {
            template_changes: page.row.template_changes,
            ..row
        };
        let listed = page.newest.iter_mut().chain(&mut page.worst);
        listed.for_each(lead_to_blocks);
        let html = page.to_html(Site::Live, VERSION, tables.has(Table::Blocks))?;
        Ok(shown(html))
    }

    async fn page(&self, url: &str, at: Option<&str>) -> Result<String> {
        let job = self.job_of_now()?;
        let explainer = Explainer::open(&job).await?;
        let page = page_at(&explainer, url.trim(), at).await?;
        Ok(page.to_html(Site::Live)?)
    }

    /// The original of a page, without its links to elsewhere.
    async fn original(&self, url: &str, at: Option<&str>) -> Result<Answer> {
        let explainer = Explainer::open(&self.job).await?;
        let original = original_at(&explainer, url.trim(), at).await?;
        Ok(Answer {
            status: Status::Ok,
            kind: Kind::Original,
            text: without_links(&original),
        })
    }

    /// The rows of a query as CSV, or the form with the reason why there are none.
    async fn download(&self, sql: String) -> Result<Answer> {
        match csv(&self.job, &sql, self.limits).await {
            Csv::Rows(text) => Ok(Answer {
                status: Status::Ok,
                kind: Kind::Csv,
                text,
            }),
            Csv::None(outcome) => sql_page(sql, Some(outcome)),
        }
    }

    /// The form with a query in it, and with its outcome if it is run.
    async fn sql(&self, query: String, is_run: bool) -> Result<Answer> {
        let outcome = match is_run {
            true => Some(outcome(&self.job, &query, self.limits).await),
            false => None,
        };
        sql_page(query, outcome)
    }

    /// The form of a mark, with its effect. The mark is saved if that is asked.
    async fn mark(&self, mark: Mark, is_saved: bool) -> Result<Answer> {
        let _saving = match is_saved {
            true => Some(self.saving.lock().await),
            false => None,
        };
        let job = self.job_of_now()?;
        let outcome = live_marks::outcome(&job, &self.args, &mark, is_saved).await;
        let outcome = outcome.unwrap_or_else(|error| MarkOutcome::Failed(message(&error)));
        mark_page(mark, Some(outcome))
    }

    /// The page of an error.
    fn failed(&self, error: &anyhow::Error) -> Result<Answer> {
        let mut page = MessagePage {
            heading: "The page cannot be shown".to_owned(),
            message: message(error),
            ..MessagePage::default()
        };
        if let Some(EngineError::NoTable { .. }) = error.downcast_ref() {
            page.heading = "The job has not been run".to_owned();
            page.command = Some(
                self.args
                    .command(&["backfill"], &["--dates", "FIRST..LAST"]),
            );
        }
        let status = match exit_code(error) {
            2 | 3 => Status::NotFound,
            4 => Status::Unavailable,
            _ => Status::Failed,
        };
        if status != Status::NotFound {
            tracing::warn!("{}", visible(&page.message));
        }
        Ok(Answer::page(status, page.to_html(VERSION)?))
    }
}

impl Pages for LivePages {
    async fn answer(&self, question: Question) -> Answer {
        let answer = match question {
            Question::Overview => self.overview().await.map(shown),
            Question::Domains => self.domains().await.map(shown),
            Question::Quarantine => self.quarantine().await.map(shown),
            Question::Search(search) => self.search(search).await.map(shown),
            Question::Domain { name } => self.domain(&name).await,
            Question::Page { url, at } => self.page(&url, at.as_deref()).await.map(shown),
            Question::Original { url, at } => self.original(&url, at.as_deref()).await,
            Question::Form { query } => self.sql(query, false).await,
            Question::Query { sql } => self.sql(sql, true).await,
            Question::Download { sql } => self.download(sql).await,
            Question::MarkForm(mark) => mark_page(mark, None),
            Question::Mark(mark) => self.mark(mark, false).await,
            Question::SavedMark(mark) => self.mark(mark, true).await,
            Question::Elsewhere { path } => nowhere(&path),
        };
        let answer = answer.or_else(|error| self.failed(&error));
        answer.unwrap_or_else(|error| {
            Answer::page(Status::Failed, error.to_string().replace('<', "&lt;"))
        })
    }
}

/// Pages that are computed at the same time share the memory.
fn with_share_of_memory(mut job: Job) -> Job {
    job.resources.memory /= MAX_PAGES;
    job
}

fn shown(html: String) -> Answer {
    Answer::page(Status::Ok, html)
}

/// All domains, which lead to their pages.
async fn all_domains(tables: &TablesSession) -> Result<Vec<DomainRow>> {
    let mut domains = queries::domains(tables, Selection::default()).await?;
    for domain in &mut domains {
        domain.file = Some(domain_address(&domain.domain));
    }
    Ok(domains)
}

/// Gives a page in a list the address of its blocks.
fn lead_to_blocks(page: &mut ListedPage) {
    let at = time(Some(page.fetched_at));
    page.file = Some(page_address(&page.url, Some(&at)));
}

fn sql_page(query: String, outcome: Option<Outcome>) -> Result<Answer> {
    let status = match outcome {
        None | Some(Outcome::Rows(_)) => Status::Ok,
        Some(Outcome::Failed(_) | Outcome::TimedOut(_)) => Status::Refused,
    };
    let page = SqlPage {
        query,
        outcome,
        tables: columns_of_tables(),
    };
    Ok(Answer::page(status, page.to_html(VERSION)?))
}

fn mark_page(mark: Mark, outcome: Option<MarkOutcome>) -> Result<Answer> {
    let status = match outcome {
        Some(MarkOutcome::Failed(_)) => Status::Refused,
        _ => Status::Ok,
    };
    let page = MarkPage {
        url: mark.url,
        at: mark.at,
        path: mark.path,
        label: mark.label,
        note: mark.note,
        outcome,
    };
    Ok(Answer::page(status, page.to_html(VERSION)?))
}

fn nowhere(path: &str) -> Result<Answer> {
    let page = MessagePage {
        heading: "No such page".to_owned(),
        message: format!("There is no page at {path}."),
        ..MessagePage::default()
    };
    Ok(Answer::page(Status::NotFound, page.to_html(VERSION)?))
}

/// The tables that a query may name, with their columns and what these have.
fn columns_of_tables() -> Vec<TableColumns> {
    let tables = Table::ALL.map(|table| (table.name(), table.schema(Partitioning::Day)));
    let mut tables: Vec<_> = tables
        .into_iter()
        .chain([("archive", archive_schema())])
        .collect();
    tables.sort_by_key(|(name, _)| *name);
    let columns = tables.into_iter().map(|(name, schema)| TableColumns {
        name: name.to_owned(),
        columns: (schema.fields().iter())
            .map(|field| {
                let comment = field.metadata().get("comment");
                (field.name().clone(), comment.cloned().unwrap_or_default())
            })
            .collect(),
    });
    columns.collect()
}
