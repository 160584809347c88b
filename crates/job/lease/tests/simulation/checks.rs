//! The invariants of `docs/reliability.md`, after each change of an object.

use std::collections::{BTreeMap, BTreeSet};

use lease::{FENCING_TRANSACTION, LeaseRecord, LeaseState};

use super::network::{LEASES, SLOW_LEASE_WRITE};
use super::objects::{Object, Request};
use super::plan::MOST_AHEAD;
use super::scheduler::State;
use super::tables::{Entry, Name, Snapshot};

/// The rows that one owner makes of the dates of one chunk.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// The run, also where a later start resumes it.
    pub(crate) run: u64,
    pub(crate) request: String,
    pub(crate) token: i64,
    /// The files of each date and table.
    pub(crate) files: BTreeMap<(u8, Name), BTreeSet<String>>,
}

/// A version in the log of a table.
#[derive(Debug)]
struct Version {
    /// The time of its commit.
    at: u64,
    snapshot: Snapshot,
}

/// The events so far, as an observer of the store sees them.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    violation: Option<String>,
    pub(crate) attempts: Vec<Attempt>,
    /// The attempts and the date of each data file. The files of a unit are in each attempt that takes it.
    files: BTreeMap<String, (Vec<usize>, u8)>,
    logs: BTreeMap<Name, Vec<Version>>,
    /// The owner of each token.
    owners: BTreeMap<i64, usize>,
}

impl Checks {
    pub(crate) fn violation(&self) -> Option<&str> {
        self.violation.as_deref()
    }

    pub(crate) fn violate(&mut self, text: String) {
        self.violation.get_or_insert(text);
    }

    pub(crate) fn add_attempt(&mut self, attempt: Attempt) {
        let number = self.attempts.len();
        for ((date, _), files) in &attempt.files {
            for file in files {
                let (attempts, _) = self
                    .files
                    .entry(file.clone())
                    .or_insert_with(|| (Vec::new(), *date));
                attempts.push(number);
            }
        }
        self.attempts.push(attempt);
    }

    /// Returns the attempt whose rows the files are.
    pub(crate) fn attempt_of(&self, files: &BTreeSet<String>) -> Option<&Attempt> {
        let (attempts, date) = self.files.get(files.first()?)?;
        let attempts = || {
            attempts
                .iter()
                .rev()
                .filter_map(|it| self.attempts.get(*it))
        };
        let has = |attempt: &&Attempt| {
            let mut of_date = attempt.files.iter().filter(|((of, _), _)| of == date);
            of_date.any(|(_, found)| found == files)
        };
        attempts().find(has).or_else(|| attempts().next())
    }

    /// Returns the latest version of a table.
    pub(crate) fn latest(&self, table: Name) -> Option<&Snapshot> {
        Some(&self.logs.get(&table)?.last()?.snapshot)
    }

    /// The latest lease.
    pub(crate) fn latest_token(&self) -> Option<i64> {
        self.owners.keys().next_back().copied()
    }

