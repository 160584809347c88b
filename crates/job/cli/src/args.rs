use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use tables::DateRange;

use crate::eval_args::{EvalArgs, ExtractArgs, GoldArgs, TuneArgs};
use crate::explain_page::ExplainArgs;
use crate::export_documents::ExportArgs;
use crate::fetch_feeds::FetchArgs;
use crate::import_files::ImportCommand;
use crate::report_site::ReportArgs;
use crate::reproduce::ReproduceArgs;
use crate::serve_site::ServeArgs;

/// Extract clean text from crawl archives.
///
/// Pages of one site share a template: a text block that recurs along a URL path is
/// boilerplate, and any other block is content. urltree reads archives of pages, inserts
/// the pages of each site in time order into a tree of URLs, and writes tables of text.
#[derive(Debug, Parser)]
#[command(
    name = "urltree",
    version,
    after_help = "Exit codes: 0 success, 1 quality below its threshold, 2 usage error, 3 input error,\n\
                  4 storage error, 5 internal error or a stalled run, 130 interrupted.\n\
                  Logs go to stderr. URLTREE_LOG=debug logs more."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Log more to stderr: -v logs every stage, -vv logs everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Log only errors, and print a report only if --format is given.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Process a range of dates and replace their rows in the output tables.
    #[command(after_help = "Examples:\n  \
        urltree backfill --job jobs/backfill.toml --dates 2011-10-24..2011-12-19\n  \
        urltree backfill --job jobs/backfill.toml --dates 2011-10-24 --set run.threads=1\n  \
        urltree backfill --job jobs/backfill.toml --dates 2004-01-01..2013-12-31 \\\n      \
        --set archive.location=s3://bucket/pages --set output.partition=year")]
    Backfill(BackfillArgs),
    /// Process the dates that are new in the archive.
    ///
    /// New dates are all dates after the last date with pages in the tables. The run
    /// continues with the trees of earlier runs.
    #[command(after_help = "Examples:\n  \
        urltree update --job jobs/nightly.toml\n  \
        urltree update --job jobs/nightly.toml --dates 2011-12-19")]
    Update(UpdateArgs),
    /// Run parts of the plans of other processes.
    ///
    /// A driver with --workers sends stages of its plans here. The worker reads pages from the
    /// archive and writes data files with its own credentials, and ends at SIGTERM.
    #[command(after_help = "Examples:\n  \
        urltree worker --listen 127.0.0.1:7070\n  \
        urltree worker --listen 10.0.0.1:7070 --insecure --memory 8GiB --threads 8\n  \
        urltree worker --listen 10.0.0.1:7070 --metrics 10.0.0.1:9090 \\\n      \
        --tls-certificate worker.pem --tls-key worker.key --tls-authority ca.pem")]
    Worker(WorkerArgs),
    /// Show which dates are in the output tables, and which are missing or stale.
    ///
    /// A date is stale if an earlier date was run after it. Only the tables are read,
    /// unless --archive is given.
    #[command(after_help = "Examples:\n  \
        urltree status --job jobs/backfill.toml\n  \
        urltree status --job jobs/backfill.toml --archive\n  \
        urltree status --job jobs/backfill.toml --format json")]
    Status(StatusArgs),
    /// Find data files that no table references, and delete them with --delete.
    ///
    /// These are files that a stopped run did not commit, and files that a later run
    /// replaced. Files younger than --retention are kept, and files that any version of
    /// a table referenced within that time.
    #[command(after_help = "Examples:\n  \
        urltree vacuum --job jobs/backfill.toml\n  \
        urltree vacuum --job jobs/backfill.toml --delete\n  \
        urltree vacuum --job jobs/backfill.toml --retention 1d --format json")]
    Vacuum(VacuumArgs),
    /// Query the output tables and the archive with SQL.
    ///
    /// The tables are documents, url_keys, quarantine, window_entries, runs, blocks,
    /// url_parameters and archive. Only queries are run, nothing that changes a table or a
    /// file. Rows are written while the query runs, so CSV, JSON Lines and Parquet of any
    /// length need little memory.
    #[command(after_help = "Examples:\n  \
        urltree sql --job jobs/backfill.toml \"SELECT url, text FROM documents LIMIT 3\"\n  \
        urltree sql --job jobs/backfill.toml --format csv \\\n      \
        \"SELECT merged_by, count(*) FROM url_keys WHERE status = 'duplicate' GROUP BY merged_by\"\n  \
        urltree sql --job jobs/backfill.toml --output texts.parquet \"SELECT url, text FROM documents\"")]
    Sql(SqlArgs),
    /// Write documents for other tools: JSON Lines, Parquet or WET files.
    ///
    /// Unique documents with text are written in the order of date, domain, time and URL, with the fields
    /// of datatrove, Dolma and Hugging Face: id, text, source, url, date, added, created, and metadata,
    /// which has the other columns of documents. An export that was stopped continues when the same command
    /// is given again, and refuses if the tables have changed meanwhile. Files appear when they are whole,
    /// and manifest.json is written last.
    #[command(after_help = "Examples:\n  \
        urltree export --job jobs/backfill.toml --format jsonl.zst --output data/export\n  \
        urltree export --job jobs/backfill.toml --format parquet --output data/october \\\n      \
        --dates 2011-10-24..2011-10-31 --shard-size 64MB\n  \
        urltree export --job jobs/backfill.toml --format wet --output data/wet \\\n      \
        --query \"SELECT document_id AS id, text, url, fetched_at AS date FROM documents \\\n      \
        WHERE content_chars > 500\"\n  \
        urltree export --job jobs/backfill.toml --format jsonl.gz --output s3://bucket/export")]
    Export(Box<ExportArgs>),
    /// Show a page block by block: what is kept and what is dropped, and why.
    ///
    /// Every text block has the label and the reason that the run gave it, the pages that have it, and its
    /// DOM path. The tree and the template of the site are rebuilt from window_entries as they were when
    /// the page was labelled, and the page is read from the archive, so the tables need no blocks. A
    /// duplicate is answered with the page that it duplicates, and a quarantined page with its reason.
    ///
    /// --mark says that a DOM path of the site is content or boilerplate, and --unmark takes that back. The
    /// answer is the effect on this page and on the newest pages of the site; with --gold, also on F1. --save
    /// writes the marks into the file of the job (tree.paths). Dates that were run keep their labels until
    /// they are run again.
    #[command(after_help = "Examples:\n  \
        urltree explain http://herald.eastham.example/politics/ --job jobs/backfill.toml\n  \
        urltree explain http://herald.eastham.example/politics/ --job jobs/backfill.toml \\\n      \
        --gold data/sample/gold --html page.html\n  \
        urltree explain http://herald.eastham.example/politics/ --job jobs/backfill.toml \\\n      \
        --mark 'div.eu-banner=content' --pages 20")]
    Explain(Box<ExplainArgs>),
    /// Write a report of the tables as HTML: the run, every domain, the quarantine.
    ///
    /// The folder is a static site that needs no network, no web server and no build: open index.html.
    /// Pages have the dates with their rows, speed and memory, duplicates by step, the quarantine with
    /// object and row, and a table of all domains. The largest domains have a page with their content along
    /// the stream, their URL tree, DOM paths, boilerplate and worst pages. Only the tables are read,
    /// unless --explain is given. Equal tables give equal bytes.
    #[command(after_help = "Examples:\n  \
        urltree report --job jobs/backfill.toml --output data/report\n  \
        urltree report --job jobs/backfill.toml --dates 2011-10-24..2011-10-31 --output data/week \\\n      \
        --domain-pages 20 --explain 1")]
    Report(ReportArgs),
    /// Show the pages of a report in a browser, live, with a page for every URL and a form for SQL.
    ///
    /// Pages are computed from the tables when they are asked for, so they have the dates that a run has just
    /// written. Every domain has its page, every URL its blocks, as `urltree explain` shows them, and the form
    /// takes the queries of `urltree sql`. Nothing is changed. The pages ask for no password, so only this
    /// machine can connect: other addresses, other host names and requests of other web pages are refused.
    #[command(after_help = "Examples:\n  \
        urltree serve --job jobs/backfill.toml\n  \
        urltree serve --job jobs/backfill.toml --listen 127.0.0.1:0 --query-timeout 5m --max-rows 10000")]
    Serve(ServeArgs),
    /// Find near duplicates among all documents, across sites.
    ///
    /// The rows are the documents that are near duplicates of others: cluster_id, document_id, domain,
    /// url and fetched_at. Two documents are in a cluster if they have one of 14 bands of their MinHash
    /// signatures in common: 92 % of pairs with a similarity of .8, 1 % of pairs with .4. The
    /// cluster_id is the least document_id of the cluster. The job must have been run with
    /// output.write_minhash = true. Documents without a signature are in no cluster.
    #[command(after_help = "Examples:\n  \
        urltree dedup --job jobs/backfill.toml\n  \
        urltree dedup --job jobs/backfill.toml --output clusters.parquet")]
    Dedup(DedupArgs),
    /// Propose URL rules from the tables, or show the effect of a rule file.
    ///
    /// A URL rule names the query parameters that identify a page. A job reads the file
    /// that url_key.rules names.
    #[command(after_help = "Examples:\n  \
        urltree rules learn --job jobs/backfill.toml\n  \
        urltree rules check --job jobs/backfill.toml --rules jobs/rules/url-keys.tsv")]
    Rules {
        #[command(subcommand)]
        command: RulesCommand,
    },
    /// Compare extracted texts with gold texts.
    ///
    /// Gold is Parquet with the columns url and gold_text. Texts are those of a job's
    /// table documents, of files, of the URL Tree's heuristics (the pages of the gold
    /// set are replayed with the settings of a job, which needs the columns html and
    /// fetched_at), of published extractors, and of others that are run by adapters.
    #[command(after_help = "Examples:\n  \
        urltree eval --gold data/sample/gold --job jobs/backfill.toml\n  \
        urltree eval --gold gold.parquet --heuristics all --extractors all --plots charts\n  \
        urltree eval --gold gold.parquet --heuristics strict --set tree.batching=page\n  \
        urltree eval --gold gold.parquet --extractors alarte,temex --measure nodes\n  \
        urltree eval --gold gold.parquet --texts other=texts.jsonl --report report.md\n  \
        urltree eval --gold gold.parquet --heuristics all --thresholds thresholds.toml --raise-thresholds")]
    Eval(Box<EvalArgs>),
    /// Choose a heuristic's parameter on the beginning of gold streams, and measure it on
    /// the rest.
    #[command(after_help = "Examples:\n  \
        urltree tune --gold gold.parquet --prefix 0.2\n  \
        urltree tune --gold gold.parquet --set window.max_age=14d")]
    Tune(TuneArgs),
    /// Make a table or a figure of the source papers anew.
    ///
    /// An experiment is one or more runs of `urltree eval`, and a view of their results. Its tables
    /// are printed, and written to --output/NAME with charts, results by page, the commands that
    /// were run, and what was left out. --list says what each experiment needs.
    #[command(after_help = "Examples:\n  \
        urltree reproduce --list\n  \
        urltree reproduce url-tree-figure-4 --gold gold.parquet\n  \
        urltree reproduce alarte-table-3 --gold gold.parquet --max-pages-per-domain 10\n  \
        urltree reproduce url-tree-figure-2 --job jobs/backfill.toml")]
    Reproduce(ReproduceArgs),
    /// Convert a published collection to a gold set.
    #[command(after_help = "Examples:\n  \
        urltree gold --format cleaneval --gold GoldStandard --pages finalrun-input \\\n      \
        --output cleaneval.parquet\n  \
        urltree gold --format l3s-gn1 --gold annotated --pages original \\\n      \
        --urls url-mapping.txt --output l3s-gn1.parquet\n  \
        urltree gold --format json --gold ground-truth.json --pages pages --output gold.parquet")]
    Gold(GoldArgs),
    /// Print the text that a published extractor finds in HTML files.
    #[command(after_help = "Examples:\n  \
        urltree extract --extractor cetd-ds page.html\n  \
        urltree extract --extractor iwptd page.html other-page.html")]
    Extract(ExtractArgs),
    /// Import files of crawlers and lists of pages into an archive that a job reads.
    #[command(after_help = "Examples:\n  \
        urltree import warc crawl --output data/pages\n  \
        urltree import pages saved --manifest saved/pages.csv --output data/pages\n  \
        urltree import warc https://host/crawl.warc.gz --output data/pages")]
    Import {
        #[command(subcommand)]
        command: ImportCommand,
    },
    /// Poll feeds, and write the pages of their new items into an archive that a job reads.
    ///
    /// FILE has a feed per line: its URL, or a site, a tab and the URL. Lines that start with # are
    /// comments. A feed is polled when it is due, and a page is fetched when its item is new: its title,
    /// description or date has not been seen. Feeds and pages that fail stop no other, and are rows of
    /// _feeds/failures/*.parquet. robots.txt is obeyed. A fetch that was stopped loses and repeats
    /// nothing that it has committed.
    #[command(after_help = "Examples:\n  \
        urltree fetch --feeds feeds.tsv --output data/pages --contact crawler@example.org\n  \
        urltree fetch --feeds feeds.tsv --output data/pages --contact crawler@example.org \\\n      \
        --delay 5s --interval 1h --format json\n  \
        urltree fetch --feeds feeds.tsv --output s3://bucket/pages \\\n      \
        --contact https://example.org/crawler --daemon")]
    Fetch(Box<FetchArgs>),
    /// Write an archive of invented sites, and the text of every article as gold.
    #[command(after_help = "Examples:\n  \
        urltree sample --output data/sample --dates 2011-10-24..2011-12-19\n  \
        urltree sample --output data/crawl --dates 2011-10-24..2011-10-25 --pages 100 --warc\n  \
        urltree sample --output s3://bucket/sample --dates 2011-10-24 --pages 500 --seed 7")]
    Sample(SampleArgs),
    /// Print the completion script of a shell.
    #[command(after_help = "Examples:\n  \
        urltree completions bash > ~/.local/share/bash-completion/completions/urltree\n  \
        urltree completions zsh > ~/.zfunc/_urltree")]
    Completions {
        /// Shell to complete in.
        shell: Shell,
    },
    /// Write the manual: one page for urltree and one for each command.
    #[command(after_help = "Example:\n  \
        urltree man ~/.local/share/man/man1")]
    Man {
        /// Folder to write to, created if it does not exist.
        folder: PathBuf,
    },
}

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct JobArgs {
    /// Job file: TOML with the archive, the output and the settings.
    #[arg(long, value_name = "FILE")]
    pub(crate) job: PathBuf,
    /// Override a key of the job, such as archive.location=pages.parquet.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

impl JobArgs {
    /// Returns a command line for this job, quoted for a shell. Passwords in URLs are
    /// removed.
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
            // Only a word with a NUL byte, which a shell cannot pass.
            Err(_) => word.clone(),
        });
        quoted.collect::<Vec<_>>().join(" ")
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Run even if the tables were written with other settings. Later dates become
    /// stale.
    #[arg(long)]
    pub(crate) change_settings: bool,
    /// Workers that run the plans (`urltree worker`), instead of this process: HOST:PORT, dns:HOST:PORT
    /// (every address of a name) or file:PATH (a line for each). They are looked up again for each chunk.
    #[arg(long, value_name = "HOST:PORT,...", value_delimiter = ',')]
    pub(crate) workers: Vec<String>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Format of the report.
    #[arg(long, value_enum)]
    pub(crate) format: Option<ReportFormat>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BackfillArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// UTC days to process, both ends inclusive: YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: DateRange,
    /// Print the plan of the first chunk without running it.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print each plan after it was executed, with the time, rows, bytes and spills of its
    /// operators.
    #[arg(long, conflicts_with_all = ["explain", "format"])]
    pub(crate) explain_analyze: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// UTC days to process instead of all new days.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: Option<DateRange>,
}

