//! Reports of runs and tables, as text and as JSON.

use comfy_table::CellAlignment;
use engine::{Counts, PlanMetrics, RowAccounting, RunReport, ShareReport, VacuumMode};
use query::{NotedParameter, Status};
use serde_json::{Value, json};
use tables::{DateRange, Table, UnreferencedCause, UnreferencedFile};

use crate::args::JobArgs;
use crate::progress::megabytes;

/// Statuses of archive rows and their titles in reports.
const STATUSES: [(&str, &str); 6] = [
    ("unique", "unique"),
    ("duplicate", "duplicates"),
    ("revision", "revisions"),
    ("blocklisted", "blocklisted"),
    ("quarantined", "quarantined"),
    ("unreadable_object", "unreadable objects"),
];

/// Formats the report of a run as text.
pub(crate) fn run(report: &RunReport) -> String {
    let mut lines = Lines::new();
    lines.add("dates", report.dates);
    if let Some(already_done) = report.already_done {
        lines.add("already done", already_done);
    }
    lines.add_rows(&report.accounting);
    lines.add("chunks", report.chunks);
    lines.add_cost(report.seconds, report.peak_memory, &report.metrics);
    lines.text()
}

/// Formats the report of a share of a run as text.
pub(crate) fn share(report: &ShareReport) -> String {
    let mut lines = Lines::new();
    lines.add("dates", report.dates);
    lines.add("units of all shares", report.units);
    lines.add("units done", report.done);
    lines.add("done before", report.found);
    lines.add_rows(&report.accounting);
    lines.add_cost(report.seconds, report.peak_memory, &report.metrics);
    lines.text()
}

/// Formats the report of a share of a run as one JSON object.
pub(crate) fn share_json(report: &ShareReport) -> String {
    let all = report.accounting.rows();
    json!({
        "first_date": report.dates.first().to_string(),
        "last_date": report.dates.last().to_string(),
        "units": report.units,
        "units_done": report.done,
        "units_done_before": report.found,
        "archive_rows": all.rows,
        "html_bytes": all.html_bytes,
        "text_bytes": all.text_bytes,
        "seconds": report.seconds,
        "peak_memory_bytes": report.peak_memory,
        "spilled_bytes": report.metrics.spilled_bytes(),
    })
    .to_string()
}

/// Formats the report of a run as one JSON object.
pub fn run_json(report: &RunReport) -> String {
    let account = &report.accounting;
    let all = account.rows();
    let statuses = STATUSES.map(|(status, _)| {
        let causes = account.total(status);
        let rows: u64 = causes.values().map(|tally| tally.rows).sum();
        // Unique rows have no cause.
        let causes = causes.into_iter().filter(|(cause, _)| !cause.is_empty());
        let causes: Value = causes
            .map(|(cause, tally)| (cause, Value::from(tally.rows)))
            .collect();
        (status.to_owned(), json!({ "rows": rows, "causes": causes }))
    });
    let operators: Value = (report.metrics.0.iter())
        .map(|(operator, cost)| {
            let cost = json!({
                "seconds": cost.seconds,
                "bytes": cost.bytes,
                "spilled_bytes": cost.spilled_bytes,
                "network_bytes": cost.network_bytes,
            });
            (operator.clone(), cost)
        })
        .collect();
    json!({
        "run_id": report.run_id,
        "first_date": report.dates.first().to_string(),
        "last_date": report.dates.last().to_string(),
        "already_done": report.already_done.as_ref().map(range_json),
        "archive_rows": all.rows,
        "statuses": Value::from_iter(statuses),
        "html_bytes": all.html_bytes,
        "text_bytes": all.text_bytes,
        "chunks": report.chunks,
        "seconds": report.seconds,
        "peak_memory_bytes": report.peak_memory,
        "spilled_bytes": report.metrics.spilled_bytes(),
        "network_bytes": report.metrics.network_bytes(),
        "operators": operators,
    })
    .to_string()
}

