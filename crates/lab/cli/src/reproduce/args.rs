//! The arguments of `reproduce`.

use std::path::PathBuf;

use crate::args::{RowFormat, share};

#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// Name of the experiment.
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// List the experiments with what each needs.
    #[arg(long)]
    pub(crate) list: bool,
    /// Gold sets: Parquet files, or folders of them.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,
    /// Use the settings of this job, such as jobs/paper.toml.
    ///
    /// Without --job, the experiments on streams use those of the paper, as `tune` does,
    /// and the others the defaults of a job. The experiment of figure 2 reads its tables.
    #[arg(long, value_name = "FILE")]
    pub(crate) job: Option<PathBuf>,
    /// Override a key of the settings.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The file of adapters of other projects. Without it they are left out.
    #[arg(long, value_name = "FILE", default_value = "tests/peers/peers.toml")]
    pub(crate) peers_file: PathBuf,
    /// Compare at most this many pages of each domain, evenly along its stream.
    #[arg(long, value_name = "N")]
    pub(crate) max_pages_per_domain: Option<usize>,
    /// The share of each stream on which a parameter is chosen. The rest is the test set.
    #[arg(long, value_name = "SHARE", default_value_t = 0.18, value_parser = share)]
    pub(crate) prefix: f64,
    /// Folder of the reports: each experiment has its own below it.
    #[arg(long, value_name = "DIR", default_value = "reproduced")]
    pub(crate) output: PathBuf,
    /// How to print the tables.
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}
