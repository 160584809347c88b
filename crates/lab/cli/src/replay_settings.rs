//! The settings of a replay: those of a job, or its defaults, with `--set`.

use std::path::Path;

use engine::{EngineError, JobSpec, PaperSpec, Settings};
use evaluation::ReplaySettings;

/// Checks the settings of the job file, or the defaults if there is none, with `overrides`. Without a
/// job file the choices of `[paper]` can be overridden too: heuristics are compared under any of them.
pub(crate) fn replay_settings(
    job: Option<&Path>,
    overrides: &[String],
) -> Result<ReplaySettings, EngineError> {
    let spec = match job {
        Some(path) => JobSpec::read(path, overrides)?,
        None => JobSpec::defaults(&PaperSpec::beside_template(overrides.to_vec()))?,
    };
    let settings = Settings::new(&spec)?;
    let mut replay = ReplaySettings::new(settings.keyer);
    replay.title = settings.title;
    replay.lookback = settings.lookback;
    replay.queries = settings.queries;
    replay.revisions = settings.revisions;
    replay.blocks = settings.blocks;
    replay.constants = settings.constants;
    replay.marks = settings.marks;
    replay.batching = settings.batching;
    replay.relabel_days = settings.relabel_days;
    replay.window = settings.window;
    Ok(replay)
}
