use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use tables::DateRange;

/// Turns crawl archives into clean text.
///
/// Pages of one site share a template: a text block that recurs along a URL
/// path is boilerplate, one that does not is content. urltree reads archives of
/// pages, replays each site in time order through such a tree of URLs, and
/// writes tables of text.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 done, 2 usage, 3 input, 4 storage, 5 internal.\n\
                  Logs go to stderr; URLTREE_LOG=debug shows more of them."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Process a range of dates and replace them in the output tables.
    #[command(after_help = "Examples:\n  \
        urltree backfill --job jobs/backfill.toml --date 2011-10-24..2011-12-19\n  \
        urltree backfill --job jobs/backfill.toml --date 2011-10-24 --set run.threads=1\n  \
        urltree backfill --job jobs/backfill.toml --date 2004-01-01..2013-12-31 \\\n      \
        --set archive.location=s3://bucket/pages --set output.partition=year")]
    Backfill(BackfillArgs),
    /// Query the output tables (documents, url_keys, quarantine, history, runs,
    /// blocks) and the archive.
    #[command(after_help = "Examples:\n  \
        urltree sql --job jobs/backfill.toml \"SELECT url, text FROM documents LIMIT 3\"\n  \
        urltree sql --job jobs/backfill.toml --format csv \\\n      \
        \"SELECT merged_by, count(*) FROM url_keys WHERE status = 'duplicate' GROUP BY merged_by\"")]
    Sql(SqlArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct JobArgs {
    /// The job: a TOML file that names the archive, the output and the settings.
    #[arg(long, value_name = "FILE")]
    pub(crate) job: PathBuf,
    /// Override a key of the job, such as archive.location=pages.parquet.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BackfillArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// UTC days to process, both ends included: YYYY-MM-DD or
    /// YYYY-MM-DD..YYYY-MM-DD.
    #[arg(long, value_name = "A..B")]
    pub(crate) date: DateRange,
    /// Print the plan of the first chunk and do nothing.
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// How to print the rows.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// The statement.
    pub(crate) query: String,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Drawn columns, for people.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line.
    Json,
}
