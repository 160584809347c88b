//! The settings of a replay: those of a job, or its defaults, with `--set`.

use std::path::Path;

use engine::{EngineError, JobSpec, PaperSpec, Settings};
use site_replay::SiteSettings;

/// Checks the settings of the job file, or the defaults if there is none, with `overrides`. Without a
/// job file the choices of `[paper]` can be overridden too: heuristics are compared under any of them.
pub(crate) fn replay_settings(
    job: Option<&Path>,
    overrides: &[String],
) -> Result<SiteSettings, EngineError> {
    let spec = match job {
        Some(path) => JobSpec::read(path, overrides)?,
        None => JobSpec::defaults(&PaperSpec::beside_template(overrides.to_vec()))?,
    };
    Ok(Settings::new(&spec)?.site)
}
