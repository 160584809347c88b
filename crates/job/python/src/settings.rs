//! The settings of a site: those of a job.

use std::path::Path;

use engine::{JobSpec, Settings, SpecError};
use site_text::SiteSettings;

/// Checks the settings of the job file, or the defaults if there is none, with `overrides`.
///
/// # Errors
/// [`SpecError`] with the key and the expected value.
pub(crate) fn site_settings(
    job: Option<&Path>,
    overrides: &[String],
) -> Result<SiteSettings, SpecError> {
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
