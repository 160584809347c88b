//! The pages of a job, computed when they are asked for.

use anyhow::Result;
use engine::{EngineError, Job};
use query::Explainer;
use report::{
    DomainRow, MarkOutcome, MarkPage, MessagePage, Outcome, Site, SqlPage, TableColumns,
    domain_address, domains_page, page_address, quarantine_page, visible,
};
use serve::{Answer, MAX_PAGES, Mark, Pages, Question, Status};
use tables::{Partitioning, Table, archive_schema};
use tokio::sync::Mutex;

use super::live_marks;
use super::live_query::{Limits, outcome};
use crate::args::JobArgs;
use crate::exit_code::exit_code;
use crate::explain_page::{page_at, time};
use crate::print::message;
use crate::report_site::queries::{self, Selection};
use crate::report_site::{QUARANTINE_ROWS, opened, overview};

/// The line at the foot of pages that are not about some dates.
const VERSION: &str = concat!("urltree ", env!("CARGO_PKG_VERSION"));

/// Domains that are offered for a part of a name.
const OFFERED_DOMAINS: usize = 50;

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
        let domains = queries::domain_count(&tables).await?;
        let overview = overview(&tables, &self.args, Selection::default(), domains).await?;
        Ok(overview.to_html(Site::Live)?)
    }

    async fn domains(&self) -> Result<String> {
        let tables = opened(&self.job).await?;
        let mut domains = queries::domains(&tables, Selection::default()).await?;
        for domain in &mut domains {
            domain.file = Some(domain_address(&domain.domain));
        }
        Ok(domains_page(Site::Live, VERSION, &domains)?)
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
            return Ok(Answer {
                status: Status::NotFound,
                html: message.to_html(VERSION)?,
            });
        };
        page.row = DomainRow {
            template_changes: page.row.template_changes,
            ..row
        };
        for worst in &mut page.worst {
            let at = time(Some(worst.fetched_at));
            worst.file = Some(page_address(&worst.url, Some(&at)));
        }
        let html = page.to_html(Site::Live, VERSION, tables.has(Table::Blocks))?;
        Ok(shown(html))
    }

    async fn page(&self, url: &str, at: Option<&str>) -> Result<String> {
        let job = self.job_of_now()?;
        let explainer = Explainer::open(&job).await?;
        let page = page_at(&explainer, url.trim(), at).await?;
        Ok(page.to_html(Site::Live)?)
    }

    /// The form with a query in it, and with its outcome if it is run.
    async fn sql(&self, query: String, is_run: bool) -> Result<Answer> {
        let outcome = match is_run {
            true => Some(outcome(&self.job, &query, self.limits).await),
            false => None,
        };
        let status = match outcome {
            None | Some(Outcome::Rows(_)) => Status::Ok,
            Some(Outcome::Failed(_) | Outcome::TimedOut(_)) => Status::Refused,
        };
        let page = SqlPage {
            query,
            outcome,
            tables: columns_of_tables(),
        };
        let html = page.to_html(VERSION)?;
        Ok(Answer { status, html })
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
        let html = page.to_html(VERSION)?;
        Ok(Answer { status, html })
    }
}

impl Pages for LivePages {
    async fn answer(&self, question: Question) -> Answer {
        let answer = match question {
            Question::Overview => self.overview().await.map(shown),
            Question::Domains => self.domains().await.map(shown),
            Question::Quarantine => self.quarantine().await.map(shown),
            Question::Domain { name } => self.domain(&name).await,
            Question::Page { url, at } => self.page(&url, at.as_deref()).await.map(shown),
            Question::Form { query } => self.sql(query, false).await,
            Question::Query { sql } => self.sql(sql, true).await,
            Question::MarkForm(mark) => mark_page(mark, None),
            Question::Mark(mark) => self.mark(mark, false).await,
            Question::SavedMark(mark) => self.mark(mark, true).await,
            Question::Elsewhere { path } => nowhere(&path),
        };
        let answer = answer.or_else(|error| self.failed(&error));
        answer.unwrap_or_else(|error| Answer {
            status: Status::Failed,
            html: error.to_string().replace('<', "&lt;"),
        })
    }
}

/// Pages that are computed at the same time share the memory.
fn with_share_of_memory(mut job: Job) -> Job {
    job.resources.memory /= MAX_PAGES;
    job
}

fn shown(html: String) -> Answer {
    Answer {
        status: Status::Ok,
        html,
    }
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
    let html = page.to_html(VERSION)?;
    Ok(Answer { status, html })
}

fn nowhere(path: &str) -> Result<Answer> {
    let page = MessagePage {
        heading: "No such page".to_owned(),
        message: format!("There is no page at {path}."),
        ..MessagePage::default()
    };
    Ok(Answer {
        status: Status::NotFound,
        html: page.to_html(VERSION)?,
    })
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
