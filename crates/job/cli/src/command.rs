//! The commands of `urltree`.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::explain_page::ExplainArgs;
use crate::export_documents::ExportArgs;
use crate::extract_files::ExtractArgs;
use crate::fetch_feeds::FetchArgs;
use crate::import_files::ImportCommand;
use crate::manual::Generated;
use crate::near_duplicates::NearDuplicatesArgs;
use crate::new_job::InitArgs;
use crate::report_site::ReportArgs;
use crate::rules::RulesCommand;
use crate::run::{ArchiveRunArgs, BackfillArgs, UpdateArgs};
use crate::serve_site::ServeArgs;
use crate::sql::SqlArgs;
use crate::status::StatusArgs;
use crate::vacuum::VacuumArgs;
use crate::worker::WorkerArgs;

/// Extract clean text from crawl archives.
///
/// Pages of one site share a template: a text block that recurs along a URL path is
/// boilerplate, and any other block is content. urltree reads archives of pages, inserts
/// the pages of each site in time order into a tree of URLs, and writes tables of text.
#[derive(Debug, Parser)]
#[command(name = "urltree", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Log more to stderr: -v logs every stage, -vv logs everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Log only errors, and print a report only if --format is given.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print a file that a package installs: the completion script of a shell, or the manual.
    #[arg(long, value_enum, value_name = "FILE", exclusive = true)]
    pub(crate) generate: Option<Generated>,
}

/// The commands by purpose, in the order of the help.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Start", &["extract", "run", "init"]),
    ("Get pages", &["import", "fetch"]),
    (
        "Run a job",
        &["backfill", "update", "status", "vacuum", "worker"],
    ),
    ("Look at the text", &["sql", "explain", "report", "serve"]),
    ("Take it away", &["export", "near-duplicates"]),
    ("Tune a site", &["rules"]),
];

const EXIT_CODES: &str = "\
Exit codes: 0 success, 2 usage error, 3 input error, 4 storage error,
            5 internal error or a stalled run, 130 interrupted.
Logs go to stderr. URLTREE_LOG=debug logs more.";

impl Args {
    /// Parses a command line, of which the first word is the name of the program.
    ///
    /// # Errors
    /// The error or the help to print.
    pub(crate) fn of<T: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        Self::from_arg_matches(&command().try_get_matches_from(words)?)
    }
}

/// Returns the command with its help, which lists the commands by purpose.
pub(crate) fn command() -> clap::Command {
    let command = Args::command();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        groups += &format!("{title}:\n");
        for name in names {
            let about = command
                .find_subcommand(name)
                .and_then(|one| one.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            groups += &format!("  {name:<17}{about}\n");
        }
        groups += "\n";
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    );
    command.help_template(template).after_help(EXIT_CODES)
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the text of files of HTML.
    ///
    /// Whether a text is content is decided as in a job. Of several files, each is read with the template that all show.
    #[command(after_help = "Examples:\n  \
        urltree extract page.html\n  \
        urltree extract --markdown --url https://tea.example/green page.html\n  \
        urltree extract --json site/1.html site/2.html")]
    Extract(ExtractArgs),
    /// Process all pages of an archive, and show the first text.
    ///
    /// The archive is a Parquet or WARC file, or a folder of such files. All of its dates are processed, and replace those
    /// that the tables have. Settings have their defaults; --set and --job change them.
    #[command(after_help = "Examples:\n  \
        urltree run pages.parquet --output texts\n  \
        urltree run pages.parquet --output markdown --set output.write=markdown,metadata\n  \
        urltree run s3://bucket/crawl.warc.gz --output s3://bucket/texts --dates 2011-10-24")]
    Run(ArchiveRunArgs),
    /// Write a job file with every key and its default.
    #[command(after_help = "Examples:\n  \
        urltree init\n  \
        urltree init jobs/crawl.toml --archive s3://bucket/pages --output s3://bucket/texts")]
    Init(InitArgs),
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
    /// The tables are documents, url_keys, quarantine, window_entries, runs, blocks, links,
    /// site_blocks, url_parameters and archive. Only queries are run, nothing that changes a table or a
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
    /// answer is the effect on this page and on the newest pages of the site. --save
    /// writes the marks into the file of the job (tree.paths). Dates that were run keep their labels until
    /// they are run again.
    #[command(after_help = "Examples:\n  \
        urltree explain http://herald.eastham.example/politics/ --job jobs/backfill.toml\n  \
        urltree explain http://herald.eastham.example/politics/ --job jobs/backfill.toml \\\n      \
        --html page.html\n  \
        urltree explain http://herald.eastham.example/politics/ --job jobs/backfill.toml \\\n      \
        --mark 'div.eu-banner=content' --pages 20")]
    Explain(Box<ExplainArgs>),
    /// Write a report of the tables as HTML: the run, every domain, the quarantine.
    ///
    /// The folder is a static site that needs no network, no web server and no build: open index.html.
    /// Pages have the dates with their rows, speed and memory, duplicates by step, the quarantine with
    /// object and row, and a table of all domains. The largest domains have a page with their content along
    /// the stream, their URL tree, DOM paths, boilerplate and worst pages. Only the tables are read,
    /// unless --pages is given. Equal tables give equal bytes.
    #[command(after_help = "Examples:\n  \
        urltree report --job jobs/backfill.toml --output data/report\n  \
        urltree report --job jobs/backfill.toml --dates 2011-10-24..2011-10-31 --output data/week \\\n      \
        --domain-pages 20 --pages 1")]
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
    /// minhash in output.write. Documents without a signature are in no cluster.
    #[command(after_help = "Examples:\n  \
        urltree near-duplicates --job jobs/backfill.toml\n  \
        urltree near-duplicates --job jobs/backfill.toml --output clusters.parquet")]
    NearDuplicates(NearDuplicatesArgs),
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_there_are_at_most_seventeen() {
        let command = Args::command();
        let mut names: Vec<_> = command
            .get_subcommands()
            .map(|one| one.get_name())
            .collect();
        let mut grouped: Vec<_> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names);
        assert!(names.len() <= 17, "{names:?}");
    }

    #[test]
    fn the_arguments_are_consistent() {
        command().debug_assert();
    }
}
