//! The last line of a failed run: dates, stage, object, whether a retry may help, and the next
//! command.

use engine::{EngineError, Failure, SpillError};
use tables::{Classified, ErrorClass, TableError};

use crate::run::RunArgs;

/// Formats the line for the failure of `command`. A usage error before any date has said all but the next command,
/// and has no line without one.
pub(crate) fn failure_line(command: &[&str], args: &RunArgs, failure: &Failure) -> Option<String> {
    let next = next(command, args, failure).map(|next| format!("next: {next}"));
    let dates = match (failure.dates, failure.class()) {
        (None, ErrorClass::Usage) => return next,
        (None, _) => "before any date".to_owned(),
        (Some(dates), _) => format!("at {dates}"),
    };
    let object = failure.source.object().or_else(|| args.job.file());
    let object = object.map_or_else(String::new, |object| format!(", object {object}"));
    let retryable = if failure.is_retryable() { "yes" } else { "no" };
    let next = next.map_or_else(String::new, |next| format!("; {next}"));
    Some(format!(
        "stopped {dates}, stage {}{object}, retryable {retryable}{next}",
        failure.stage,
    ))
}

/// Returns the command that continues the run, if another one or the same one may succeed. A word in capitals marks a
/// value that only the user knows.
fn next(command: &[&str], args: &RunArgs, failure: &Failure) -> Option<String> {
    let mut dates = failure.dates;
    let mut setting = None;
    let mut options = Vec::new();
    match failure.source.as_ref() {
        EngineError::CutPartition { covering, .. } => dates = Some(*covering),
        EngineError::OtherPartition { found, .. } => {
            setting = Some(format!("output.partition={found}"));
        }
        EngineError::OtherSettings { .. } => options.push("--change-settings"),
        EngineError::UnreadableObjects { .. } | EngineError::EmptyDates { .. } => {
            options.push("--allow-missing");
        }
        EngineError::NoRows { archive, .. } => dates = *archive,
        // The command names the archive.
        EngineError::EmptyArchive { .. } if command.first() == Some(&"run") => return None,
        EngineError::EmptyArchive { .. } => setting = Some("archive.location=LOCATION".to_owned()),
        EngineError::Undated { .. } => setting = Some("archive.layout=flat".to_owned()),
        EngineError::MissingColumn { key, .. } | EngineError::ColumnType { key, .. } => {
            setting = Some(format!("{key}=COLUMN"));
        }
        EngineError::Memory { .. } => setting = Some("run.memory_limit=MORE".to_owned()),
        EngineError::Spill { spill, .. } => {
            setting = Some(match spill {
                SpillError::Limit { .. } => "run.spill_limit=MORE".to_owned(),
                _ => "run.spill_dir=FOLDER".to_owned(),
            });
        }
        EngineError::Table(TableError::Layout { .. } | TableError::ForeignFile { .. }) => {
            setting = Some("output.location=LOCATION".to_owned());
        }
        _ => {}
    }
    let is_other = dates != failure.dates || setting.is_some() || !options.is_empty();
    let needs_other = matches!(failure.class(), ErrorClass::Usage | ErrorClass::Input);
    if needs_other && !is_other && !failure.is_retryable() {
        return None;
    }
    let dates = dates.map(|dates| dates.to_string());
    options.extend(dates.iter().flat_map(|dates| ["--dates", dates]));
    options.extend(setting.iter().flat_map(|setting| ["--set", setting]));
    if args.change_settings {
        options.push("--change-settings");
    }
    if args.allow_missing {
        options.push("--allow-missing");
    }
    if failure.class() == ErrorClass::Internal {
        options.push("-vv");
    }
    Some(args.job.command(command, &options))
}
