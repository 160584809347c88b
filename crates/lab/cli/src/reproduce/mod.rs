//! The command `reproduce`: the tables and figures of the source papers.
//!
//! An experiment is one or more runs of `urltree-lab eval` with fixed options, and views of their
//! results. The report names these commands, so that each can be varied.

mod args;
mod experiments;
mod list;

use std::path::Path;

use anyhow::{Context, Result};
use arrow::array::RecordBatch;
use clap::Parser;
use evaluation::{GoldSet, Measured, Plot, PublishedFigures, ReplaySettings};
use tables::without_secrets;

use crate::args::{EvalArgs, RowFormat};
use crate::eval::{compared, write_plots};
use crate::gold_sets::PAPER;
use crate::replay_settings::replay_settings;
use crate::rows;
use crate::usage::Usage;

pub(crate) use args::ReproduceArgs;

/// The figures of the papers.
const PUBLISHED: &str = include_str!("../../../../../tests/accuracy/published.toml");

/// Runs the experiment that the arguments name, or lists all. Returns its tables as text.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<String> {
    let Some(name) = args.name.as_deref().filter(|_| !args.list) else {
        return rows::text(&list::table()?, args.format);
    };
    let experiment = list::by_name(name)?;
    experiment.check(args)?;
    let reproduction = Reproduction {
        args,
        published: toml::from_str(PUBLISHED).context("the published figures")?,
    };
    let found = (experiment.run)(&reproduction)?;
    for reason in &found.left_out {
        tracing::warn!("left out: {reason}");
    }
    let folder = args.output.join(experiment.name);
    found.write(experiment, &folder)?;
    let mut text = String::new();
    for (title, table) in &found.tables {
        if args.format == RowFormat::Table {
            text.push_str(&format!("{title}\n"));
        }
        text.push_str(rows::text(table, args.format)?.trim_end());
        text.push('\n');
    }
    Ok(text)
}

/// The input of an experiment: arguments and published figures.
struct Reproduction<'a> {
    args: &'a ReproduceArgs,
    published: PublishedFigures,
}

/// The settings of heuristics and URL keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Settings {
    /// The settings of the job, or the defaults of a job.
    Job,
    /// The settings of the job, or of the paper's experiment, as for `tune`.
    Paper,
}

impl Reproduction<'_> {
    /// The gold sets.
    fn sets(&self) -> Result<Vec<GoldSet>> {
        let mut sets = Vec::new();
        for path in &self.args.gold {
            sets.extend(GoldSet::at(path)?);
        }
        Ok(sets)
    }

    /// The overrides of the settings, of which later ones win.
    fn overrides(&self, settings: Settings) -> Vec<String> {
        let is_paper = settings == Settings::Paper && self.args.job.is_none();
        let paper = PAPER
            .iter()
            .filter(|_| is_paper)
            .map(|set| (*set).to_owned());
        paper.chain(self.args.set.iter().cloned()).collect()
    }

    fn settings(&self, settings: Settings) -> Result<ReplaySettings> {
        let overrides = self.overrides(settings);
        Ok(replay_settings(self.args.job.as_deref(), &overrides)?)
    }

    /// The options of `urltree-lab eval` that the user chose.
    fn options(&self, settings: Settings) -> Vec<String> {
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
struct Found {
    /// Tables with their titles.
    tables: Vec<(String, RecordBatch)>,
    /// Charts.
    plots: Vec<Plot>,
    /// Results by page: the name of a file, and rows.
    results: Vec<(&'static str, Vec<Measured>)>,
    /// The commands that were run.
    commands: Vec<String>,
    /// Extractors that could not be compared, with the reasons.
    left_out: Vec<String>,
}

impl Found {
    /// Runs `urltree-lab eval` with `options` after those of the user. Returns its results. The texts
    /// of the job are not compared: the job gives only its settings.
    fn eval(
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

    fn table(&mut self, title: impl Into<String>, rows: RecordBatch) {
        self.tables.push((title.into(), rows));
    }

    /// Returns the option for peers; nothing if the file of adapters does not exist.
    fn peers<'n>(&mut self, reproduction: &Reproduction<'_>, names: &'n str) -> Vec<&'n str> {
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
    fn charts(&mut self, measured: &[Measured], files: &[&str]) -> Result<()> {
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
    fn file_of(&self, measured: &[Measured], one: &Measured, file: &str) -> String {
        match measured.len() {
            1 => file.to_owned(),
            _ => format!("{}-{file}", one.name),
        }
    }

    /// Writes the report, the charts and the results by page into a folder.
    fn write(&self, experiment: &list::Experiment, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_plots(folder, self.plots.clone())?;
        for (file, measured) in &self.results {
            let path = folder.join(file);
            evaluation::write_results(measured, &path)
                .with_context(|| path.display().to_string())?;
        }
        let path = folder.join("report.md");
        let report = self.report(experiment)?;
        std::fs::write(&path, report).with_context(|| path.display().to_string())
    }

    fn report(&self, experiment: &list::Experiment) -> Result<String> {
        let mut report = format!("# {}\n\n{}.\n", experiment.source, experiment.shows);
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
