//! The input and the result of an experiment.

use std::path::Path;

use anyhow::{Context, Result};
use arrow::array::RecordBatch;
use clap::Parser;
use evaluation::{GoldSet, Measured, Plot, PublishedFigures};
use site_replay::SiteSettings;
use tables::without_secrets;

use super::args::ReproduceArgs;
use crate::args::EvalArgs;
use crate::eval::{compared, write_plots};
use crate::gold_sets::PAPER;
use crate::replay_settings::replay_settings;
use crate::usage::Usage;

/// The input of an experiment: arguments and published figures.
pub(super) struct Reproduction<'a> {
    pub(super) args: &'a ReproduceArgs,
    pub(super) published: PublishedFigures,
}

/// The settings of heuristics and URL keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Settings {
    /// The settings of the job, or the defaults of a job.
    Job,
    /// The settings of the job, or of the paper's experiment, as for `tune`.
    Paper,
}

impl Reproduction<'_> {
    /// The gold sets.
    pub(super) fn sets(&self) -> Result<Vec<GoldSet>> {
        let mut sets = Vec::new();
        for path in &self.args.gold {
            sets.extend(GoldSet::at(path)?);
        }
        Ok(sets)
    }

    /// The overrides of the settings, of which later ones win.
    pub(super) fn overrides(&self, settings: Settings) -> Vec<String> {
        let is_paper = settings == Settings::Paper && self.args.job.is_none();
        let paper = PAPER
            .iter()
            .filter(|_| is_paper)
            .map(|set| (*set).to_owned());
        paper.chain(self.args.set.iter().cloned()).collect()
    }

    pub(super) fn settings(&self, settings: Settings) -> Result<SiteSettings> {
        let overrides = self.overrides(settings);
        Ok(replay_settings(self.args.job.as_deref(), &overrides)?)
    }

    /// The options of `urltree-lab eval` that the user chose.
    pub(super) fn options(&self, settings: Settings) -> Vec<String> {
        let args = self.args;
        let mut words = vec!["--gold".to_owned()];
        words.extend(args.gold.iter().map(|path| path.display().to_string()));
        if let Some(job) = &args.job {
            words.extend(["--job".to_owned(), job.display().to_string()]);
        }
        for set in self.overrides(settings) {
            words.extend(["--set".to_owned(), set]);
        }
        if let Some(pages) = args.max_pages_per_domain {
            words.extend(["--max-pages-per-domain".to_owned(), pages.to_string()]);
        }
        let file = args.peers_file.display().to_string();
        words.extend(["--peers-file".to_owned(), file]);
        words
    }
}

/// The result of an experiment.
#[derive(Default)]
pub(super) struct Found {
    /// Tables with their titles.
    pub(super) tables: Vec<(String, RecordBatch)>,
    /// Charts.
    pub(super) plots: Vec<Plot>,
    /// Results by page: the name of a file, and rows.
    pub(super) results: Vec<(&'static str, Vec<Measured>)>,
    /// The commands that were run.
    pub(super) commands: Vec<String>,
    /// Extractors that could not be compared, with the reasons.
    pub(super) left_out: Vec<String>,
}

impl Found {
    /// Runs `urltree-lab eval` with `options` after those of the user. Returns its results. The texts
    /// of the job are not compared: the job gives only its settings.
    pub(super) fn eval(
        &mut self,
        reproduction: &Reproduction<'_>,
        settings: Settings,
        options: &[&str],
    ) -> Result<Vec<Measured>> {
        let mut words = vec!["urltree-lab".to_owned(), "eval".to_owned()];
        words.extend(reproduction.options(settings));
        words.extend(options.iter().map(|option| (*option).to_owned()));
        let mut eval = eval_args(&words)?;
        eval.only_settings = true;
        let printed = words.iter().map(|word| without_secrets(word));
        let printed = shlex::try_join(printed.collect::<Vec<_>>().iter().map(String::as_str));
        self.commands.extend(printed.ok());
        let measured = compared(&eval, |_| Ok(()))?.measured;
        let left_out = measured.iter().flat_map(|one| one.left_out.iter().cloned());
        for reason in left_out {
            if !self.left_out.contains(&reason) {
                self.left_out.push(reason);
            }
        }
        Ok(measured)
    }

    pub(super) fn table(&mut self, title: impl Into<String>, rows: RecordBatch) {
        self.tables.push((title.into(), rows));
    }

    /// Returns the option for peers; nothing if the file of adapters does not exist.
    pub(super) fn peers<'n>(
        &mut self,
        reproduction: &Reproduction<'_>,
        names: &'n str,
    ) -> Vec<&'n str> {
        let file = &reproduction.args.peers_file;
        if file.exists() {
            return vec!["--peers", names];
        }
        let file = file.display();
        self.left_out
            .push(format!("{names}: {file} does not exist; see --peers-file"));
        Vec::new()
    }

    /// Draws some charts of each collection.
    pub(super) fn charts(&mut self, measured: &[Measured], files: &[&str]) -> Result<()> {
        for one in measured {
            let plots = evaluation::plots(&one.results)?.into_iter();
            for plot in plots.filter(|plot| files.contains(&plot.file.as_str())) {
                let file = self.file_of(measured, one, &plot.file);
                self.plots.push(Plot::new(file, plot.svg));
            }
        }
        Ok(())
    }

    /// Returns the name of a chart of a collection.
    pub(super) fn file_of(&self, measured: &[Measured], one: &Measured, file: &str) -> String {
        match measured.len() {
            1 => file.to_owned(),
            _ => format!("{}-{file}", one.name),
        }
    }

    /// Writes the report, which begins with `heading`, the charts and the results by page into a folder.
    pub(super) fn write(&self, heading: &str, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_plots(folder, self.plots.clone())?;
        for (file, measured) in &self.results {
            let path = folder.join(file);
            evaluation::write_results(measured, &path)
                .with_context(|| path.display().to_string())?;
        }
        let path = folder.join("report.md");
        let report = self.report(heading)?;
        std::fs::write(&path, report).with_context(|| path.display().to_string())
    }

    pub(super) fn report(&self, heading: &str) -> Result<String> {
        let mut report = heading.to_owned();
        for (title, table) in &self.tables {
            report.push_str(&format!(
                "\n## {title}\n\n{}",
                evaluation::reproduce::markdown(table)?
            ));
        }
        let mut listed = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                report.push_str(&format!("\n## {title}\n\n{}\n", lines.join("\n")));
            }
        };
        let charts = self.plots.iter();
        let charts = charts.map(|plot| format!("![{0}]({0})", plot.file));
        listed("Charts", charts.collect());
        let left_out = self.left_out.iter();
        listed(
            "Left out",
            left_out.map(|reason| format!("- {reason}")).collect(),
        );
        let commands = self.commands.iter();
        listed(
            "Commands",
            commands.map(|line| format!("    {line}")).collect(),
        );
        Ok(report)
    }
}

/// Parses a command line of `urltree-lab eval`.
fn eval_args(words: &[String]) -> Result<EvalArgs> {
    #[derive(Parser)]
    struct Eval {
        #[command(flatten)]
        args: EvalArgs,
    }
    // The first word is the name of the command.
    let parsed = Eval::try_parse_from(&words[1..]);
    Ok(parsed.map_err(|error| Usage::of(error.render()))?.args)
}
