//! The programs of the processes, as `engine` has them, without rows.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, join_all, select, try_join_all};
use lease::{
    Host, Lease, LeaseError, LeaseRecord, LeaseState, OwnerError, Tables, Units, commit_chunk,
    refresh, remove_unreferenced, replace, vacuum,
};
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use tokio::sync::oneshot;

use super::checks::Attempt;
use super::plan::{DATES, HEARTBEAT_MILLIS, Mutation, Program};
use super::process::SimHost;
use super::tables::{Change, Failure, Name, SimError, SimTables, Snapshot};

/// The end of a process that did not succeed.
#[derive(Debug)]
pub(crate) enum Ended {
    Interrupted,
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn table(error: SimError) -> Failure {
    OwnerError::Tables(error)
}

/// A process with its tables.
pub(crate) struct Actor<const REORDERED: bool> {
    pub(crate) host: SimHost,
    pub(crate) tables: SimTables<REORDERED>,
    pub(crate) interrupt: oneshot::Receiver<()>,
}

/// Data files by date and table.
pub(crate) type Files = BTreeMap<(u8, Name), BTreeSet<String>>;

type Opened = BTreeMap<Name, Option<Arc<Snapshot>>>;

/// A run of dates.
struct Request {
    first: u8,
    last: u8,
    name: String,
    cleans: bool,
}

impl<const REORDERED: bool> Actor<REORDERED> {
    pub(crate) async fn run(mut self, program: &Program) -> Result<(), Ended> {
        match program {
            Program::Run {
                first,
                last,
                request,
                cleans,
            } => {
                let before = self.open_all().await?;
                let request = Request {
                    first: *first,
                    last: *last,
                    name: request.clone(),
                    cleans: *cleans,
                };
                self.run_dates(before, request).await
            }
            Program::Update { request } => {
                let before = self.open_all().await?;
                let runs = before[&Name::Runs].as_ref();
                let is_done = |date: &u8| runs.is_some_and(|runs| runs.files.contains_key(date));
                let Some(first) = (0..DATES).find(|date| !is_done(date)) else {
                    return Ok(());
                };
                let request = Request {
                    first,
                    last: DATES - 1,
                    name: format!("{request} from {first}"),
                    cleans: false,
                };
                self.run_dates(before, request).await
            }
            Program::Vacuum { retention } => {
                let lease = self.acquire("a vacuum", None);
                let lease = lease.await?;
                let retention = Duration::from_micros(*retention);
                let done = vacuum(Some(&lease), &self.tables, retention).await;
                lease.release(done.is_ok()).await;
                done?;
                Ok(())
            }
            Program::Share {
                first,
                last,
                request,
                unit,
            } => {
                let dates = (*first..=*last).collect();
                Ok(self.share(request, &dates, *unit).await?)
            }
            Program::Reader { times } => self.read(*times).await,
        }
    }

    pub(crate) fn random(&self, most: u64) -> u64 {
        self.host.world.state().random.within(0..=most)
    }

    pub(crate) async fn rest(&self, most_millis: u64) {
        let time = Duration::from_millis(self.random(most_millis));
        self.host.sleep(time).await;
    }

    /// Opens the tables before the lease, each at its own moment.
    async fn open_all(&self) -> Result<Opened, Failure> {
        let opened = Name::ALL.map(async |name| {
            self.rest(300).await;
            let opened = self.tables.open_latest(name).await.map_err(table)?;
            Ok::<_, Failure>((name, opened))
        });
        Ok(try_join_all(opened).await?.into_iter().collect())
    }

    async fn acquire(&self, purpose: &str, request: Option<String>) -> Result<Lease, Failure> {
        let record = {
            let state = &mut *self.host.world.state();
            LeaseRecord {
                id: state.random.next().to_string(),
                purpose: purpose.to_owned(),
                request,
                host: state.processes[self.host.process].name.clone(),
                process: self.host.process as u32,
                acquired_at: state.now.to_string(),
                heartbeat_ms: HEARTBEAT_MILLIS,
                heartbeats: 0,
                state: LeaseState::Running,
            }
        };
        Lease::acquire(&self.tables, &self.host, record).await
    }

    async fn run_dates(&mut self, before: Opened, request: Request) -> Result<(), Ended> {
        let (_, never) = oneshot::channel();
        let mut interrupt = std::mem::replace(&mut self.interrupt, never);
        let lease = self.acquire("a run", Some(request.name.clone()));
        let lease = match select(pin!(lease), &mut interrupt).await {
            Either::Left((lease, _)) => lease?,
            Either::Right(_) => return Err(Ended::Interrupted),
        };
        let done = match select(pin!(self.work(&lease, before, &request)), &mut interrupt).await {
            Either::Left((done, _)) => done.map_err(Ended::Failed),
            Either::Right(_) => Err(Ended::Interrupted),
        };
        lease.release(done.is_ok()).await;
        done
    }

