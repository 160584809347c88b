//! The arguments of the commands that measure and convert: `eval`, `tune`, `gold` and `extract`.

use std::path::PathBuf;

use clap::ValueEnum;
use scoring::Weights;

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

/// A format of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// Text for people
    Text,
    /// One JSON object per page and line
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct EvalArgs {
    /// Gold sets: Parquet files, or folders of them.
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,
    /// Use the settings of this job for the heuristics, and compare its table documents.
    ///
    /// If the job has no tables yet, only what else is asked for is compared. Without
    /// --job the heuristics use the default settings of a job.
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    /// Override a key of the job or of the default settings, such as
    /// paper.batching=page or window.max_age=30d.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Compare texts of a file: Parquet or JSON Lines with url and text.
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) texts: Vec<String>,
    /// Compare heuristics of the URL Tree: names as in a job, or all.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) heuristics: Vec<String>,
    /// Compare published extractors: names with options as for extract --extractor, or all.
    #[arg(long, value_name = "NAMES")]
    pub(crate) extractors: Vec<String>,
    /// Compare extractors of other projects that adapters run: names in --peers-file, or all.
    /// An extractor that cannot be run is left out with a warning.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) peers: Vec<String>,
    /// The file of adapters.
    #[arg(long, value_name = "FILE", default_value = "tests/peers/peers.toml")]
    pub(crate) peers_file: PathBuf,
    /// Compare at most this many pages of each domain, evenly along its stream.
    #[arg(long, value_name = "N")]
    pub(crate) max_pages_per_domain: Option<usize>,
    /// The rule for cutting texts into words.
    #[arg(long, value_enum, default_value_t = TokensChoice::Unicode)]
    pub(crate) tokens: TokensChoice,
    /// The rule for the words that two texts have in common.
    #[arg(long, value_enum, default_value_t = OverlapChoice::Lcs)]
    pub(crate) overlap: OverlapChoice,
    /// The unit of precision, recall and F1.
    #[arg(long, value_enum, default_value_t = MeasureChoice::Words)]
    pub(crate) measure: MeasureChoice,
    /// Weights of --measure weighted, such as title=3,start=2,start-words=50,inline=2.
    ///
    /// A word of the first line of the gold text weighs `title`, each of the next `start-words`
    /// words `start`, and an extracted word that is not in the gold text but between words that
    /// are `inline`. All other words weigh 1. The defaults are title=1, start=2,
    /// start-words=50, inline=2.
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<Weights>,
    /// Also give F-beta, in which recall has BETA times the weight of precision.
    #[arg(long, value_name = "BETA", value_parser = beta)]
    pub(crate) beta: Option<f64>,
    /// Write a Parquet file with a row per page and extractor. It has the running means of F1
    /// along the stream and along the domain, the paper's equation 4.
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
    /// Write charts (SVG) into this folder, which is created if it is missing.
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Write accuracy, boundary cases and more, and with --job the duplicates after each step
    /// of the URL normalisation, as sections of this Markdown page. The rest of the page
    /// stays.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Published figures (TOML) to print beside the results in the report.
    #[arg(long, value_name = "FILE", requires = "report")]
    pub(crate) published: Option<PathBuf>,
    /// Fail with exit code 1 if precision, recall or F1 is below its threshold in this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) thresholds: Option<PathBuf>,
    /// Set the thresholds to the values that were reached. None may become lower.
    #[arg(long, requires = "thresholds")]
    pub(crate) raise_thresholds: bool,
    /// Allow lower thresholds for this reason, which is written beside them.
    #[arg(long, value_name = "REASON", requires = "raise_thresholds")]
    pub(crate) lower_thresholds: Option<String>,
    /// The job gives its settings, and no texts.
    #[arg(skip)]
    pub(crate) only_settings: bool,
    /// How to print the standings.
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TuneArgs {
    /// Gold sets: Parquet files, or folders of them.
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,
    /// Use the settings of this job.
    ///
    /// Without --job the settings are those of the paper's experiment: the defaults of a
    /// job with paper.batching=page and window.max_age=1000years, so that pages are
    /// inserted one by one and none leaves a tree for its age.
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    /// Override a key of the job or of the paper's settings.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The share of each stream on which the parameter is chosen.
    #[arg(long, value_name = "SHARE", default_value_t = 0.18, value_parser = share)]
    pub(crate) prefix: f64,
    /// Write the results as the section "tuning" of this Markdown page. The rest of the page
    /// stays.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// How to print the results.
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

fn beta(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(beta) if (0.0..=100.0).contains(&beta) => Ok(beta),
        _ => Err("expected a number from 0 to 100".to_owned()),
    }
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct GoldArgs {
    /// Format of the collection.
    #[arg(long, value_enum)]
    pub(crate) format: GoldFormat,
    /// Folder of gold files, or the file with all gold texts.
    #[arg(long, value_name = "PATH")]
    pub(crate) gold: PathBuf,
    /// Folder of HTML pages.
    #[arg(long, value_name = "DIR")]
    pub(crate) pages: Option<PathBuf>,
    /// File url-mapping.txt of L3S-GN1.
    #[arg(long, value_name = "FILE")]
    pub(crate) urls: Option<PathBuf>,
    /// Labels of L3S-GN1 that count as content.
    #[arg(
        long,
        value_enum,
        value_name = "LABELS",
        value_delimiter = ',',
        default_value = "headline,full-text"
    )]
    pub(crate) labels: Vec<LabelChoice>,
    /// Parquet file to write.
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