/// Formats the status of the tables as text, with the command that repairs them.
pub(crate) fn status(status: &Status, args: &JobArgs) -> String {
    let Some(span) = status.span else {
        return "no date was run\n".to_owned();
    };
    let mut lines = Lines::new();
    lines.add("dates", span);
    lines.add("done", status.done);
    for (title, ranges) in [
        ("missing", &status.missing),
        ("stale", &status.stale),
        ("other settings", &status.other_settings),
        ("changed", &status.changed),
    ] {
        let days = (ranges.iter())
            .map(|range| (range.last() - range.first()).num_days() + 1)
            .sum::<i64>();
        lines.add(title, days);
        for range in ranges {
            lines.add("", range);
        }
    }
    let counts = &status.counts;
    lines.add("pages", counts.archive_rows);
    lines.add("unique", counts.unique_pages);
    lines.add("duplicates", counts.duplicates);
    for (title, count) in [
        ("revisions", counts.revisions),
        ("blocklisted", counts.blocklisted),
        ("quarantined", counts.quarantined),
        ("unreadable objects", counts.unreadable_objects),
    ] {
        if count > 0 {
            lines.add(title, count);
        }
    }
    lines.add("HTML MB", format!("{:.1}", megabytes(counts.html_bytes)));
    lines.add("text MB", format!("{:.1}", megabytes(counts.text_bytes)));
    if let Some(peak) = status.peak_memory {
        lines.add("peak memory MB", format!("{:.0}", megabytes(peak)));
    }
    if let Some(spilled) = status.spilled_bytes {
        lines.add("spilled MB", format!("{:.1}", megabytes(spilled)));
    }
    let parameters = &status.parameters;
    for (title, count) in [
        ("noise parameters", parameters.noise),
        ("identifying", parameters.identifies),
        ("undecided", parameters.undecided),
    ] {
        if count > 0 {
            lines.add(title, count);
        }
    }
    for (title, noted) in [
        ("dropped by mistake", &parameters.revised),
        ("many pages", &parameters.many_rows),
    ] {
        for (at, parameter) in noted.iter().enumerate() {
            let NotedParameter {
                path,
                parameter,
                rows,
                ..
            } = parameter;
            let title = if at == 0 { title } else { "" };
            lines.add(title, format!("{parameter} of {path}, {rows} rows"));
        }
    }
    let mut text = lines.text();
    if let Some(repair) = status.repair {
        text.push_str("next: ");
        text.push_str(&repair_command(status, args, repair));
        text.push('\n');
    }
    text
}

/// Returns the command that repairs the tables. Dates with other settings are only run
/// with an option.
fn repair_command(status: &Status, args: &JobArgs, repair: DateRange) -> String {
    let dates = repair.to_string();
    let mut options = vec!["--dates", &dates];
    if !status.other_settings.is_empty() {
        options.push("--change-settings");
    }
    args.command(&["backfill"], &options)
}

/// Formats the status of the tables as one JSON object.
pub(crate) fn status_json(status: &Status) -> String {
    let range = range_json;
    let ranges = |all: &[DateRange]| Value::from_iter(all.iter().map(range));
    let Counts {
        archive_rows,
        unique_pages,
        duplicates,
        revisions,
        blocklisted,
        quarantined,
        unreadable_objects,
        html_bytes,
        text_bytes,
    } = status.counts;
    json!({
        "dates": status.span.as_ref().map(range),
        "done": status.done,
        "missing": ranges(&status.missing),
        "stale": ranges(&status.stale),
        "other_settings": ranges(&status.other_settings),
        "changed": ranges(&status.changed),
        "last_with_pages": status.last_with_pages.map(|date| date.to_string()),
        "repair": status.repair.as_ref().map(range),
        "archive_rows": archive_rows,
        "unique_pages": unique_pages,
        "duplicates": duplicates,
        "revisions": revisions,
        "blocklisted": blocklisted,
        "quarantined": quarantined,
        "unreadable_objects": unreadable_objects,
        "html_bytes": html_bytes,
        "text_bytes": text_bytes,
        "peak_memory_bytes": status.peak_memory,
        "spilled_bytes": status.spilled_bytes,
        "parameters": {
            "noise": status.parameters.noise,
            "identifies": status.parameters.identifies,
            "undecided": status.parameters.undecided,
            "revised": noted_json(&status.parameters.revised),
            "many_rows": noted_json(&status.parameters.many_rows),
        },
    })
    .to_string()
}

fn noted_json(noted: &[NotedParameter]) -> Value {
    let noted = noted.iter().map(
        |noted| json!({ "path": noted.path, "parameter": noted.parameter, "rows": noted.rows }),
    );
    Value::from_iter(noted)
}

fn range_json(range: &DateRange) -> Value {
    json!({ "first_date": range.first().to_string(), "last_date": range.last().to_string() })
}

