use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use tables::DateRange;

/// Turns crawl archives into clean text.
///
/// Pages of one site share a template: a text block that recurs along a URL
/// path is boilerplate, one that does not is content. urltree reads archives of
/// pages, replays each site in time order through such a tree of URLs, and
/// writes tables of text.
#[derive(Debug, Parser)]
#[command(
    name = "urltree",
    version,
    after_help = "Exit codes: 0 done, 2 usage, 3 input, 4 storage, 5 internal,\n\
                  130 interrupted.\n\
                  Logs go to stderr; URLTREE_LOG=debug shows more of them."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say more on stderr: -v each stage, -vv all there is.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Say nothing but errors, and print no report unless --format asks for it.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
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
    /// Process the dates that are new in the archive.
    ///
    /// These are all after the last one with pages in the tables. The trees go on
    /// from where earlier runs left them.
    #[command(after_help = "Examples:\n  \
        urltree nightly --job jobs/nightly.toml\n  \
        urltree nightly --job jobs/nightly.toml --date 2011-12-19")]
    Nightly(NightlyArgs),
    /// Show which dates the output tables hold, and which are missing or stale.
    ///
    /// A date is stale where an earlier one was run after it. Only the tables
    /// are read, unless --archive asks for more.
    #[command(after_help = "Examples:\n  \
        urltree status --job jobs/backfill.toml\n  \
        urltree status --job jobs/backfill.toml --archive\n  \
        urltree status --job jobs/backfill.toml --format json")]
    Status(StatusArgs),
    /// Find data files that no table needs any more, and delete them.
    ///
    /// These are files of runs that stopped before they were committed, and files
    /// that a later run replaced. Nothing is deleted unless --delete is given.
    /// Files younger than --keep stay, and so does what any version of a table
    /// named within that time.
    #[command(after_help = "Examples:\n  \
        urltree gc --job jobs/backfill.toml\n  \
        urltree gc --job jobs/backfill.toml --delete\n  \
        urltree gc --job jobs/backfill.toml --keep 1d --format json")]
    Gc(GcArgs),
    /// Query the output tables (documents, url_keys, quarantine, history, runs,
    /// blocks) and the archive.
    #[command(after_help = "Examples:\n  \
        urltree sql --job jobs/backfill.toml \"SELECT url, text FROM documents LIMIT 3\"\n  \
        urltree sql --job jobs/backfill.toml --format csv \\\n      \
        \"SELECT merged_by, count(*) FROM url_keys WHERE status = 'duplicate' GROUP BY merged_by\"")]
    Sql(SqlArgs),
    /// Write an archive of news sites that do not exist, with the text of every
    /// article beside it.
    #[command(after_help = "Examples:\n  \
        urltree sample --output data/sample --date 2011-10-24..2011-12-19\n  \
        urltree sample --output s3://bucket/sample --date 2011-10-24 --pages 500 --seed 7")]
    Sample(SampleArgs),
    /// Print the completion script of a shell.
    #[command(after_help = "Examples:\n  \
        urltree completions bash > ~/.local/share/bash-completion/completions/urltree\n  \
        urltree completions zsh > ~/.zfunc/_urltree")]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual: a page for urltree and one for each command.
    #[command(after_help = "Example:\n  \
        urltree man ~/.local/share/man/man1")]
    Man {
        /// The folder, which is made where it is missing.
        folder: PathBuf,
    },
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

impl JobArgs {
    /// A command for this job, as a shell takes it; passwords in URLs are left
    /// out.
    pub(crate) fn command(&self, name: &str, options: &[&str]) -> String {
        let job = self.job.display().to_string();
        let mut words = vec!["urltree".to_owned(), name.to_owned()];
        words.extend(["--job".to_owned(), job]);
        for setting in &self.set {
            words.extend(["--set".to_owned(), tables::without_secrets(setting)]);
        }
        words.extend(options.iter().map(|option| (*option).to_owned()));
        let quoted = words.iter().map(|word| match shlex::try_quote(word) {
            Ok(quoted) => quoted.into_owned(),
            // A NUL byte, which no shell could pass on either.
            Err(_) => word.clone(),
        });
        quoted.collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Run although the tables were written with other settings. Dates that
    /// follow are stale then.
    #[arg(long)]
    pub(crate) change_settings: bool,
    /// How to print the report.
    #[arg(long, value_enum)]
    pub(crate) format: Option<ReportFormat>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BackfillArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// UTC days to process, both ends included: YYYY-MM-DD or
    /// YYYY-MM-DD..YYYY-MM-DD.
    #[arg(long, value_name = "A..B")]
    pub(crate) date: DateRange,
    /// Print the plan of the first chunk and do nothing.
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NightlyArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// These UTC days instead of all new ones.
    #[arg(long, value_name = "A..B")]
    pub(crate) date: Option<DateRange>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Also look for dates of which the archive has other rows or objects by
    /// now than were run: late or corrected data.
    #[arg(long)]
    pub(crate) archive: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct GcArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Delete them. No run can be at work meanwhile.
    #[arg(long)]
    pub(crate) delete: bool,
    /// How long to keep what readers of earlier versions may still need, such as
    /// 12h; at most 7d.
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = keep)]
    pub(crate) keep: Duration,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

fn keep(text: &str) -> Result<Duration, String> {
    let keep = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if keep > tables::LONGEST_KEEP {
        let longest = humantime::format_duration(tables::LONGEST_KEEP);
        return Err(format!(
            "the tables remember for {longest} when a file was replaced, and no longer"
        ));
    }
    Ok(keep)
}

#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    /// Folder or URL below which pages/date=YYYY-MM-DD/*.parquet and
    /// gold/date=YYYY-MM-DD/*.parquet are written.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: String,
    /// UTC days on which pages are fetched, both ends included.
    #[arg(long, value_name = "A..B")]
    pub(crate) date: DateRange,
    /// About how many pages.
    #[arg(long, value_name = "N", default_value_t = 6_000)]
    pub(crate) pages: u64,
    /// Another number gives other pages; the same gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// How to print the rows.
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
    /// The statement.
    pub(crate) query: String,
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// Drawn columns, for people.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line.
    Json,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Lines, for people.
    Text,
    /// One JSON object.
    Json,
}
