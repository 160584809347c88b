//! The command `urltree fetch`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use bytesize::ByteSize;
use chrono::{DateTime, Utc};
use feeds::FeedList;
use fetch::{Clock, Options, Report, SystemClock, TimeFrom};
use serde_json::json;

use crate::args::{ArchiveArgs, ReportFormat};
use crate::print::print;
use crate::progress::megabytes;
use crate::report::Lines;
use crate::runtime::{Interrupted, stop_at_a_signal};
use crate::usage::{NotFound, Usage};

#[derive(Debug, clap::Args)]
pub(crate) struct FetchArgs {
    /// File with a feed per line: its URL, or a site, a tab and the URL.
    #[arg(long, value_name = "FILE")]
    feeds: PathBuf,
    #[command(flatten)]
    archive: ArchiveArgs,
    /// Mail address or URL at which operators of sites can reach you. It is sent with every request.
    #[arg(long, value_name = "MAIL_OR_URL")]
    contact: String,
    /// Poll the feeds that are due, and exit. This is the default.
    #[arg(long, conflicts_with = "daemon")]
    once: bool,
    /// Stay, and poll each feed when it is due.
    #[arg(long)]
    daemon: bool,
    /// Time between two polls of a feed, 10 % more or less by its URL. After failures it doubles, up to
    /// a day.
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = humantime::parse_duration)]
    interval: Duration,
    /// Time between two requests to a host. robots.txt can ask for more.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = humantime::parse_duration)]
    delay: Duration,
    /// Longest time of a request, its redirects included.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    timeout: Duration,
    /// Most redirects of a request.
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    redirects: usize,
    /// Most bytes of a page, with and without its content encoding.
    #[arg(long, value_name = "SIZE", default_value = "10MiB")]
    max_page: ByteSize,
    /// Hosts of feeds that are polled at a time.
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    hosts: NonZeroUsize,
    /// Also request addresses that are not public: loopback, link-local and private networks. The
    /// author of a feed can then read services of your network.
    #[arg(long)]
    allow_private: bool,
    /// The time now, for tests.
    #[arg(long, value_name = "TIME", hide = true, value_parser = time)]
    now: Option<DateTime<Utc>>,
    /// The address of a host, which is not checked, for tests.
    #[arg(long, value_name = "HOST=ADDRESS:PORT", hide = true, value_parser = address)]
    resolve: Vec<(String, SocketAddr)>,
}

fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let time = DateTime::parse_from_rfc3339(text).map_err(|error| error.to_string())?;
    Ok(time.with_timezone(&Utc))
}

fn address(text: &str) -> Result<(String, SocketAddr), String> {
    let (host, address) = text.split_once('=').ok_or("expected HOST=ADDRESS:PORT")?;
    let address = address.parse().map_err(|error| format!("{error}"))?;
    Ok((host.to_owned(), address))
}

/// Fetches feeds, and prints the report.
pub(crate) fn fetch(args: &FetchArgs, quiet: bool) -> Result<()> {
    let output = args.archive.location()?;
    let file = args.feeds.display();
    let list = std::fs::read_to_string(&args.feeds);
    let list = list.map_err(|error| Usage::of(format!("--feeds: cannot read {file}: {error}")))?;
    let list = FeedList::parse(&list);
    let list = list.map_err(|error| Usage::of(format!("--feeds: {file}, {error}")))?;
    if list.feeds.is_empty() {
        return Err(Usage::of(format!("--feeds: {file} has no feed")).into());
    }
    let options = options(args)?;
    let clock: Box<dyn Clock> = match args.now {
        Some(now) => Box::new(TimeFrom::new(now)),
        None => Box::new(SystemClock),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start worker threads")?;
    let stop = stop_at_a_signal()?;
    let done = runtime.block_on(async {
        let fetch = async {
            if args.daemon {
                let on_round = |report: &Report| log_round(report);
                fetch::stay(&list, &output, &options, &*clock, on_round).await?;
            }
            fetch::fetch(&list, &output, &options, &*clock).await
        };
        stop.run_until_cancelled(fetch).await
    });
    // Requests that wait for an answer have nothing that must be saved.
    runtime.shutdown_background();
    let report = done.ok_or(Interrupted::Run)??;
    print(&match args.archive.format {
        Some(ReportFormat::Json) => as_json(&report),
        None if quiet => String::new(),
        None | Some(ReportFormat::Text) => as_text(&report, args.archive.output()),
    })?;
    match report.is_unusable() {
        true => Err(NotFound::of(nothing_usable(&report)).into()),
        false => Ok(()),
    }
}

/// Says why a fetch has no pages.
fn nothing_usable(report: &Report) -> String {
    let reasons = report.failures.iter().map(|(reason, count)| match *reason {
        "address" => format!("{count} address (not public; --allow-private)"),
        reason => format!("{count} {reason}"),
    });
    let reasons: Vec<_> = reasons.collect();
    format!(
        "no page was fetched, and every feed failed: {}",
        reasons.join(", ")
    )
}

fn options(args: &FetchArgs) -> Result<Options> {
    let options = Options::new(&args.contact);
    let mut options = options.map_err(|error| Usage::of(format!("--contact: {error}")))?;
    options.allow_private = args.allow_private;
    options.addresses = args.resolve.iter().cloned().collect::<BTreeMap<_, _>>();
    options.delay = args.delay;
    options.hosts_at_a_time = args.hosts;
    options.schedule.interval = args.interval;
    options.limits.time = args.timeout;
    options.limits.redirects = args.redirects;
    options.limits.page_bytes = usize::try_from(args.max_page.as_u64()).unwrap_or(usize::MAX);
    options.spill_dir.clone_from(&args.archive.spill_dir);
    Ok(options)
}

fn log_round(report: &Report) {
    tracing::info!(
        polled = report.polled,
        not_modified = report.not_modified,
        new_items = report.new_items,
        pages = report.pages,
        failures = report.failed(),
        "feeds polled"
    );
}

/// The dates as `urltree backfill --dates` reads them.
fn dates(report: &Report) -> Option<String> {
    let (first, last) = report.dates?;
    Some(format!("{first}..{last}"))
}

fn as_text(report: &Report, output: &str) -> String {
    let mut lines = Lines::new();
    lines.add("feeds", report.feeds);
    lines.add("polled", report.polled);
    lines.add("not modified", report.not_modified);
    lines.add("new items", report.new_items);
    lines.add("pages", report.pages);
    lines.add("HTML MB", format!("{:.1}", megabytes(report.html_bytes)));
    lines.add("failures", report.failed());
    for (reason, count) in &report.failures {
        lines.add(&format!("  {reason}"), count);
    }
    if let Some(dates) = dates(report) {
        lines.add("dates", dates);
    }
    let output = output.trim_end_matches('/');
    let failures = match report.failed() {
        0 => String::new(),
        _ => format!("failures: {output}/_feeds/failures\n"),
    };
    format!("{}archive: {output}\n{failures}", lines.text())
}

fn as_json(report: &Report) -> String {
    json!({
        "feeds": report.feeds,
        "polled": report.polled,
        "not_modified": report.not_modified,
        "new_items": report.new_items,
        "pages": report.pages,
        "html_bytes": report.html_bytes,
        "failures": report.failures,
        "dates": dates(report),
        "next_poll": report.next_poll.map(|next| next.format("%Y-%m-%dT%H:%M:%SZ").to_string()),
    })
    .to_string()
}