    async fn work(&self, lease: &Lease, before: Opened, request: &Request) -> Result<(), Failure> {
        let known = refresh(&self.tables, before).await.map_err(table)?;
        self.check_known(lease, &known);
        let tables = self.tables.owned_by(known);
        if request.cleans {
            remove_unreferenced(lease, &tables, Duration::ZERO).await?;
        }
        let needed = [Name::Keys, Name::Pages, Name::Runs];
        let created = needed.map(|name| tables.open_or_create(name));
        for created in join_all(created).await {
            created.map_err(table)?;
        }
        let (run, done) = self.resume(lease, &tables, request).await?;
        let mut next = request.first + done;
        while next <= request.last {
            let last = (next + self.random(1) as u8).min(request.last);
            self.chunk(lease, &tables, (run, &request.name), next..=last)
                .await?;
            next = last + 1;
        }
        Ok(())
    }

    /// Under the latest lease, the versions that the owner knows are the latest. An earlier owner may still
    /// make an empty table.
    fn check_known(&self, lease: &Lease, known: &Opened) {
        let state = &mut *self.host.world.state();
        if state.checks.latest_token() != Some(lease.token()) {
            return;
        }
        let is_made = |version: &&Snapshot| version.version != Some(0);
        for (name, opened) in known {
            let latest = state.checks.latest(*name).filter(is_made);
            if latest != opened.as_deref().filter(is_made) {
                let text = format!("the owner knows an earlier version of {}", name.text());
                state.checks.violate(text);
            }
        }
    }

    /// Returns the run that continues, and how many of its dates are done.
    async fn resume(
        &self,
        lease: &Lease,
        tables: &SimTables<REORDERED>,
        request: &Request,
    ) -> Result<(u64, u8), Failure> {
        let runs = tables.open_or_create(Name::Runs).await.map_err(table)?;
        let state = &mut *self.host.world.state();
        let run_of = |date: u8| {
            let attempt = state.checks.attempt_of(runs.files.get(&date)?)?;
            (attempt.request == request.name).then_some(attempt.run)
        };
        if let Some(run) = run_of(request.first) {
            let dates = request.first..=request.last;
            let done = dates.take_while(|date| run_of(*date) == Some(run)).count() as u8;
            let is_all = done == request.last - request.first + 1;
            if !is_all || lease.resumes(&request.name) {
                return Ok((run, done));
            }
        }
        Ok((state.random.next(), 0))
    }

    async fn chunk(
        &self,
        lease: &Lease,
        tables: &SimTables<REORDERED>,
        (run, request): (u64, &str),
        dates: std::ops::RangeInclusive<u8>,
    ) -> Result<(), Failure> {
        let change = |name: &str, dates: &BTreeSet<u8>| Change {
            dates: dates.clone(),
            files: BTreeMap::new(),
            transaction: (name.to_owned(), lease.token()),
            token: lease.token(),
        };
        let dates: BTreeSet<u8> = dates.collect();
        if self.random(2) == 0 {
            let rolled_up = self.roll_up(lease, tables).await;
            lease.or_taken_over(rolled_up).await?;
        }
        self.rest(1000).await;
        let token = lease.token();
        let (files, units) = match request.starts_with('a') {
            true => {
                self.stage_units(tables, (run, request, token), &dates)
                    .await?
            }
            false => (
                self.stage(tables, (run, request, token), &dates).await?,
                None,
            ),
        };
        let reopened = async {
            let version = tables.open_or_create(Name::RollUp).await.map_err(table)?;
            let version = version.version.map_or(0, |version| version as i64 + 1);
            let reopened = Change {
                transaction: ("reopened".to_owned(), version),
                ..change("", &BTreeSet::from([0]))
            };
            let made = replace(tables, Name::RollUp, reopened).await;
            made.map_err(table)
        };
        lease.or_taken_over(reopened.await).await?;
        let chunk = format!("urltree {dates:?}");
        let begun = match tables.mutation {
            Mutation::NoBegun => change(&format!("{chunk} begun"), &BTreeSet::new()),
            _ => change(&format!("{chunk} begun"), &dates),
        };
        let mut changes = Vec::new();
        for name in [Name::Keys, Name::Pages, Name::Parameters, Name::Runs] {
            let of_name = files.iter().filter(|((_, of), _)| *of == name);
            let files: BTreeMap<_, _> = of_name
                .map(|((date, _), files)| (*date, files.clone()))
                .collect();
            let is_needed = !files.is_empty();
            if is_needed || tables.open(name).await.map_err(table)?.is_some() {
                let change = change(&chunk, &dates);
                changes.push((name, Change { files, ..change }));
            }
        }
        commit_chunk(lease, tables, begun, changes).await?;
        if let Some(units) = units {
            let removed = units.remove().await.map_err(LeaseError::from);
            lease.or_taken_over(removed).await?;
        }
        Ok(())
    }

