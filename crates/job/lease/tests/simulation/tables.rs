//! Tables with a log of versions in the simulated store, by Delta's rules. They stand for `deltalake`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use futures::TryStreamExt;
use lease::{
    CommitError, FENCING_TRANSACTION, IdempotentPuts, LeaseError, LeaseStore, OwnedTables,
    OwnerError, Tables,
};
use object_store::path::Path;
use object_store::{Error as StoreError, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use serde::{Deserialize, Serialize};

use super::network::{LEASES, SimStore};
use super::plan::Mutation;
use super::process::SimHost;

/// A table of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    /// As `url_keys`: committed before the others.
    Keys,
    /// As `documents`.
    Pages,
    /// As `url_parameters`: made with its first row.
    Parameters,
    /// As `windows`: derived from the others, and written without a look at the lease.
    RollUp,
    /// As `runs`: has the dates that are complete.
    Runs,
}

impl Name {
    pub(crate) const ALL: [Self; 5] = [
        Self::Keys,
        Self::Pages,
        Self::Parameters,
        Self::RollUp,
        Self::Runs,
    ];
    /// The tables with rows of dates, except for [`Name::Runs`].
    pub(crate) const OF_DATES: [Self; 3] = [Self::Keys, Self::Pages, Self::Parameters];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Pages => "pages",
            Self::Parameters => "parameters",
            Self::RollUp => "roll_up",
            Self::Runs => "runs",
        }
    }

    /// Returns the folder of its log.
    pub(crate) fn log(self) -> String {
        format!("t/{}/_log", self.text())
    }

    /// Returns the folder of its data files.
    pub(crate) fn data(self) -> String {
        format!("t/{}/data", self.text())
    }
}

/// A table at one version, as its log says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// `None` for a table that a mutation creates late.
    pub(crate) version: Option<u64>,
    pub(crate) transactions: BTreeMap<String, i64>,
    /// Paths of data files by date.
    pub(crate) files: BTreeMap<u8, BTreeSet<String>>,
}

/// The object of one version in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The application transactions of this commit.
    transactions: Vec<(String, i64)>,
    removed: BTreeSet<String>,
    pub(crate) after: Snapshot,
    /// Makes the bytes of each commit differ, as times and ids do in Delta.
    writer: (usize, u64),
}

/// The new content of dates of one table.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) dates: BTreeSet<u8>,
    pub(crate) files: BTreeMap<u8, BTreeSet<String>>,
    pub(crate) transaction: (String, i64),
    pub(crate) token: i64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SimError {
    #[error("another commit was first")]
    Conflict,
    #[error("the table has token {later}, and refuses {token}")]
    Superseded { token: i64, later: i64 },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("not a log entry: {0}")]
    Json(#[from] serde_json::Error),
}

pub(crate) type Failure = OwnerError<SimError>;

/// The tables as one process sees them. `REORDERED` is a mutation: `runs` is committed first.
#[derive(Clone)]
pub(crate) struct SimTables<const REORDERED: bool> {
    pub(crate) host: SimHost,
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) mutation: Mutation,
    owned: OwnedTables<Name, Arc<Snapshot>>,
}

impl<const REORDERED: bool> SimTables<REORDERED> {
    pub(crate) fn new(host: SimHost, mutation: Mutation) -> Self {
        let store = SimStore(host.clone());
        let store: Arc<dyn ObjectStore> = match mutation {
            Mutation::NoIdempotentPuts => Arc::new(store),
            _ => Arc::new(IdempotentPuts::new(store)),
        };
        Self {
            host,
            store,
            mutation,
            owned: OwnedTables::default(),
        }
    }

    /// Returns the same tables for the owner of their lease.
    pub(crate) fn owned_by(&self, known: BTreeMap<Name, Option<Arc<Snapshot>>>) -> Self {
        Self {
            owned: OwnedTables::new(known),
            ..self.clone()
        }
    }

    /// Opens the version that the owner knows, or the latest.
    pub(crate) async fn open(&self, table: Name) -> Result<Option<Arc<Snapshot>>, SimError> {
        if let Some(known) = self.owned.get(table) {
            return Ok(known);
        }
        let opened = self.open_latest(table).await?;
        self.owned.insert(table, opened.clone());
        Ok(opened)
    }

