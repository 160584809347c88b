//! `urltree report`: the pages of a report, and the folder that they are written to.

pub(crate) mod page_lists;
pub(crate) mod queries;
mod query_rows;
pub(crate) mod selection;
mod site_profile;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use engine::Job;
use query::{Explainer, TablesSession};
use report::{DomainPage, DomainRow, Overview, Site, domain_file, domains_page, quarantine_page};
use tables::{DateRange, Table};

use crate::args::JobArgs;
use crate::explain_page::html_of_page;
use crate::print::print;
use crate::report_site::selection::Selection;
use crate::runtime::{Interrupted, until_interrupted};
use crate::usage::Usage;

/// Rows of the quarantine in the report. More would make its page larger than 10 MB.
pub(crate) const QUARANTINE_ROWS: usize = 20_000;

/// Folders of a report that have one file per domain or page. They are replaced as a whole.
const FOLDERS: [&str; 2] = ["domains", "pages"];

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    job: JobArgs,
    /// UTC days of the report, both ends inclusive. The default is all dates in the tables.
    #[arg(long, alias = "date", value_name = "A..B")]
    dates: Option<DateRange>,
    /// Folder to write to. It must be new, empty, or have an earlier report, which is replaced.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Number of domains with their own page: the largest.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    domain_pages: usize,
    /// Pages of each of these domains with their blocks, those with the least content first. They are read from
    /// the archive.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pages: usize,
}

/// Writes the report, and prints a line about it.
pub(crate) fn report(args: &ReportArgs, quiet: bool) -> Result<()> {
    let job = args.job.open()?;
    let written = write(args, &job);
    match until_interrupted(&job, Interrupted::Query, written)? {
        _ if quiet => Ok(()),
        line => print(&line),
    }
}

async fn write(args: &ReportArgs, job: &Job) -> Result<String> {
    let folder = Folder::prepare(&args.output)?;
    let tables = opened(job).await?;
    let dates = Selection {
        dates: args.dates,
        ..Selection::default()
    };
    let mut domains = queries::domains(&tables, dates).await?;
    for domain in domains.iter_mut().take(args.domain_pages) {
        domain.file = Some(domain_file(&domain.domain));
    }
    let overview = overview(&tables, &args.job, dates, &domains).await?;
    let shown = overview.dates.clone();
    let chosen = &domains[..domains.len().min(args.domain_pages)];
    let mut pages = queries::details(&tables, dates, chosen).await?;
    for domain in &mut domains {
        let page = pages.get(&domain.domain);
        domain.template_changes = page.and_then(|page| page.row.template_changes);
    }
    if args.pages > 0 {
        explain_worst(job, &folder, &mut pages, args.pages).await?;
    }
    let quarantined = overview.quarantine.iter().map(|reason| reason.count).sum();
    let quarantine = queries::quarantine(&tables, dates, QUARANTINE_ROWS).await?;
    let has_blocks = tables.has(Table::Blocks);
    for page in pages.values() {
        let file = page.row.file.as_deref().unwrap_or_default();
        folder.write(file, &page.to_html(Site::Files, &shown, has_blocks)?)?;
    }
    folder.write(
        "quarantine.html",
        &quarantine_page(Site::Files, &shown, &quarantine, quarantined)?,
    )?;
    folder.write(
        "domains.html",
        &domains_page(Site::Files, &shown, &domains)?,
    )?;
    // The last, because readers begin there.
    folder.write("index.html", &overview.to_html(Site::Files)?)?;
    Ok(said(&domains, pages.len(), &args.output))
}

/// Opens the tables of a job that has been run.
pub(crate) async fn opened(job: &Job) -> Result<TablesSession> {
    let tables = TablesSession::open(job).await?;
    if tables.has(Table::Runs) {
        return Ok(tables);
    }
    Err(engine::EngineError::NoTable {
        table: Table::Runs.name(),
        location: job.output.location().to_string(),
        remedy: "run dates of the job first: urltree backfill",
    }
    .into())
}

/// Returns the overview of the dates. `domains` are all, with the addresses of their pages.
pub(crate) async fn overview(
    tables: &TablesSession,
    job: &JobArgs,
    dates: Selection<'_>,
    domains: &[DomainRow],
) -> Result<Overview> {
    let (days, duplicates, quarantine) = tokio::try_join!(
        queries::days(tables, dates),
        queries::duplicates(tables, dates),
        queries::quarantine_reasons(tables, dates),
    )?;
    let with_documents = domains.iter().filter(|domain| domain.pages > 0).count();
    Ok(Overview {
        job: job.name(),
        dates: dates_in_words(&days),
        duplicates,
        quarantine,
        domains: with_documents as u64,
        texts: texts::texts(tables, dates, &days, domains).await?,
        days,
    })
}

fn said(domains: &[DomainRow], pages: usize, output: &Path) -> String {
    let index = output.join("index.html");
    format!(
        "{} domains, {pages} with their own page: {}",
        domains.len(),
        index.display()
    )
}

fn dates_in_words(days: &[report::Day]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match (days.first(), days.last()) {
        (Some(first), Some(last)) if first.date == last.date => {
            format!("{} · urltree {version}", first.date)
        }
        (Some(first), Some(last)) => {
            format!("{} to {} · urltree {version}", first.date, last.date)
        }
        _ => format!("no dates · urltree {version}"),
    }
}

/// Writes the pages with the least content of each domain, block by block.
async fn explain_worst(
    job: &Job,
    folder: &Folder,
    pages: &mut BTreeMap<String, DomainPage>,
    count: usize,
) -> Result<()> {
    let explainer = Explainer::open(job).await?;
    for (domain, page) in pages {
        for (number, worst) in page.worst.iter_mut().take(count).enumerate() {
            let html = html_of_page(&explainer, &worst.url, worst.fetched_at).await?;
            let file = domain_file(domain).replacen("domains/", "pages/", 1);
            let file = file.replace(".html", &format!("-{}.html", number + 1));
            folder.write(&file, &html)?;
            worst.file = Some(format!("../../{file}"));
        }
    }
    Ok(())
}

/// The folder of a report.
struct Folder(PathBuf);

impl Folder {
    /// Creates the folder, or removes the pages of an earlier report.
    fn prepare(path: &Path) -> Result<Self> {
        let shown = path.display();
        if path.to_string_lossy().contains("://") {
            let problem = format!("--output {shown}: expected a folder on this machine, not a URL");
            return Err(Usage::of(problem).into());
        }
        std::fs::create_dir_all(path).with_context(|| format!("cannot create {shown}"))?;
        let mut entries =
            std::fs::read_dir(path).with_context(|| format!("cannot list {shown}"))?;
        if entries.next().is_some() && !path.join("domains.html").is_file() {
            return Err(Usage::of(format!(
                "--output {shown}: the folder has files that are no report; name a new folder"
            ))
            .into());
        }
        for folder in FOLDERS.map(|folder| path.join(folder)) {
            if folder.is_dir() {
                std::fs::remove_dir_all(&folder)
                    .with_context(|| format!("cannot remove {}", folder.display()))?;
            }
        }
        Ok(Self(path.to_owned()))
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.0.join(file);
        let written = match path.parent() {
            Some(above) => std::fs::create_dir_all(above),
            None => Ok(()),
        };
        let written = written.and_then(|()| std::fs::write(&path, text));
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}
