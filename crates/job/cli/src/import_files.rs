//! The command `urltree import`.

use std::num::NonZeroUsize;

use anyhow::Result;
use bytesize::ByteSize;
use clap::Subcommand;
use import::{ColumnName, Limits, Options, PageOptions, PageTime, Report, import, import_pages};
use serde_json::json;
use tables::Location;

use crate::args::{ArchiveArgs, ReportFormat};
use crate::import_index::{ImportIndexArgs, index};
use crate::import_run::{add_counts, dates, ended, run};
use crate::print::print;
use crate::progress::{Terminal, megabytes};
use crate::report::Lines;
use crate::usage::{NotFound, Usage};

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Import WARC and ARC files: WARC 0.17 to 1.1, ARC, gzip, zstd or not compressed, and WACZ.
    ///
    /// HTML in responses, resources and conversions becomes rows, in time order, in one Parquet file per
    /// input and UTC date. Records that are truncated, corrupt or have a wrong length or digest are rows
    /// of _quarantine/*.parquet, with file, offset and reason. Revisits of pages in other files are rows
    /// of _revisits/*.parquet, with the digest of the page. Other records are counted by type and
    /// content, and forms that the standards do not have are counted as warnings. An import that was stopped continues
    /// when the same command is given again, and inputs that are imported are not read again.
    #[command(after_help = "Examples:\n  \
        urltree import warc crawl --output data/pages\n  \
        urltree import warc 'crawl/*.warc' more.warc --output data/pages --format json\n  \
        urltree import warc s3://bucket/crawl --output s3://bucket/pages --files 8\n  \
        urltree import warc warc.paths.gz --base https://data.commoncrawl.org --output data/pages")]
    Warc(ImportWarcArgs),
    /// Import pages that a list names: CSV, JSON Lines or Parquet, with files of HTML or with the HTML
    /// in the list. Or import the mirror of a site without a list.
    ///
    /// A row of the list has the columns url, time (or fetched_at) and path. The columns title,
    /// request_url, content_type, http_charset, http_status, x_robots_tag and tdm_reservation may be there too. A path is relative
    /// to a FOLDER, and nothing outside of it is read. With --columns html=NAME, and in Parquet,
    /// pages are in the rows. Rows become pages in time order, in one Parquet file per list and UTC
    /// date. Rows that are not pages are rows of _quarantine/*.parquet, with row, path and reason.
    /// A second import changes nothing, unless the list or a file in the folders has changed.
    ///
    /// Without --manifest, each FOLDER is a mirror that wget -r or HTTrack has written. The path of a
    /// file, HOST/PATH, is the URL of its page, and the time is that of the file, unless HTTrack notes
    /// others in the page.
    #[command(after_help = "Examples:\n  \
        urltree import pages mirror --output data/pages --time 2011-10-24\n  \
        urltree import pages saved --manifest saved/pages.csv --output data/pages\n  \
        urltree import pages --manifest saved/pages.jsonl --output data/pages --format json\n  \
        urltree import pages --manifest crawl.parquet --output data/pages \\\n      \
        --columns fetched_at=warc_date,html=content\n  \
        urltree import pages s3://bucket/saved --manifest pages.csv --output s3://bucket/pages --files 64")]
    Pages(ImportPagesArgs),
    /// Import the pages of chosen sites out of a crawl, by an index of it: CDX, CDXJ, the columnar index of
    /// Common Crawl (Parquet), WACZ, or a CDX server.
    ///
    /// The plan is shown first: records, files, requests, bytes. Records of a file that are less than 1 MiB apart
    /// are one request. Each record is compared with the index (place, URL, time, digest) and ends as got, missing or
    /// wrong; the last two are rows of _quarantine/*.parquet, with file, offset and reason. The rows of pages are those of
    /// import warc. A host gets --at-once requests at a time, and waits after 403, 429 and 503 are 10 seconds,
    /// doubled up to half an hour, or what Retry-After asks for. An import that was stopped continues when the same
    /// command is given again.
    #[command(after_help = "Examples:\n  \
        urltree import index crawl/index.cdxj --domain a.example --output data/pages --dry-run\n  \
        urltree import index crawl/index.cdxj --domain a.example --output data/pages\n  \
        urltree import index https://index.commoncrawl.org/CC-MAIN-2024-10-index \\\n      \
        --base https://data.commoncrawl.org --prefix example.org/news/ --output data/news \\\n      \
        --budget 10GB\n  \
        urltree import index s3://bucket/cc-index/subset=warc --base s3://bucket --list domains.txt \\\n      \
        --output s3://bucket/pages --at-once 8")]
    Index(ImportIndexArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ImportPagesArgs {
    /// Folders or URLs of the files. A path is that of the first folder that has it. The default is
    /// the folder of the list.
    #[arg(value_name = "FOLDER")]
    folders: Vec<String>,
    /// List of pages: .csv, .tsv, .jsonl, .ndjson, each also with .gz, or .parquet. Without it, each
    /// FOLDER is a mirror.
    #[arg(long, required_unless_present = "folders", value_name = "FILE")]
    manifest: Vec<String>,
    /// Time of all pages of a mirror, such as 2011-10-24T12:00:00Z or 2011-10-24.
    #[arg(long, value_name = "TIME", conflicts_with = "manifest")]
    time: Option<PageTime>,
    #[command(flatten)]
    archive: ArchiveArgs,
    /// Names of columns in the list, such as fetched_at=when,url=address. A name of a nested JSON value
    /// has dots. With html=NAME, pages are in the list.
    #[arg(
        long,
        value_name = "COLUMN=NAME",
        value_delimiter = ',',
        requires = "manifest"
    )]
    columns: Vec<ColumnName>,
    /// Pages that are read at a time. A higher number helps with object storage.
    #[arg(long, value_name = "NUMBER", default_value = "8")]
    files: NonZeroUsize,
    /// Most bytes of a page. A larger one is quarantined.
    #[arg(long, value_name = "SIZE", default_value = "32MiB")]
    max_page: ByteSize,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ImportWarcArgs {
    /// Files, folders, patterns such as 'crawl/*.warc.gz', lists (*.paths, *.paths.gz), s3://, gs://,
    /// az:// or http(s):// URLs, or - for standard input.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    #[command(flatten)]
    archive: ArchiveArgs,
    /// URL or folder that the lines of lists are relative to, instead of the folder of the list.
    #[arg(long, value_name = "DIR")]
    base: Option<String>,
    /// Files that are read at a time. The default is the number of cores.
    #[arg(long, value_name = "NUMBER")]
    files: Option<NonZeroUsize>,
    /// Most bytes of a page, with and without its content encoding. A larger one is quarantined.
    #[arg(long, value_name = "SIZE", default_value = "32MiB")]
    max_page: ByteSize,
}