/// Formats the unreferenced files, summed by table and cause.
pub(crate) fn vacuum(found: &[(Table, Vec<UnreferencedFile>)], mode: VacuumMode) -> String {
    let mut lines = Lines::new();
    for (table, files) in found {
        for (cause, title) in CAUSES {
            let (count, bytes) = sum(files, cause);
            if count > 0 {
                let size = format!("{count} files, {:.1} MB", megabytes(bytes));
                lines.add(&format!("{} {title}", table.name()), size);
            }
        }
    }
    let all: Vec<_> = found.iter().flat_map(|(_, files)| files).collect();
    let bytes: u64 = all.iter().map(|file| file.bytes).sum();
    let files = all.len();
    let title = match mode {
        VacuumMode::Delete => "deleted",
        VacuumMode::Report => "to delete",
    };
    lines.add(title, format!("{files} files, {:.1} MB", megabytes(bytes)));
    let mut text = lines.text();
    if files > 0 && mode == VacuumMode::Report {
        text.push_str("nothing was deleted; add --delete to delete the files\n");
    }
    text
}

/// Formats the unreferenced files as one JSON object.
pub(crate) fn vacuum_json(found: &[(Table, Vec<UnreferencedFile>)], mode: VacuumMode) -> String {
    let tables = found.iter().map(|(table, files)| {
        let causes = CAUSES.map(|(cause, title)| {
            let (count, bytes) = sum(files, cause);
            let paths = files
                .iter()
                .filter(|file| file.cause == cause)
                .map(|file| file.path.as_str());
            let paths = Value::from_iter(paths);
            let key = title.replace(' ', "_");
            (
                key,
                json!({ "files": count, "bytes": bytes, "paths": paths }),
            )
        });
        (table.name().to_owned(), Value::from_iter(causes))
    });
    json!({
        "deleted": mode == VacuumMode::Delete,
        "tables": Value::from_iter(tables),
    })
    .to_string()
}

/// Causes of unreferenced files and their titles in reports.
const CAUSES: [(UnreferencedCause, &str); 2] = [
    (UnreferencedCause::NeverCommitted, "never committed"),
    (UnreferencedCause::Replaced, "replaced"),
];

/// Returns number and bytes of the files with this cause.
fn sum(files: &[UnreferencedFile], cause: UnreferencedCause) -> (usize, u64) {
    let with_cause = files.iter().filter(|file| file.cause == cause);
    with_cause.fold((0, 0), |(count, bytes), file| {
        (count + 1, bytes + file.bytes)
    })
}

/// A table without borders: titles to the left, values to the right.
pub(crate) struct Lines(comfy_table::Table);

impl Lines {
    pub(crate) fn new() -> Self {
        let mut table = comfy_table::Table::new();
        table.load_preset(comfy_table::presets::NOTHING);
        Self(table)
    }

    pub(crate) fn add(&mut self, title: &str, value: impl ToString) {
        self.0.add_row([title.to_owned(), value.to_string()]);
    }

    /// Adds the counts of archive rows.
    fn add_rows(&mut self, account: &RowAccounting) {
        let all = account.rows();
        self.add("pages", all.rows);
        for (status, title) in STATUSES {
            let by_cause = account.total(status);
            let rows: u64 = by_cause.values().map(|tally| tally.rows).sum();
            if rows > 0 || matches!(status, "unique" | "duplicate" | "quarantined") {
                self.add(title, rows);
            }
            if matches!(status, "duplicate" | "quarantined") {
                for (cause, tally) in by_cause {
                    self.add(&format!("  {cause}"), tally.rows);
                }
            }
        }
        self.add("HTML MB", format!("{:.1}", megabytes(all.html_bytes)));
        self.add("text MB", format!("{:.1}", megabytes(all.text_bytes)));
    }

    fn add_cost(&mut self, seconds: f64, peak_memory: Option<u64>, metrics: &PlanMetrics) {
        self.add("seconds", format!("{seconds:.1}"));
        if let Some(peak) = peak_memory {
            self.add("peak memory MB", format!("{:.0}", megabytes(peak)));
        }
        let spilled = megabytes(metrics.spilled_bytes());
        self.add("spilled MB", format!("{spilled:.1}"));
        let network = metrics.network_bytes();
        if network > 0 {
            self.add("network MB", format!("{:.1}", megabytes(network)));
        }
    }

    pub(crate) fn text(mut self) -> String {
        if let Some(titles) = self.0.column_mut(0) {
            titles.set_padding((0, 2));
        }
        if let Some(values) = self.0.column_mut(1) {
            values.set_padding((0, 0));
            values.set_cell_alignment(CellAlignment::Right);
        }
        format!("{}\n", self.0)
    }
}
