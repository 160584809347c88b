//! The settings of a site: those of a job.

use std::path::Path;

use pyo3::prelude::*;
use site_text::SiteSettings;

/// Checks the settings of the job file, or the defaults if there is none, with `overrides`.
///
/// # Errors
/// `UsageError` with the key and the expected value.
#[cfg(feature = "job")]
pub(crate) fn site_settings(
    py: Python<'_>,
    job: Option<&Path>,
    overrides: &[String],
) -> PyResult<SiteSettings> {
    let settings = py.detach(|| of_job(job, overrides));
    settings.map_err(|error| crate::errors::exception(py, &error))
}

#[cfg(feature = "job")]
fn of_job(job: Option<&Path>, overrides: &[String]) -> Result<SiteSettings, engine::SpecError> {
    use engine::{JobSpec, Settings, SpecError};

    let spec = match job {
        Some(path) => JobSpec::read(path, overrides)?,
        None => JobSpec::defaults(overrides)?,
    };
    if spec.tree.relabel_days > 0 {
        return Err(SpecError::Key {
            key: "tree.relabel_days".to_owned(),
            expected: format!(
                "{}; expected 0: a Site labels a page once",
                spec.tree.relabel_days
            ),
        });
    }
    Ok(Settings::new(&spec)?.site)
}

/// Returns the defaults of a job: only a job reads settings.
///
/// # Errors
/// `UsageError` for settings.
#[cfg(not(feature = "job"))]
pub(crate) fn site_settings(
    _: Python<'_>,
    job: Option<&Path>,
    overrides: &[String],
) -> PyResult<SiteSettings> {
    use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

    use crate::errors::{InternalError, usage};

    /// The rules of a job that names no file.
    const RULES: &str = include_str!("../../../../jobs/rules/url-keys.tsv");
    if job.is_some() || !overrides.is_empty() {
        return Err(usage(
            "job and settings need the job: install urltree-text[job]",
        ));
    }
    let internal = |error: String| InternalError::new_err(error);
    let rules = RuleSet::parse(RULES).map_err(|error| internal(error.to_string()))?;
    let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default());
    Ok(SiteSettings::new(
        keyer.map_err(|error| internal(error.to_string()))?,
    ))
}
