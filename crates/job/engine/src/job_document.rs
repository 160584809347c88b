//! A job as one document, with the texts of the files that it names.

use chrono::{Days, Utc};
use serde::{Deserialize, Serialize};
use tables::{DateRange, DateRangeError};

use crate::marked_paths::paths_file;
use crate::spec::{JobSpec, SpecError};

/// The bundled URL rules, which a job uses if it names no file.
const BUNDLED_RULES: &str = include_str!("../../../../jobs/rules/url-keys.tsv");

/// A job spec with the texts of its rule files: all that another process needs to run the job.
///
/// The other process has its own credentials of the stores, from its environment.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct JobDocument {
    pub(crate) spec: JobSpec,
    /// URL rules.
    pub(crate) rules: String,
    /// URL prefixes.
    pub(crate) blocklist: String,
    /// DOM paths that are marked.
    pub(crate) paths: String,
    /// The dates that pages can have. A worker, whose clock may differ, has those of the process that began the run.
    pub(crate) possible_dates: DateRange,
}

impl JobDocument {
    /// Reads the rule files of `spec`.
    pub(crate) fn read(spec: &JobSpec) -> Result<Self, SpecError> {
        Ok(Self {
            rules: match spec.url_key.rules.as_deref() {
                None => BUNDLED_RULES.to_owned(),
                Some("none") => String::new(),
                named => read("url_key.rules", named)?,
            },
            blocklist: read("url_key.blocklist", spec.url_key.blocklist.as_deref())?,
            paths: read("tree.paths", paths_file(spec))?,
            possible_dates: possible_dates(&spec.archive.dates)?,
            spec: spec.clone(),
        })
    }
}

/// Parses `archive.dates`.
fn possible_dates(text: &str) -> Result<DateRange, SpecError> {
    let mut dates = text.to_owned();
    if text.ends_with("..") {
        let tomorrow = Utc::now().date_naive() + Days::new(1);
        dates += &tomorrow.to_string();
    }
    let parsed = dates.parse();
    parsed.map_err(|error: DateRangeError| SpecError::key("archive.dates", error.to_string()))
}

/// Returns the text of the file that `key` names, or an empty one if there is none.
fn read(key: &str, path: Option<&str>) -> Result<String, SpecError> {
    let Some(path) = path else {
        return Ok(String::new());
    };
    std::fs::read_to_string(path).map_err(|error| {
        let folder = std::env::current_dir().unwrap_or_default();
        SpecError::key(
            key,
            format!(
                "cannot read `{path}` (paths are relative to {}): {error}",
                folder.display()
            ),
        )
    })
}
