//! The command `urltree import index`.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytesize::ByteSize;
use chrono::{Days, NaiveDate, NaiveTime};
use import::{
    Content, IndexOptions, IndexPlan, IndexReport, Selection, Target, TargetError, import_index,
    plan_index,
};
use serde_json::{Value, json};
use tables::DateRange;
use url_key::Keyer;

use crate::args::{ArchiveArgs, ReportFormat};
use crate::import_run::{add_counts, dates, ended, run};
use crate::print::print;
use crate::progress::{Terminal, megabytes};
use crate::report::Lines;
use crate::usage::{NotFound, Usage};

#[derive(Debug, clap::Args)]
pub(crate) struct ImportIndexArgs {
    /// Files or folders (*.cdx, *.cdxj, each also with .gz, *.idx, *.parquet, *.wacz), s3://, gs://, az:// or http(s):// URLs
    /// of them, or the URL of a CDX server, which ends with /cdx or -index or has a query.
    #[arg(required = true, value_name = "INDEX")]
    indexes: Vec<String>,
    #[command(flatten)]
    archive: ArchiveArgs,
    /// URL or folder of the WARC files that the index names, such as https://data.commoncrawl.org. The default
    /// is the folder of the index.
    #[arg(long, value_name = "DIR")]
    base: Option<String>,
    #[command(flatten)]
    targets: TargetArgs,
    /// Dates of the pages: YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD, in UTC. The default is all dates.
    #[arg(long, value_name = "DATES")]
    dates: Option<DateRange>,
    /// Ask for records of any type and status, as for redirects and revisits. The default is HTML with status 200.
    #[arg(long)]
    all_types: bool,
    /// Show the plan, and fetch nothing.
    #[arg(long)]
    dry_run: bool,
    /// Requests to a host at a time.
    #[arg(long, value_name = "NUMBER", default_value = "2")]
    at_once: NonZeroUsize,
    /// Most bytes from a host on a day (UTC). Then the command waits for the next day.
    #[arg(long, value_name = "SIZE")]
    budget: Option<ByteSize>,
}

/// The sites and pages that are chosen.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct TargetArgs {
    /// A domain with all its hosts, such as example.co.uk.
    #[arg(long, value_name = "DOMAIN")]
    domain: Vec<String>,
    /// One host, such as news.example.co.uk.
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// The beginning of URLs, such as example.org/news/.
    #[arg(long, value_name = "PREFIX")]
    prefix: Vec<String>,
    /// File with a domain, a host or a prefix a line. Lines that start with # are comments.
    #[arg(long, value_name = "FILE")]
    list: Vec<PathBuf>,
    /// Every site of the index, such as a Parquet file that SQL has made of a larger index. Not for servers.
    #[arg(long)]
    all_sites: bool,
}

impl TargetArgs {
    fn targets(&self, keyer: &Keyer) -> Result<Vec<Target>, Usage> {
        let of = |option: &str, found: Result<Target, TargetError>| {
            found.map_err(|error| Usage::of(format!("{option}: {error}")))
        };
        let mut targets = Vec::new();
        targets.extend(self.all_sites.then(Target::all));
        for name in &self.domain {
            targets.push(of("--domain", Target::domain(name, keyer))?);
        }
        for name in &self.host {
            targets.push(of("--host", Target::host(name))?);
        }
        for prefix in &self.prefix {
            targets.push(of("--prefix", Target::prefix(prefix))?);
        }
        for file in &self.list {
            let shown = file.display();
            let text = std::fs::read_to_string(file)
                .map_err(|error| Usage::of(format!("--list: cannot read {shown}: {error}")))?;
            for (number, line) in text.lines().enumerate() {
                let line = line.trim();
                if !line.is_empty() && !line.starts_with('#') {
                    let option = format!("--list: {shown}, line {}", number + 1);
                    targets.push(of(&option, Target::listed(line, keyer))?);
                }
            }
        }
        Ok(targets)
    }
}

/// Seconds since 1970 at the beginning of a date.
fn seconds(date: NaiveDate) -> i64 {
    date.and_time(NaiveTime::MIN).and_utc().timestamp()
}

fn options(args: &ImportIndexArgs) -> Result<IndexOptions, Usage> {
    let keyer = Keyer::default();
    let targets = args.targets.targets(&keyer)?;
    let mut selection = Selection::new(keyer, targets);
    if let Some(dates) = args.dates {
        selection.from = Some(seconds(dates.first()));
        let after = dates.last().checked_add_days(Days::new(1));
        selection.before = after.map(seconds);
    }
    if args.all_types {
        selection.content = Content::Any;
    }
    let mut options = IndexOptions::new(selection);
    options.base.clone_from(&args.base);
    options.manners.at_once = args.at_once.get();
    options.manners.bytes_a_day = args.budget.map(|budget| budget.as_u64());
    options.spill_dir.clone_from(&args.archive.spill_dir);
    Ok(options)
}

