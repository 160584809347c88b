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
    after_help = "Exit codes: 0 done, 1 quality below its threshold, 2 usage, 3 input, 4 storage, 5 internal,\n\
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
        urltree backfill --job jobs/backfill.toml --dates 2011-10-24..2011-12-19\n  \
        urltree backfill --job jobs/backfill.toml --dates 2011-10-24 --set run.threads=1\n  \
        urltree backfill --job jobs/backfill.toml --dates 2004-01-01..2013-12-31 \\\n      \
        --set archive.location=s3://bucket/pages --set output.partition=year")]
    Backfill(BackfillArgs),
    /// Process the dates that are new in the archive.
    ///
    /// These are all after the last one with pages in the tables. The trees go on
    /// from where earlier runs left them.
    #[command(after_help = "Examples:\n  \
        urltree update --job jobs/nightly.toml\n  \
        urltree update --job jobs/nightly.toml --dates 2011-12-19")]
    Update(UpdateArgs),
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
    /// Files younger than --retention stay, and so does what any version of a table
    /// named within that time.
    #[command(after_help = "Examples:\n  \
        urltree vacuum --job jobs/backfill.toml\n  \
        urltree vacuum --job jobs/backfill.toml --delete\n  \
        urltree vacuum --job jobs/backfill.toml --retention 1d --format json")]
    Vacuum(VacuumArgs),
    /// Query the output tables (documents, url_keys, quarantine, window_entries, runs,
    /// blocks) and the archive.
    #[command(after_help = "Examples:\n  \
        urltree sql --job jobs/backfill.toml \"SELECT url, text FROM documents LIMIT 3\"\n  \
        urltree sql --job jobs/backfill.toml --format csv \\\n      \
        \"SELECT merged_by, count(*) FROM url_keys WHERE status = 'duplicate' GROUP BY merged_by\"")]
    Sql(SqlArgs),
    /// Compare extracted texts with gold texts.
    ///
    /// Gold is Parquet with the columns url and gold_text. Texts are those of a job's
    /// table documents, of files, of the URL Tree's heuristics (the pages of the gold
    /// set are replayed, which needs its columns html and fetched_at), of published
    /// extractors, and of others that are run by adapters.
    #[command(after_help = "Examples:\n  \
        urltree eval --gold data/sample/gold --job jobs/backfill.toml\n  \
        urltree eval --gold gold.parquet --heuristics all --extractors all --plots charts\n  \
        urltree eval --gold gold.parquet --texts other=texts.jsonl --report report.md\n  \
        urltree eval --gold gold.parquet --heuristics all --thresholds thresholds.toml --raise-thresholds")]
    Eval(Box<EvalArgs>),
    /// Choose a heuristic's parameter on the beginning of gold streams, and measure it on
    /// the rest.
    #[command(after_help = "Examples:\n  \
        urltree tune --gold gold.parquet --prefix 0.2")]
    Tune(TuneArgs),
    /// Make a gold set of a published collection.
    #[command(after_help = "Examples:\n  \
        urltree gold --format cleaneval --gold GoldStandard --pages finalrun-input \\\n      \
        --output cleaneval.parquet\n  \
        urltree gold --format l3s-gn1 --gold annotated --pages original \\\n      \
        --urls url-mapping.txt --output l3s-gn1.parquet\n  \
        urltree gold --format json --gold ground-truth.json --pages pages --output gold.parquet")]
    Gold(GoldArgs),
    /// Print what a published extractor finds in HTML files.
    #[command(after_help = "Examples:\n  \
        urltree extract --extractor cetd-ds page.html\n  \
        urltree extract --extractor iwptd page.html other-page.html")]
    Extract(ExtractArgs),
    /// Write an archive of news sites that do not exist, with the text of every
    /// article beside it.
    #[command(after_help = "Examples:\n  \
        urltree sample --output data/sample --dates 2011-10-24..2011-12-19\n  \
        urltree sample --output s3://bucket/sample --dates 2011-10-24 --pages 500 --seed 7")]
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
    pub(crate) dates: DateRange,
    /// Print the plan of the first chunk and do nothing.
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// These UTC days instead of all new ones.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: Option<DateRange>,
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
pub(crate) struct VacuumArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Delete them. No run can be at work meanwhile.
    #[arg(long)]
    pub(crate) delete: bool,
    /// How long to keep what readers of earlier versions may still need, such as
    /// 12h; at most 7d.
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = retention)]
    pub(crate) retention: Duration,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

fn retention(text: &str) -> Result<Duration, String> {
    let retention = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if retention > tables::MAX_RETENTION {
        let longest = humantime::format_duration(tables::MAX_RETENTION);
        return Err(format!(
            "--retention is at most {longest}: the Delta log does not record older replacements"
        ));
    }
    Ok(retention)
}

#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    /// Folder or URL below which pages/date=YYYY-MM-DD/*.parquet and
    /// gold/date=YYYY-MM-DD/*.parquet are written.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: String,
    /// UTC days on which pages are fetched, both ends included.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: DateRange,
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

