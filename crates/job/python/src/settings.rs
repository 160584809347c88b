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
    let settings = Settings::new(&spec)?;
    let mut site = SiteSettings::new(settings.keyer);
    site.title = settings.title;
    site.lookback = settings.lookback;
    site.queries = settings.queries;
    site.revisions = settings.revisions;
    site.blocks = settings.blocks;
    site.labelling = settings.labelling;
    site.constants = settings.constants;
    site.marks = settings.marks;
    site.batching = settings.batching;
    site.window = settings.window;
    Ok(site)
}
