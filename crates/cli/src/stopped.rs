//! The last line of a run that failed: where it stopped, and what to type.

use engine::{EngineError, ErrorClass, Failure};

use crate::args::BackfillArgs;

/// One line that names dates, stage, object and the next command.
pub(crate) fn line(args: &BackfillArgs, failure: &Failure) -> String {
    let object = (failure.source.object()).unwrap_or_else(|| args.job.job.display().to_string());
    format!(
        "stopped at {}, stage {}, object {object}; next: {}",
        failure.dates,
        failure.stage,
        next(args, failure),
    )
}

/// The command that goes on from here. Where only the user knows what to
/// change, it has a word in capitals.
fn next(args: &BackfillArgs, failure: &Failure) -> String {
    let mut dates = failure.dates;
    let mut more: Vec<String> = Vec::new();
    match failure.source.as_ref() {
        EngineError::CutPartition { covering, .. } => dates = *covering,
        EngineError::EmptyArchive { .. } => more.push("archive.location=LOCATION".to_owned()),
        EngineError::Undated { .. } => more.push("archive.layout=any".to_owned()),
        EngineError::MissingColumn { key, .. } => {
            more.push(format!("archive.columns.{key}=COLUMN"))
        }
        EngineError::Memory { .. } => more.push("run.memory=MORE".to_owned()),
        EngineError::Table(tables::TableError::Layout { .. }) => {
            more.push("output.location=LOCATION".to_owned());
        }
        _ => {}
    }
    let dates = dates.to_string();
    let mut options = vec!["--date", &dates];
    options.extend(more.iter().flat_map(|setting| ["--set", setting]));
    if failure.source.class() == ErrorClass::Internal {
        options.push("-vv");
    }
    args.job.command("backfill", &options)
}
