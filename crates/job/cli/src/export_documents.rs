//! The command `urltree export`.

use std::collections::BTreeMap;

use anyhow::Result;
use bytesize::ByteSize;
use clap::ValueEnum;
use engine::{EngineError, Job};
use export::{Existing, Format, Part, Report, Request, Rows, Source, TableVersion};
use futures::StreamExt;
use query::{DocumentColumns, DocumentSelection, ExportRows, QueryRows};
use tables::{DateRange, Location};
use tracing::warn;

use crate::args::JobArgs;
use crate::print::print;
use crate::progress::megabytes;
use crate::report::Lines;
use crate::runtime::{Interrupted, until_interrupted};
use crate::usage::Usage;

#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Format of the files.
    #[arg(long, value_enum)]
    format: FormatChoice,
    /// Folder or URL to write to: documents/part-00000.* and manifest.json. It is new, empty, or has this
    /// export.
    #[arg(long, value_name = "DIR")]
    output: String,
    /// UTC days, both ends inclusive: YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD. The default is all.
    #[arg(long, value_name = "A..B", conflicts_with = "query")]
    dates: Option<DateRange>,
    /// Domains, as in the column domain of documents. The default is all.
    #[arg(
        long,
        value_name = "DOMAIN,...",
        value_delimiter = ',',
        conflicts_with = "query"
    )]
    domains: Vec<String>,
    /// Also export revisions: later versions of a page that brought unseen text.
    #[arg(long, conflicts_with = "query")]
    revisions: bool,
    /// Column that becomes the text.
    #[arg(long, value_enum, value_name = "COLUMN", default_value_t = TextChoice::Text, conflicts_with = "query")]
    text: TextChoice,
    /// Export the rows of an SQL query with the columns id, text, url and date. All other columns become
    /// metadata. Without ORDER BY, rows are sorted by date, id, url and text.
    #[arg(long, value_name = "SQL")]
    query: Option<String>,
    /// Size of a file, as it is written, at which the next one is begun.
    #[arg(long, value_name = "SIZE", default_value = "256MB")]
    shard_size: ByteSize,
    /// Name of the collection: the field source of each document.
    #[arg(long, value_name = "NAME", default_value = "urltree")]
    source: String,
    /// Replace another export that is in the folder.
    #[arg(long)]
    replace: bool,
}

/// A format of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatChoice {
    /// JSON Lines: one JSON object per line
    #[value(name = "jsonl")]
    JsonLines,
    /// JSON Lines, compressed by zstd
    #[value(name = "jsonl.zst")]
    JsonLinesZstd,
    /// JSON Lines, compressed by gzip
    #[value(name = "jsonl.gz")]
    JsonLinesGzip,
    /// Parquet, with the metadata as a struct
    Parquet,
    /// Parquet with the flat columns of FineWeb, for Hugging Face
    #[value(name = "fineweb")]
    FineWeb,
    /// WARC 1.0 with a conversion record per document, as the WET files of Common Crawl
    Wet,
}

impl From<FormatChoice> for Format {
    fn from(choice: FormatChoice) -> Self {
        match choice {
            FormatChoice::JsonLines => Self::JsonLines,
            FormatChoice::JsonLinesZstd => Self::JsonLinesZstd,
            FormatChoice::JsonLinesGzip => Self::JsonLinesGzip,
            FormatChoice::Parquet => Self::Parquet,
            FormatChoice::FineWeb => Self::FineWeb,
            FormatChoice::Wet => Self::Wet,
        }
    }
}

/// A column with the content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TextChoice {
    /// Content blocks, one per line
    Text,
    /// Content blocks as Markdown, if the job writes it
    Markdown,
}

impl TextChoice {
    /// The column of `documents`.
    fn column(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
        }
    }
}

impl ExportArgs {
    /// Returns the arguments that decide the documents, by name.
    fn documents_of(&self) -> BTreeMap<String, String> {
        let mut documents = BTreeMap::new();
        let mut add = |name: &str, value: String| documents.insert(name.to_owned(), value);
        if let Some(query) = &self.query {
            add("query", query.clone());
            return documents;
        }
        if let Some(dates) = self.dates {
            add("dates", dates.to_string());
        }
        if !self.domains.is_empty() {
            let mut domains = self.domains.clone();
            domains.sort_unstable();
            domains.dedup();
            add("domains", domains.join(","));
        }
        add("revisions", self.revisions.to_string());
        add("text", self.text.column().to_owned());
        documents
    }
}