/// Imports pages, and prints the report.
pub(crate) fn import_files(
    command: &ImportCommand,
    quiet: bool,
    terminal: &Terminal,
) -> Result<()> {
    let (report, archive) = match command {
        ImportCommand::Index(args) => return index(args, quiet, terminal),
        ImportCommand::Warc(args) => (warc(args, terminal)?, &args.archive),
        ImportCommand::Pages(args) => (pages(args, terminal)?, &args.archive),
    };
    print(&printed(&report, archive.format, quiet, archive.output()))?;
    match report.is_unusable() {
        true => Err(NotFound::of(nothing_usable(&report)).into()),
        false => Ok(()),
    }
}

/// Says why an import has no pages.
fn nothing_usable(report: &Report) -> String {
    let others: u64 = report.not_pages.values().sum();
    let reasons = report.reasons.iter();
    let mut reasons: Vec<_> = reasons
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    if others > 0 {
        reasons.push(format!("{others} records that are no HTML pages"));
    }
    match reasons.is_empty() {
        true => "no page was imported: the input has no records".to_owned(),
        false => format!("no page was imported: {}", reasons.join(", ")),
    }
}

fn warc(args: &ImportWarcArgs, terminal: &Terminal) -> Result<Report> {
    let output = args.archive.location()?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let bytes = usize::try_from(args.max_page.as_u64()).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    (limits.block_bytes, limits.body_bytes) = (bytes, bytes);
    let options = Options {
        files_at_a_time: args.files.unwrap_or(cores),
        base: args.base.clone(),
        limits,
        spill_dir: args.archive.spill_dir.clone(),
    };
    let progress = terminal.import();
    run(
        import(&args.inputs, &output, &options, &progress),
        &progress,
    )
}

fn pages(args: &ImportPagesArgs, terminal: &Terminal) -> Result<Report> {
    let output = args.archive.location()?;
    let folder = |folder: &String| {
        let found = Location::parse(folder);
        found.map_err(|error| Usage::of(format!("FOLDER: {error}")))
    };
    let options = PageOptions {
        columns: args.columns.iter().cloned().collect(),
        folders: args.folders.iter().map(folder).collect::<Result<_, _>>()?,
        time: args.time,
        pages_at_a_time: args.files,
        max_page_bytes: args.max_page.as_u64(),
        spill_dir: args.archive.spill_dir.clone(),
    };
    let progress = terminal.import();
    run(
        import_pages(&args.manifest, &output, &options, &progress),
        &progress,
    )
}

fn printed(report: &Report, format: Option<ReportFormat>, quiet: bool, output: &str) -> String {
    match format {
        Some(ReportFormat::Json) => as_json(report),
        None if quiet => String::new(),
        None | Some(ReportFormat::Text) => as_text(report, output),
    }
}

fn as_text(report: &Report, output: &str) -> String {
    let mut lines = Lines::new();
    lines.add("files", report.files);
    lines.add("already imported", report.already_imported);
    lines.add("MB", format!("{:.1}", megabytes(report.bytes)));
    if report.records.is_empty() {
        lines.add("records", 0);
    }
    add_counts(&mut lines, "records", &report.records);
    add_counts(&mut lines, "not pages", &report.not_pages);
    add_counts(&mut lines, "warnings", &report.warnings);
    ended(lines, report, output)
}

fn as_json(report: &Report) -> String {
    json!({
        "files": report.files,
        "already_imported": report.already_imported,
        "bytes": report.bytes,
        "records": report.records,
        "not_pages": report.not_pages,
        "warnings": report.warnings,
        "revisits": report.revisits,
        "quarantined": report.quarantined,
        "reasons": report.reasons,
        "pages": report.pages,
        "html_bytes": report.html_bytes,
        "objects": report.objects,
        "dates": dates(report),
    })
    .to_string()
}