    pub(crate) async fn entry(&self, path: &Path) -> Result<Entry, SimError> {
        let bytes = self.store.get(path).await?.bytes().await?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    async fn create(&self, table: Name) -> Result<Arc<Snapshot>, SimError> {
        let created = Snapshot {
            version: Some(0),
            ..Snapshot::default()
        };
        let entry = self.new_entry(Vec::new(), BTreeSet::new(), created.clone());
        match self.put(table, &entry).await {
            Ok(()) => Ok(Arc::new(created)),
            // Another run has created it at this moment.
            Err(SimError::Store(StoreError::AlreadyExists { .. })) => {
                let opened = self.open_latest(table).await?;
                Ok(opened.expect("it exists"))
            }
            Err(error) => Err(error),
        }
    }

    fn new_entry(
        &self,
        transactions: Vec<(String, i64)>,
        removed: BTreeSet<String>,
        after: Snapshot,
    ) -> Entry {
        let nonce = self.host.world.state().random.next();
        Entry {
            transactions,
            removed,
            after,
            writer: (self.host.process, nonce),
        }
    }

    async fn put(&self, table: Name, entry: &Entry) -> Result<(), SimError> {
        let version = entry.after.version.unwrap_or(0);
        let payload = PutPayload::from(serde_json::to_vec(entry)?);
        let path = path_of(table, version);
        let put = self.store.put_opts(&path, payload, PutMode::Create.into());
        put.await?;
        Ok(())
    }

    /// Makes the next version. A commit that lost to others is made again after them, unless one of them has a
    /// transaction of the same application, or removed a file that this one removes.
    async fn commit_after(
        &self,
        table: Name,
        opened: &Arc<Snapshot>,
        transactions: Vec<(String, i64)>,
        change: Option<&Change>,
    ) -> Result<Arc<Snapshot>, CommitError<SimError>> {
        let mut base = Arc::clone(opened);
        loop {
            let (after, removed) = apply(&base, &transactions, change);
            let entry = self.new_entry(transactions.clone(), removed, after);
            match self.put(table, &entry).await {
                Ok(()) => return Ok(Arc::new(entry.after)),
                Err(SimError::Store(StoreError::AlreadyExists { .. })) => {}
                Err(error) => return Err(CommitError::Failed(error)),
            }
            let next = entry.after.version.unwrap_or(0);
            let winner = self.entry(&path_of(table, next)).await;
            let winner = winner.map_err(CommitError::Failed)?;
            let has = |(name, _): &(String, i64)| {
                let is_fencing = name == FENCING_TRANSACTION;
                (!is_fencing || self.mutation != Mutation::NoTokens)
                    && transactions.iter().any(|(own, _)| own == name)
            };
            if winner.transactions.iter().any(has) || !winner.removed.is_disjoint(&entry.removed) {
                return Err(CommitError::Conflict(SimError::Conflict));
            }
            base = Arc::new(winner.after);
        }
    }
}

/// Returns the version after `base`, and the files that it removes.
fn apply(
    base: &Snapshot,
    transactions: &[(String, i64)],
    change: Option<&Change>,
) -> (Snapshot, BTreeSet<String>) {
    let mut after = base.clone();
    after.version = Some(base.version.map_or(0, |version| version + 1));
    after.transactions.extend(transactions.iter().cloned());
    let mut removed = BTreeSet::new();
    if let Some(change) = change {
        for date in &change.dates {
            removed.extend(after.files.remove(date).unwrap_or_default());
        }
        after.files.extend(change.files.clone());
    }
    (after, removed)
}

pub(crate) fn path_of(table: Name, version: u64) -> Path {
    Path::from(format!("{}/{version:06}", table.log()))
}

#[async_trait]
impl<const REORDERED: bool> Tables for SimTables<REORDERED> {
    type Table = Name;
    type Version = Arc<Snapshot>;
    type Change = Change;
    type Error = SimError;

    const FIRST: Name = if REORDERED { Name::Runs } else { Name::Keys };
    const LAST: Name = if REORDERED { Name::Keys } else { Name::Runs };

    fn every(&self) -> Vec<Name> {
        Name::ALL.to_vec()
    }

    fn is_derived(&self, table: Name) -> bool {
        table == Name::RollUp
    }