/// Exports documents, and prints the report.
pub(crate) fn export(args: &ExportArgs, quiet: bool) -> Result<()> {
    let job = args.job.open()?;
    let exported = exported(args, &job, quiet);
    match until_interrupted(&job, Interrupted::Run, exported)? {
        report if report.is_empty() => Ok(()),
        report => print(&report),
    }
}

async fn exported(args: &ExportArgs, job: &Job, quiet: bool) -> Result<String> {
    let output = Location::parse(&args.output);
    let output = output.map_err(|error| Usage::of(format!("--output: {error}")))?;
    if args.shard_size.as_u64() == 0 {
        return Err(Usage::of("--shard-size: expected a size above 0").into());
    }
    let rows = match &args.query {
        Some(query) => ExportRows::query(job, query).await?,
        None => {
            let selection = DocumentSelection {
                dates: args.dates,
                domains: args.domains.clone(),
                text: args.text.column(),
                revisions: args.revisions,
                columns: match args.format {
                    FormatChoice::FineWeb => DocumentColumns::FineWeb,
                    _ => DocumentColumns::All,
                },
            };
            ExportRows::documents(job, selection).await?
        }
    };
    for domain in rows.absent_domains().await? {
        warn!(
            "no document is of the domain {domain}: domains are in the column domain of documents"
        );
    }
    let source = TableRows::new(rows);
    let request = Request {
        format: args.format.into(),
        documents_of: args.documents_of(),
        source: args.source.clone(),
        shard_bytes: args.shard_size.as_u64(),
        tables: source.versions(),
        written_by: format!("urltree {}", env!("CARGO_PKG_VERSION")),
    };
    let existing = match args.replace {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    let report = export::export(&source, &output, &request, existing).await?;
    if report.manifest.documents == 0 {
        warn!("no document was exported, so there is no file but the manifest");
    }
    Ok(match quiet {
        true => String::new(),
        false => as_text(&report, &args.output),
    })
}

fn as_text(report: &Report, output: &str) -> String {
    let mut lines = Lines::new();
    lines.add("documents", report.manifest.documents);
    lines.add("files", report.manifest.shards.len());
    if report.kept_shards > 0 {
        lines.add("  already exported", report.kept_shards);
    }
    lines.add("MB", format!("{:.1}", megabytes(report.manifest.bytes)));
    let output = output.trim_end_matches('/');
    format!("{}export: {output}/manifest.json\n", lines.text())
}

/// Rows of the tables as the source of an export.
struct TableRows {
    rows: ExportRows,
    parts: Vec<Part>,
}

impl TableRows {
    fn new(rows: ExportRows) -> Self {
        let parts = match rows.is_query() {
            true => vec![Part::Query],
            false => rows.partitions().iter().copied().map(Part::Dates).collect(),
        };
        Self { rows, parts }
    }

    fn versions(&self) -> BTreeMap<String, TableVersion> {
        let version = |(name, read): (&String, &query::ReadVersion)| {
            let version = TableVersion {
                id: read.id.clone(),
                version: read.version,
            };
            (name.clone(), version)
        };
        self.rows.versions().iter().map(version).collect()
    }
}

impl Source for TableRows {
    type Error = EngineError;

    fn parts(&self) -> &[Part] {
        &self.parts
    }

    async fn rows(&self, part: Part) -> Result<Rows<EngineError>, EngineError> {
        let rows = match part {
            Part::Dates(dates) => self.rows.rows(Some(dates)).await?,
            Part::Query => self.rows.rows(None).await?,
        };
        let schema = rows.schema();
        let batches = futures::stream::unfold(rows, async |mut rows: QueryRows| {
            let batch = rows.next().await?;
            Some((batch, rows))
        });
        Ok(Rows {
            schema,
            batches: batches.boxed(),
        })
    }
}