/// Imports chosen records, and prints the plan and the report.
pub(crate) fn index(
    args: &ImportIndexArgs,
    quiet: bool,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let output = args.archive.location()?;
    let options = options(args)?;
    let progress = terminal.import();
    let is_json = matches!(args.archive.format, Some(ReportFormat::Json));
    let is_quiet = quiet && args.archive.format.is_none();
    let import = async {
        let plan = plan_index(&args.indexes, &options).await?;
        let shown = match is_json || is_quiet {
            true => Ok(()),
            false => print(&plan_as_text(&plan)),
        };
        let is_done = args.dry_run || plan.totals().records == 0 || shown.is_err();
        let report = match is_done {
            true => None,
            false => Some(import_index(&plan, &output, &options, &progress).await?),
        };
        Ok((plan, shown, report))
    };
    let (plan, shown, report) = run(import, &progress)?;
    shown?;
    let Some(report) = report else {
        if is_json {
            print(&json!({ "plan": plan_as_json(&plan) }).to_string())?;
        }
        return match plan.totals().records {
            0 => Err(NotFound::of(nothing_chosen(&plan)).into()),
            _ => Ok(()),
        };
    };
    if is_json {
        print(&as_json(&plan, &report).to_string())?;
    } else if !is_quiet {
        print(&as_text(&report, args.archive.output()))?;
    }
    match report.is_unusable() {
        true => Err(NotFound::of(nothing_usable(&report)).into()),
        false => Ok(()),
    }
}

/// Counts with their reasons: `3 status 403, 1 no answer`.
fn listed(counts: &BTreeMap<String, u64>) -> String {
    let counts = counts
        .iter()
        .map(|(reason, count)| format!("{count} {reason}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn nothing_chosen(plan: &IndexPlan) -> String {
    let mut reasons = plan.left_out.clone();
    reasons.extend(plan.refused());
    if plan.unreadable.lines > 0 {
        reasons.insert("unreadable".to_owned(), plan.unreadable.lines);
    }
    match reasons.is_empty() {
        true => "no record of the index is chosen: it has none of these sites".to_owned(),
        false => format!("no record of the index is chosen: {}", listed(&reasons)),
    }
}

fn nothing_usable(report: &IndexReport) -> String {
    let reasons = [
        &report.missing,
        &report.wrong,
        &report.archive.reasons,
        &report.archive.not_pages,
    ];
    let reasons = reasons
        .map(listed)
        .into_iter()
        .find(|listed| !listed.is_empty());
    format!("no page was imported: {}", reasons.unwrap_or_default())
}

fn plan_as_text(plan: &IndexPlan) -> String {
    let totals = plan.totals();
    let mut lines = Lines::new();
    lines.add("indexes", plan.indexes);
    add_counts(&mut lines, "left out", &plan.left_out);
    if plan.unreadable.lines > 0 {
        lines.add("unreadable lines", plan.unreadable.lines);
    }
    if plan.duplicates() > 0 {
        lines.add("repeated", plan.duplicates());
    }
    add_counts(&mut lines, "without a usable place", &plan.refused());
    lines.add("records", totals.records);
    lines.add("WARC files", totals.files);
    lines.add("requests", totals.requests);
    lines.add(
        "MB of records",
        format!("{:.1}", megabytes(totals.record_bytes)),
    );
    lines.add(
        "MB of requests",
        format!("{:.1}", megabytes(totals.request_bytes)),
    );
    let mut text = lines.text();
    for example in &plan.unreadable.examples {
        text += &format!("unreadable: {example}\n");
    }
    text
}

fn plan_as_json(plan: &IndexPlan) -> Value {
    let totals = plan.totals();
    json!({
        "indexes": plan.indexes,
        "left_out": plan.left_out,
        "unreadable_lines": plan.unreadable.lines,
        "unreadable_examples": plan.unreadable.examples,
        "repeated": plan.duplicates(),
        "without_place": plan.refused(),
        "records": totals.records,
        "files": totals.files,
        "requests": totals.requests,
        "record_bytes": totals.record_bytes,
        "request_bytes": totals.request_bytes,
    })
}

fn as_text(report: &IndexReport, output: &str) -> String {
    let archive = &report.archive;
    let mut lines = Lines::new();
    lines.add("asked", report.asked);
    if report.asked_earlier > 0 {
        lines.add("  in earlier calls", report.asked_earlier);
    }
    lines.add("got", report.got);
    if report.got_without_digest > 0 {
        lines.add("  without a digest", report.got_without_digest);
    }
    lines.add("missing", report.missing.values().sum::<u64>());
    for (reason, count) in &report.missing {
        lines.add(&format!("  {reason}"), count);
    }
    lines.add("wrong", report.wrong.values().sum::<u64>());
    for (reason, count) in &report.wrong {
        lines.add(&format!("  {reason}"), count);
    }
    lines.add("requests sent", report.requests);
    lines.add(
        "MB received",
        format!("{:.1}", megabytes(report.received_bytes)),
    );
    add_counts(&mut lines, "not pages", &archive.not_pages);
    add_counts(&mut lines, "warnings", &archive.warnings);
    ended(lines, archive, output)
}

fn as_json(plan: &IndexPlan, report: &IndexReport) -> Value {
    let archive = &report.archive;
    json!({
        "plan": plan_as_json(plan),
        "asked": report.asked,
        "asked_earlier": report.asked_earlier,
        "got": report.got,
        "got_without_digest": report.got_without_digest,
        "missing": report.missing,
        "wrong": report.wrong,
        "requests": report.requests,
        "received_bytes": report.received_bytes,
        "records": archive.records,
        "not_pages": archive.not_pages,
        "warnings": archive.warnings,
        "revisits": archive.revisits,
        "quarantined": archive.quarantined,
        "reasons": archive.reasons,
        "pages": archive.pages,
        "html_bytes": archive.html_bytes,
        "objects": archive.objects,
        "dates": dates(archive),
    })
}