    fn name(table: Name) -> &'static str {
        table.text()
    }

    fn location(&self) -> String {
        "t".to_owned()
    }

    fn leases(&self) -> LeaseStore {
        LeaseStore::new(
            Arc::clone(&self.store),
            Path::from(LEASES),
            LEASES.to_owned(),
        )
    }

    fn leases_with_own_client(&self) -> Result<LeaseStore, Box<dyn Error + Send + Sync>> {
        Ok(self.leases())
    }

    fn known(&self) -> &OwnedTables<Name, Arc<Snapshot>> {
        &self.owned
    }

    async fn open_latest(&self, table: Name) -> Result<Option<Arc<Snapshot>>, SimError> {
        let folder = Path::from(table.log());
        let listed: Vec<_> = self.store.list(Some(&folder)).try_collect().await?;
        match listed.last() {
            Some(last) => Ok(Some(Arc::new(self.entry(&last.location).await?.after))),
            None => Ok(None),
        }
    }

    async fn open_or_create(&self, table: Name) -> Result<Arc<Snapshot>, SimError> {
        let opened = match self.open(table).await? {
            Some(opened) => opened,
            // A commit creates it.
            None if self.mutation == Mutation::LateCreation => return Ok(Arc::default()),
            None => self.create(table).await?,
        };
        self.owned.insert(table, Some(Arc::clone(&opened)));
        Ok(opened)
    }

    async fn is_latest(&self, table: Name, opened: &Arc<Snapshot>) -> bool {
        if self.mutation == Mutation::StaleSnapshots && table != Name::Runs && table != Name::Keys {
            return true;
        }
        let folder = Path::from(table.log());
        let after = path_of(table, opened.version.unwrap_or(0));
        let later = self.store.list_with_offset(Some(&folder), &after);
        let later: Result<Vec<_>, _> = later.try_collect().await;
        later.is_ok_and(|later| later.is_empty())
    }

    async fn token(&self, _: Name, opened: &Arc<Snapshot>) -> Result<Option<i64>, SimError> {
        if self.mutation == Mutation::NoTokens {
            return Ok(None);
        }
        Ok(opened.transactions.get(FENCING_TRANSACTION).copied())
    }

    fn superseded(&self, _: Name, token: i64, later: i64) -> SimError {
        SimError::Superseded { token, later }
    }

    async fn commit_token(
        &self,
        table: Name,
        opened: &Arc<Snapshot>,
        token: i64,
    ) -> Result<(), CommitError<SimError>> {
        if self.mutation == Mutation::NoFence {
            return Ok(());
        }
        let transactions = vec![(FENCING_TRANSACTION.to_owned(), token)];
        self.commit_after(table, opened, transactions, None).await?;
        Ok(())
    }

    fn token_of(change: &Change) -> i64 {
        change.token
    }

    async fn commit(
        &self,
        table: Name,
        opened: &Arc<Snapshot>,
        change: Change,
    ) -> Result<Option<Arc<Snapshot>>, SimError> {
        let (name, version) = &change.transaction;
        let is_made = opened
            .transactions
            .get(name)
            .is_some_and(|it| it >= version);
        let is_there = |date: &u8| opened.files.contains_key(date);
        if is_made || (change.files.is_empty() && !change.dates.iter().any(is_there)) {
            return Ok(None);
        }
        let fencing = (FENCING_TRANSACTION.to_owned(), change.token);
        let transactions = vec![change.transaction.clone(), fencing];
        let committed = self.commit_after(table, opened, transactions, Some(&change));
        committed.await.map(Some).map_err(CommitError::into_inner)
    }
}

/// The end of a process in one word, or `None` if no fault of the store or of another process explains it.
pub(crate) fn explain(failure: &Failure) -> Option<&'static str> {
    let of_store = |error: &StoreError| {
        matches!(error, StoreError::Generic { .. }).then_some("the store failed")
    };
    match failure {
        OwnerError::Lease(LeaseError::Busy { .. }) => Some("busy"),
        OwnerError::Lease(LeaseError::TakenOver { .. }) => Some("taken over"),
        OwnerError::Lease(LeaseError::Store(error)) => of_store(&error.source),
        OwnerError::Tables(SimError::Store(error)) => of_store(error),
        _ => None,
    }
}