/// Certificates of the traffic between driver and workers. All are of one authority.
#[derive(Debug, clap::Args)]
pub(crate) struct TlsArgs {
    /// Certificate of this process (PEM): traffic between driver and workers is encrypted, and both
    /// need certificates of --tls-authority.
    #[arg(long, value_name = "FILE", requires_all = ["tls_key", "tls_authority"])]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Certificate of the authority (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_authority: Option<PathBuf>,
    /// Name in the certificates of workers, if it is not the host of their address.
    #[arg(long, value_name = "NAME", requires = "tls_certificate")]
    pub(crate) tls_worker_name: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    /// Address at which drivers and other workers reach this one. Port 0 is any free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7070")]
    pub(crate) listen: String,
    /// Listen on an address that other machines can reach, without certificates. Every client
    /// reads and writes with the credentials of the worker, and nothing is encrypted.
    #[arg(long, conflicts_with = "tls_certificate")]
    pub(crate) insecure: bool,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Address of /healthz, /readyz and /metrics (Prometheus), over plain HTTP.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) metrics: Option<String>,
    /// Memory of the process.
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) memory: ByteSize,
    /// Threads, and partitions of a stage. The default is the number of cores.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Folder to which rows that exceed the memory are spilled.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spill_dir: Option<PathBuf>,
    /// Most bytes that are spilled at once.
    #[arg(long, value_name = "SIZE", default_value = "100GiB")]
    pub(crate) spill_limit: ByteSize,
}

