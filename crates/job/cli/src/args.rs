//! Arguments that several commands share.

use std::path::PathBuf;

use clap::ValueEnum;
use engine::{EngineError, Job, JobSpec};
use serde_json::Value;
use tables::Location;

use crate::usage::Usage;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct JobArgs {
    /// Job file: TOML with the archive, the output and the settings. Without one, settings have their defaults.
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Folder or URL of the tables: output.location of the job.
    #[arg(long, value_name = "DIR")]
    tables: Option<String>,
    /// Override a key of the job, such as archive.location=pages.parquet.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The archive that `run` names.
    #[arg(skip)]
    archive: Option<String>,
}

impl JobArgs {
    /// Reads and checks the job.
    pub(crate) fn open(&self) -> Result<Job, EngineError> {
        let mut settings = self.set.clone();
        let location = |key: &str, location: &Option<String>| {
            // A text that is written as JSON is one in TOML, whatever it looks like.
            location
                .as_deref()
                .map(|location| format!("{key}.location={}", Value::from(location)))
        };
        settings.extend(location("output", &self.tables));
        settings.extend(location("archive", &self.archive));
        let spec = match &self.job {
            Some(file) => JobSpec::read(file, &settings)?,
            None => JobSpec::defaults(&settings)?,
        };
        Ok(Job::new(&spec)?)
    }

    /// Returns the job with the archive at `location`.
    pub(crate) fn of_archive(&self, location: &str) -> Self {
        Self {
            archive: Some(location.to_owned()),
            ..self.clone()
        }
    }

    /// Returns the job file.
    pub(crate) fn file(&self) -> Option<String> {
        let file = self.job.as_ref()?;
        Some(file.display().to_string())
    }

    /// Returns the name of the job: its file, or the place of its tables.
    pub(crate) fn name(&self) -> String {
        let tables = || self.tables.as_deref().map(tables::without_secrets);
        let name = self.file().or_else(tables);
        name.unwrap_or_else(|| "a job without a file".to_owned())
    }

    /// Returns a command line for this job, quoted for a shell. Passwords in URLs are
    /// removed.
    pub(crate) fn command(&self, name: &[&str], options: &[&str]) -> String {
        let mut words = vec!["urltree".to_owned()];
        words.extend(name.iter().map(|word| tables::without_secrets(word)));
        if let Some(file) = &self.job {
            words.extend(["--job".to_owned(), file.display().to_string()]);
        }
        if let Some(location) = &self.tables {
            words.extend(["--tables".to_owned(), tables::without_secrets(location)]);
        }
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

/// The format of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct FormatArgs {
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people
    Text,
    /// One JSON object
    Json,
}

/// The archive that a command writes.
#[derive(Debug, clap::Args)]
pub(crate) struct ArchiveArgs {
    /// Folder or URL of the archive: date=YYYY-MM-DD/*.parquet.
    #[arg(long, value_name = "DIR")]
    output: String,
    /// Folder of temporary files, which need as many bytes as the HTML of the files or feeds that are read at
    /// a time. The default is TMPDIR.
    #[arg(long, value_name = "DIR")]
    pub(crate) spill_dir: Option<PathBuf>,
    /// Format of the report.
    #[arg(long, value_enum)]
    pub(crate) format: Option<ReportFormat>,
}

impl ArchiveArgs {
    /// Returns the folder or URL as it was given.
    pub(crate) fn output(&self) -> &str {
        &self.output
    }

    /// Returns the place of the archive.
    ///
    /// # Errors
    /// [`Usage`] if it is none.
    pub(crate) fn location(&self) -> Result<Location, Usage> {
        Location::parse(&self.output).map_err(|error| Usage::of(format!("--output: {error}")))
    }
}

/// The place and the format of rows.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Format of the rows. The default is the ending of --output, or a table.
    #[arg(long, value_enum)]
    pub(crate) format: Option<QueryFormat>,
    /// Write the rows to this file, which appears when all rows are in it. It replaces a file
    /// of that name. The ending .csv, .json, .jsonl, .ndjson or .parquet gives the format.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Do not cut cells of a table to the width of the terminal, and write no records instead of a table.
    #[arg(long)]
    pub(crate) wide: bool,
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