    /// A date in `runs` is complete, and of one run in every table. In each table a date has the rows of one attempt.
    fn check_dates(&self) -> Result<(), String> {
        for table in Name::OF_DATES.into_iter().chain([Name::Runs]) {
            for (date, files) in self.latest(table).into_iter().flat_map(|it| &it.files) {
                let whole = self.attempt_of(files);
                let whole = whole.and_then(|it| it.files.get(&(*date, table)));
                if whole != Some(files) {
                    let table = table.text();
                    return Err(format!("{table} has a mixture on date {date}: {files:?}"));
                }
            }
        }
        for (date, files) in self.latest(Name::Runs).into_iter().flat_map(|it| &it.files) {
            let attempt = self.attempt_of(files).ok_or("runs has an unknown file")?;
            for table in Name::OF_DATES {
                let found = self.latest(table).and_then(|it| it.files.get(date));
                let expected = attempt.files.get(&(*date, table));
                if found != expected {
                    return Err(format!(
                        "date {date} is in runs, and {} has {found:?} instead of {expected:?}",
                        table.text()
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Checks the state after a request that changed an object.
pub(crate) fn after(state: &mut State, process: usize, request: &Request, before: Option<&Object>) {
    let path = request.path();
    let checked = match request {
        Request::Put { bytes, .. } if path.starts_with(LEASES) => {
            after_lease(state, process, path, bytes, before)
        }
        Request::Put { bytes, .. } if path.contains("/_log/") => after_commit(state, path, bytes),
        Request::Delete(_) if path.contains("/data/") => after_deletion(state, process, path),
        _ => Ok(()),
    };
    if let Err(text) = checked {
        state.line(process, format_args!("VIOLATION: {text}"));
        state.checks.violate(text);
    }
}

fn table_of(path: &str) -> Option<Name> {
    let folder = path.split('/').nth(1)?;
    Name::ALL.into_iter().find(|name| name.text() == folder)
}

/// Tokens never fall, and all files of a version exist.
fn after_commit(state: &mut State, path: &str, bytes: &[u8]) -> Result<(), String> {
    let table = table_of(path).ok_or("an unknown table")?;
    let entry: Entry = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let (now, snapshot) = (state.now, entry.after);
    let token = |snapshot: &Snapshot| snapshot.transactions.get(FENCING_TRANSACTION).copied();
    let log = state.checks.logs.entry(table).or_default();
    let highest = log
        .iter()
        .filter_map(|version| token(&version.snapshot))
        .max();
    if token(&snapshot) < highest {
        return Err(format!(
            "{} had token {highest:?}, and takes {:?}",
            table.text(),
            token(&snapshot)
        ));
    }
    let files = snapshot.files.values().flatten();
    let gone = |file: &&String| !state.objects.0.contains_key(*file);
    if let Some(file) = files.clone().find(gone) {
        return Err(format!("{file} was deleted before its commit"));
    }
    log.push(Version { at: now, snapshot });
    state.checks.check_dates()
}

/// No version of the retention references the file.
fn after_deletion(state: &State, process: usize, path: &str) -> Result<(), String> {
    let table = table_of(path).ok_or("an unknown table")?;
    let retention = state.processes[process].retention;
    let since = (state.now + MOST_AHEAD).saturating_sub(retention);
    let log = state.checks.logs.get(&table).into_iter().flatten();
    let versions: Vec<_> = log.collect();
    for (index, version) in versions.iter().enumerate() {
        let ended = versions.get(index + 1).map(|next| next.at);
        let is_retained = ended.is_none_or(|ended| retention > 0 && ended > since);
        let has_file = || version.snapshot.files.values().any(|it| it.contains(path));
        if is_retained && has_file() {
            let version = version.snapshot.version;
            return Err(format!("{path} is deleted, and version {version:?} has it"));
        }
    }
    Ok(())
}

/// A lease has one owner, and an owner that lives and is heard keeps it.
fn after_lease(
    state: &mut State,
    process: usize,
    path: &str,
    bytes: &[u8],
    before: Option<&Object>,
) -> Result<(), String> {
    let parse = |bytes: &[u8]| serde_json::from_slice::<LeaseRecord>(bytes).ok();
    let record = parse(bytes).ok_or("not a lease")?;
    let name = path.rsplit('/').next().unwrap_or_default();
    let token: i64 = name
        .trim_end_matches(".json")
        .parse()
        .map_err(|_| "a name")?;
    // A late request may bring back a lease that a vacuum has removed. It is not in force.
    if state.checks.latest_token() > Some(token) {
        return Ok(());
    }
    let earlier = before.and_then(|before| parse(&before.bytes));
    if earlier.is_some_and(|earlier| earlier.id != record.id) {
        return Err(format!("the lease {token} has two owners"));
    }
    if state.checks.latest_token() == Some(token) {
        return Ok(());
    }
    state.checks.owners.insert(token, process);
    let Some(last) = state.checks.owners.get(&(token - 1)).copied() else {
        return Ok(());
    };
    let stored = format!("{LEASES}/{:08}.json", token - 1);
    let stored = state.objects.0.get(&stored);
    let stored = stored.and_then(|stored| parse(&stored.bytes));
    let owner = &state.processes[last];
    let is_slow = |since: u64| state.now - since > SLOW_LEASE_WRITE;
    let is_heard = !owner.is_disturbed && !owner.lease_write.is_some_and(is_slow);
    let is_running = stored.is_some_and(|stored| stored.state == LeaseState::Running);
    if last != process && owner.is_alive && is_heard && is_running {
        return Err(format!(
            "{} lives, and its lease was taken over",
            owner.name
        ));
    }
    Ok(())
}