#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Also read the archive, and show dates whose rows or objects have changed since
    /// they were run: late or corrected data.
    #[arg(long)]
    pub(crate) archive: bool,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct VacuumArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Delete the files. Fails if a run is active.
    #[arg(long)]
    pub(crate) delete: bool,
    /// Keep files that readers of earlier versions may still need for this time, such as
    /// 12h, at most 7d.
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = retention)]
    pub(crate) retention: Duration,
    /// Format of the report.
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

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Propose rules for the parameters that runs have learned.
    ///
    /// The output is a rule file with the evidence of each rule as comments. Review the
    /// rules, and append those that you keep to the file that url_key.rules names. The job
    /// must have dedup.queries = "learn".
    #[command(after_help = "Examples:\n  \
        urltree rules learn --job jobs/backfill.toml\n  \
        urltree rules learn --job jobs/backfill.toml --set output.location=s3://bucket/text")]
    Learn(RulesLearnArgs),
    /// Show the URL keys that a rule file would change, without running the job.
    ///
    /// The rules replace those of the job. Merged pages are unique pages that would become
    /// duplicates, so that their text is lost. Separated duplicates get another key than
    /// the page they duplicate. A row that loses its rule keeps all parameters that are
    /// not learned yet, if the job learns them.
    #[command(after_help = "Examples:\n  \
        urltree rules check --job jobs/backfill.toml --rules jobs/rules/url-keys.tsv\n  \
        urltree rules check --job jobs/backfill.toml --rules jobs/rules/url-keys.tsv --format json")]
    Check(RulesCheckArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct RulesLearnArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RulesCheckArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Rule file to check, in the format of url_key.rules.
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: PathBuf,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    /// Folder or URL to write to: pages/date=YYYY-MM-DD/*.parquet and
    /// gold/date=YYYY-MM-DD/*.parquet.
    #[arg(long, value_name = "DIR")]
    pub(crate) output: String,
    /// UTC days on which pages are fetched, both ends inclusive.
    #[arg(long, value_name = "A..B")]
    pub(crate) dates: DateRange,
    /// Approximate number of pages.
    #[arg(long, value_name = "N", default_value_t = 6_000)]
    pub(crate) pages: u64,
    /// Seed of the random generator. Equal seeds give equal bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Also write the pages as warc/YYYY-MM-DD.warc.gz, to try `urltree import warc`.
    #[arg(long)]
    pub(crate) warc: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SqlArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Format of the rows. The default is the ending of --output, or a table.
    #[arg(long, value_enum)]
    pub(crate) format: Option<QueryFormat>,
    /// Write the rows to this file, which appears when all rows are in it. It replaces a file
    /// of that name. The ending .csv, .json, .jsonl, .ndjson or .parquet gives the format.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Stop after this many rows. Without --limit, a table on a terminal has at most 1000
    /// rows.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// SQL query.
    pub(crate) query: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Format of the rows. The default is the ending of --output, or a table.
    #[arg(long, value_enum)]
    pub(crate) format: Option<QueryFormat>,
    /// Write the rows to this file, which appears when all rows are in it: .csv, .jsonl or .parquet.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// A format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// Table with borders
    Table,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Json,
}

/// A format of the rows of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryFormat {
    /// Table with borders, of at most 100,000 rows
    Table,
    /// Comma-separated values with a header
    Csv,
    /// JSON Lines: one JSON object per line
    Json,
    /// Parquet, only with --output
    Parquet,
}

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people
    Text,
    /// One JSON object
    Json,
}