#[derive(Debug, clap::Args)]
pub(crate) struct EvalArgs {
    /// Gold sets: Parquet files, or folders of them.
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,
    /// Compare the table documents of this job.
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    /// Override a key of the job.
    #[arg(long, value_name = "KEY=VALUE", requires = "job")]
    pub(crate) set: Vec<String>,
    /// Compare texts of a file: Parquet or JSON Lines with url and text.
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) texts: Vec<String>,
    /// Compare heuristics of the URL Tree: names as in a job, or all.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) heuristics: Vec<String>,
    /// Pages of a domain that heuristics see before they label the first of them, as
    /// tree.batching of a job.
    #[arg(long, value_enum, default_value_t = BatchChoice::Date)]
    pub(crate) batch: BatchChoice,
    /// Days that pages stay in a tree, as window.max_age of a job; at least 100 pages
    /// of a domain stay.
    #[arg(long, value_name = "DAYS", default_value_t = 14)]
    pub(crate) window_days: i64,
    /// Compare published extractors: names as for extract --extractor, or all.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) extractors: Vec<String>,
    /// Compare extractors that are run by adapters: names in --peers-file, or all.
    /// One that is missing is told and left out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) peers: Vec<String>,
    /// Where the adapters are.
    #[arg(long, value_name = "FILE", default_value = "tests/peers/peers.toml")]
    pub(crate) peers_file: PathBuf,
    /// Compare at most this many pages of each domain, evenly along its stream.
    #[arg(long, value_name = "N")]
    pub(crate) max_pages_per_domain: Option<usize>,
    /// How texts are cut into words.
    #[arg(long, value_enum, default_value_t = TokensChoice::Unicode)]
    pub(crate) tokens: TokensChoice,
    /// What texts have in common.
    #[arg(long, value_enum, default_value_t = OverlapChoice::Lcs)]
    pub(crate) overlap: OverlapChoice,
    /// Write a row per page and extractor.
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
    /// Write charts (SVG) into this folder, which is made where it is missing.
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Write accuracy, boundary cases and more as sections of this Markdown page, which
    /// keeps the rest of it.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Published figures (TOML) to be put beside, in the report.
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(crate) published: Option<PathBuf>,
    /// Fail, with exit code 1, where precision, recall or F1 is below its threshold in this
    /// file.
    #[arg(long, value_name = "FILE")]
    pub(crate) thresholds: Option<PathBuf>,
    /// Set the thresholds to what was reached; none may sink.
    #[arg(long, requires = "thresholds")]
    pub(crate) raise_thresholds: bool,
    /// Let thresholds sink, for this reason, which is written beside them.
    #[arg(long, value_name = "REASON", requires = "raise_thresholds")]
    pub(crate) lower_thresholds: Option<String>,
    /// How to print the standings.
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TuneArgs {
    /// Gold sets: Parquet files, or folders of them.
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,
    /// The share of each stream on which the parameter is chosen.
    #[arg(long, value_name = "SHARE", default_value_t = 0.18, value_parser = share)]
    pub(crate) prefix: f64,
    /// Write what was tried as the section "tuning" of this Markdown page, which keeps the
    /// rest of it.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// How to print what was tried.
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct GoldArgs {
    /// How the golds are written.
    #[arg(long, value_enum)]
    pub(crate) format: GoldFormat,
    /// The folder of golds, or the file that has all of them.
    #[arg(long, value_name = "PATH")]
    pub(crate) gold: PathBuf,
    /// The folder of pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// The file url-mapping.txt of L3S-GN1.
    #[arg(long, value_name = "FILE")]
    pub(crate) urls: Option<PathBuf>,
    /// Labels of L3S-GN1 that are content.
    #[arg(
        long,
        value_enum,
        value_name = "LABELS",
        value_delimiter = ',',
        default_value = "headline,full-text"
    )]
    pub(crate) labels: Vec<LabelChoice>,
    /// Where to write the set.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// A label of L3S-GN1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LabelChoice {
    /// x-nc-sel1
    Headline,
    /// x-nc-sel2
    FullText,
    /// x-nc-sel3: captions, bylines, dates
    Supplemental,
    /// x-nc-sel4
    RelatedContent,
    /// x-nc-sel5
    UserComments,
}

/// A format of gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GoldFormat {
    /// CleanEval and CleanPortalEval: text with marks for paragraphs, headings and lists.
    Cleaneval,
    /// L3S-GN1: the page with labelled spans.
    L3sGn1,
    /// GoogleTrends-2017: the page with labelled spans.
    Boilernet,
    /// Dragnet: text, comments apart.
    Dragnet,
    /// A text file per page.
    Plain,
    /// A JSON object of pages by id, or a list of them.
    Json,
    /// A JSON object per line.
    JsonLines,
}

/// `tree.batching`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BatchChoice {
    /// One page: the paper's online setting.
    Page,
    /// A whole UTC day, as jobs do by default.
    Date,
    /// All of them: full look-ahead.
    Run,
}

/// How texts are cut into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokensChoice {
    /// Letters, numbers and underscores of Unicode, as in the paper.
    Unicode,
    /// ASCII alone, as in Kovačič's thesis.
    Ascii,
}

/// What texts have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlapChoice {
    /// Their longest common subsequence of words, as in the paper.
    Lcs,
    /// What Python's difflib finds, as in Kovačič's thesis.
    Difflib,
    /// ROUGE-LSum.
    RougeLsum,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExtractArgs {
    /// The extractor.
    #[arg(long, value_name = "NAME")]
    pub(crate) extractor: String,
    /// How to print what it finds: as JSON a line per page, with the title, words, and
    /// nodes of the page's tree, where the method has them.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Pages; to a method that compares pages, all of one site.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
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