/// A format of gold texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GoldFormat {
    /// CleanEval and CleanPortalEval: text with marks for paragraphs, headings and lists
    Cleaneval,
    /// L3S-GN1: the page with labelled spans
    L3sGn1,
    /// GoogleTrends-2017: the page with labelled spans
    Boilernet,
    /// Dragnet: text, with comments marked
    Dragnet,
    /// One text file per page
    Plain,
    /// A JSON object of pages by id, or a list of pages
    Json,
    /// One JSON object per line
    JsonLines,
}

/// The tokenization of texts into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokensChoice {
    /// Letters, numbers and underscores of Unicode, as in the paper
    Unicode,
    /// ASCII letters, numbers and underscores, as in Kovačič's thesis
    Ascii,
}

/// The overlap of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OverlapChoice {
    /// Longest common subsequence of words, as in the paper
    Lcs,
    /// Matching blocks of Python's difflib, as in Kovačič's thesis
    Difflib,
    /// Words in any order, as in the paper of NCE
    Bag,
    /// ROUGE-LSum
    RougeLsum,
}

/// The unit of precision, recall and F1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasureChoice {
    /// Words
    Words,
    /// Words, and CleanEval's edit distance beside the scores: words inserted and deleted
    Edit,
    /// Words with the weights of --weights
    Weighted,
    /// Nodes of the page that the gold text covers, as in Alarte et al.
    Nodes,
}

/// The help of `extract --extractor`.
const EXTRACTORS: &str = "\
Name of the extractor, with options if it has any: NAME:KEY=VALUE,KEY=VALUE.

Of one page: nce, ncleaner, ncleaner-nonlexical, mss, v-wrapper, cetr, cetr-km, ccb, cetd, \
cetd-ds. Of the pages of a site: alarte, temex, iwptd, rtdm-td, rbmtd, sst.

Options:
  nce                            comments=remove|keep, and constants: leaf_chars=N
  ncleaner, ncleaner-nonlexical  bias=BITS
  mss                            subsequences=N
  alarte                         pages=N, choice=links|random, seed=N, repeated=N
  temex                          pages=N, choice=links|random, seed=N, threshold=N
  rtdm-td, rbmtd                 pages=N, choice=links|random, seed=N
  sst                            threshold=SHARE";

#[derive(Debug, clap::Args)]
pub(crate) struct ExtractArgs {
    /// Name of the extractor, with options if it has any: NAME:KEY=VALUE,KEY=VALUE.
    #[arg(long, value_name = "NAME", long_help = EXTRACTORS)]
    pub(crate) extractor: String,
    /// Format of the output. JSON is one object per page and line, with title, words and
    /// tree nodes if the extractor has them.
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub(crate) format: TextFormat,
    /// HTML files. An extractor that compares pages treats all files as one site.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}