    /// Takes the data files of all units of a chunk, and writes those of `runs`.
    async fn stage_units(
        &self,
        tables: &SimTables<REORDERED>,
        (run, request, token): (u64, &str, i64),
        dates: &BTreeSet<u8>,
    ) -> Result<(Files, Option<Units>), Failure> {
        let (mut files, units) = self.all_units(tables, request, dates).await?;
        let paths: Vec<String> = {
            let state = &mut *self.host.world.state();
            let attempt = state.checks.attempts.len();
            for date in dates {
                let path = format!("{}/{date}-{attempt}", Name::Runs.data());
                files.insert((*date, Name::Runs), BTreeSet::from([path]));
            }
            state.checks.add_attempt(Attempt {
                run,
                request: request.to_owned(),
                token,
                files: files.clone(),
            });
            let of_runs = files.iter().filter(|((_, name), _)| *name == Name::Runs);
            of_runs.flat_map(|(_, files)| files.clone()).collect()
        };
        try_join_all(paths.iter().map(|path| put(tables, path))).await?;
        Ok((files, Some(units)))
    }

    /// Writes the data files of a chunk, which no table names yet.
    async fn stage(
        &self,
        tables: &SimTables<REORDERED>,
        (run, request, token): (u64, &str, i64),
        dates: &BTreeSet<u8>,
    ) -> Result<Files, Failure> {
        let mut files = BTreeMap::new();
        {
            let state = &mut *self.host.world.state();
            let attempt = state.checks.attempts.len();
            let has_parameters = state.random.permille(400);
            for date in dates {
                for name in Name::OF_DATES.into_iter().chain([Name::Runs]) {
                    if name == Name::Parameters && !has_parameters {
                        continue;
                    }
                    let count = if name == Name::Pages { 2 } else { 1 };
                    let path = |number| format!("{}/{date}-{attempt}-{number}", name.data());
                    files.insert((*date, name), (0..count).map(path).collect());
                }
            }
            state.checks.add_attempt(Attempt {
                run,
                request: request.to_owned(),
                token,
                files: files.clone(),
            });
        }
        let paths: Vec<String> = files.values().flatten().cloned().collect();
        try_join_all(paths.iter().map(|path| put(tables, path))).await?;
        Ok(files)
    }

    /// Replaces the roll-up. The lease is not checked before.
    async fn roll_up(&self, lease: &Lease, tables: &SimTables<REORDERED>) -> Result<(), Failure> {
        let path = format!("{}/{}", Name::RollUp.data(), self.random(u64::MAX - 1));
        put(tables, &path).await?;
        let opened = tables.open_or_create(Name::RollUp).await.map_err(table)?;
        let version = opened.version.map_or(0, |version| version as i64 + 1);
        let change = Change {
            dates: BTreeSet::from([0]),
            files: BTreeMap::from([(0, BTreeSet::from([path]))]),
            transaction: ("keys".to_owned(), version),
            token: lease.token(),
        };
        replace(tables, Name::RollUp, change).await.map_err(table)?;
        Ok(())
    }

    /// A date that has one row in `runs` before and after has rows of this run meanwhile.
    async fn read(&self, times: u64) -> Result<(), Ended> {
        for _ in 0..times {
            let open = |name| self.tables.open_latest(name);
            let name = Name::OF_DATES[self.random(2) as usize];
            let before = open(Name::Runs).await.map_err(table)?;
            let rows = open(name).await.map_err(table)?;
            let after = open(Name::Runs).await.map_err(table)?;
            self.check_read(name, [before, rows, after]);
            self.rest(1500).await;
        }
        Ok(())
    }

    fn check_read(&self, name: Name, read: [Option<Arc<Snapshot>>; 3]) {
        let [before, rows, after] = read;
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        let checks = &mut self.host.world.state().checks;
        for (date, files) in &before.files {
            if after.files.get(date) != Some(files) {
                continue;
            }
            let found = rows.as_ref().and_then(|rows| rows.files.get(date));
            let attempt = checks.attempt_of(files);
            if attempt.and_then(|attempt| attempt.files.get(&(*date, name))) != found {
                let text = format!("a reader of {} finds {found:?} on {date}", name.text());
                checks.violate(text);
                return;
            }
        }
    }
}

pub(crate) async fn put<const REORDERED: bool>(
    tables: &SimTables<REORDERED>,
    path: &str,
) -> Result<(), Failure> {
    let (path, rows) = (Path::from(path), PutPayload::from_static(b"rows"));
    let put = tables.store.put(&path, rows).await;
    put.map_err(|error| table(error.into()))?;
    Ok(())
}
