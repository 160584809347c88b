//! The command `rules`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use crate::args::{FormatArgs, JobArgs, ReportFormat};
use crate::print::print;
use crate::rules_report;
use crate::runtime::runtime;

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Propose rules for the parameters that runs have learned.
    ///
    /// The output is a rule file with the evidence of each rule as comments. Review the
    /// rules, and append those that you keep to the file that url_key.rules names. A job
    /// with method = "paper" learns nothing.
    #[command(after_help = "Examples:\n  \
        urltree rules learn --job jobs/backfill.toml\n  \
        urltree rules learn --job jobs/backfill.toml --set output.location=s3://bucket/text")]
    Learn(JobArgs),
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
pub(crate) struct RulesCheckArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Rule file to check, in the format of url_key.rules.
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Proposes rules, or shows the effect of a rule file.
pub(crate) fn rules(command: &RulesCommand) -> Result<()> {
    match command {
        RulesCommand::Learn(args) => learn(args),
        RulesCommand::Check(args) => check(args),
    }
}

fn learn(args: &JobArgs) -> Result<()> {
    let job = args.open()?;
    print(&runtime(&job)?.block_on(query::learn_rules(&job))?)
}

fn check(args: &RulesCheckArgs) -> Result<()> {
    let job = args.job.open()?;
    let check = runtime(&job)?.block_on(query::check_rules(&job, &args.rules))?;
    match args.format.format {
        ReportFormat::Json => print(&rules_report::check_json(&check)),
        ReportFormat::Text => print(&rules_report::check(&check)),
    }
}
