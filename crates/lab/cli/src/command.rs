//! The commands of `urltree-lab`.

use clap::{Parser, Subcommand};

use crate::args::{EvalArgs, ExtractArgs, GoldArgs, TuneArgs};
use crate::bench::BenchArgs;
use crate::reproduce::ReproduceArgs;

/// Measure what urltree extracts and what it costs.
#[derive(Debug, Parser)]
#[command(
    name = "urltree-lab",
    version,
    after_help = "Exit codes: 0 success, 1 quality below its threshold, 2 usage error, 3 input error,\n\
                  4 storage error, 5 internal error.\n\
                  Logs go to stderr. URLTREE_LOG=debug logs more."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Log more to stderr.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Log only errors.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare extracted texts with gold texts.
    ///
    /// Gold is Parquet with the columns url and gold_text. Texts are those of a job's
    /// table documents, of files, of the URL Tree's heuristics (the pages of the gold
    /// set are replayed with the settings of a job, which needs the columns html and
    /// fetched_at), of published extractors, and of others that are run by adapters.
    #[command(after_help = "Examples:\n  \
        urltree-lab eval --gold data/sample/gold --job jobs/backfill.toml\n  \
        urltree-lab eval --gold gold.parquet --heuristics all --extractors all --plots charts\n  \
        urltree-lab eval --gold gold.parquet --heuristics strict --set paper.batching=page\n  \
        urltree-lab eval --gold gold.parquet --extractors alarte,temex --measure nodes\n  \
        urltree-lab eval --gold gold.parquet --texts other=texts.jsonl --report report.md\n  \
        urltree-lab eval --gold gold.parquet --heuristics all \\\n      \
        --thresholds thresholds.toml --raise-thresholds")]
    Eval(Box<EvalArgs>),
    /// Choose a heuristic's parameter on the beginning of gold streams, and measure it on
    /// the rest.
    #[command(after_help = "Examples:\n  \
        urltree-lab tune --gold gold.parquet --prefix 0.2\n  \
        urltree-lab tune --gold gold.parquet --set window.max_age=14d")]
    Tune(TuneArgs),
    /// Make a table or a figure of the source papers anew.
    ///
    /// An experiment is one or more runs of `urltree-lab eval`, and a view of their results. Its tables
    /// are printed, and written to --output/NAME with charts, results by page, the commands that
    /// were run, and what was left out. --list says what each experiment needs.
    #[command(after_help = "Examples:\n  \
        urltree-lab reproduce --list\n  \
        urltree-lab reproduce url-tree-figure-4 --gold gold.parquet\n  \
        urltree-lab reproduce alarte-table-3 --gold gold.parquet --max-pages-per-domain 10\n  \
        urltree-lab reproduce url-tree-figure-2 --job jobs/backfill.toml")]
    Reproduce(ReproduceArgs),
    /// Print the text that a published extractor finds in HTML files.
    #[command(after_help = "Examples:\n  \
        urltree-lab extract --extractor cetd-ds page.html\n  \
        urltree-lab extract --extractor iwptd page.html other-page.html")]
    Extract(ExtractArgs),
    /// Convert a published collection to a gold set.
    #[command(after_help = "Examples:\n  \
        urltree-lab gold --format cleaneval --gold GoldStandard --pages finalrun-input \\\n      \
        --output cleaneval.parquet\n  \
        urltree-lab gold --format l3s-gn1 --gold annotated --pages original \\\n      \
        --urls url-mapping.txt --output l3s-gn1.parquet\n  \
        urltree-lab gold --format json --gold ground-truth.json --pages pages --output gold.parquet")]
    Gold(GoldArgs),
    /// Measure the cost of a job beside parsers and other extractors, and write it into a Markdown page.
    ///
    /// Machines differ, and the speed of one machine varies. Every result is therefore a ratio within one
    /// invocation, over the same pages, and the median of several alternating rounds. Times are CPU times,
    /// user and system together.
    #[command(after_help = "Examples:\n  \
        urltree-lab bench --urltree target/dist/urltree --report docs/performance.md\n  \
        urltree-lab bench --urltree target/dist/urltree --report scale.md --scale 1000000")]
    Bench(BenchArgs),
}
