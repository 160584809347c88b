//! Commits: rows are staged, the state is created, rows are published.

use std::fs::File;

use chrono::NaiveDate;
use futures::TryStreamExt;
use import::output::{Spool, TemporaryFolder, delete, path, put_file};
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutMode};
use tables::{Location, fail_point};
use uuid::Uuid;

use crate::error::FetchError;
use crate::rows::{self, FailedRow, Page};
use crate::state_file::{self, States};

const FOLDER: &str = "_feeds";
const STAGED: &str = "_feeds/staged";
/// Where failures are published. Pages are in the folders of their dates.
const FAILURES: &str = "_feeds/failures";

/// The rows of a commit.
pub(crate) struct Rows {
    pub(crate) pages: Vec<Page>,
    pub(crate) failures: Vec<FailedRow>,
    pub(crate) spool: Spool,
}

fn failed(
    doing: &'static str,
    folder: &Location,
    name: impl std::fmt::Display,
) -> impl Fn(object_store::Error) -> FetchError {
    let object = format!("{folder}/{name}");
    move |source| FetchError::Store {
        doing,
        object: object.clone(),
        source,
    }
}

fn state_name(version: u64) -> String {
    format!("{FOLDER}/state-{version:010}.parquet")
}

/// The staged name of the rows for `folder`. All staged objects are in one folder: an empty folder would
/// stay on a disk for each commit.
fn staged_name(staged: &str, folder: &str) -> String {
    let folder = folder.rsplit('/').next().unwrap_or_default();
    format!("{STAGED}/{staged},{folder}")
}

/// The folder in which staged rows are published, from the end of their name.
fn published_folder(name: &str) -> &str {
    match FAILURES.ends_with(name) {
        true => FAILURES,
        false => name,
    }
}

/// Reads the last state, and publishes its rows if the process that committed it could not.
pub(crate) async fn open(output: &Location) -> Result<States, FetchError> {
    let versions = versions(output).await?;
    let Some(version) = versions.iter().max().copied() else {
        return Ok(States::default());
    };
    let name = state_name(version);
    let failed = failed("read", output, &name);
    let found = output.store().get(&path(output, &name)).await;
    let bytes = found.map_err(&failed)?.bytes().await.map_err(&failed)?;
    let states = state_file::decode(version, bytes).map_err(|error| FetchError::State {
        object: format!("{output}/{name}"),
        problem: error.to_string(),
    })?;
    publish(output, &states).await?;
    clean(output, &states, &versions).await?;
    Ok(states)
}

/// The numbers of the states.
async fn versions(output: &Location) -> Result<Vec<u64>, FetchError> {
    let version = |name: &str| {
        let name = name.strip_prefix("state-")?.strip_suffix(".parquet")?;
        name.parse().ok()
    };
    let folder = path(output, FOLDER);
    let listed = output.store().list_with_delimiter(Some(&folder)).await;
    let objects = listed.map_err(failed("list", output, FOLDER))?.objects;
    let names = objects
        .iter()
        .filter_map(|object| object.location.filename());
    Ok(names.filter_map(version).collect())
}

/// Commits `rows` with `states`, whose version is that of the commit before. Returns the dates of the rows.
pub(crate) async fn commit(
    output: &Location,
    states: &mut States,
    rows: Rows,
    folder: &TemporaryFolder,
) -> Result<Vec<NaiveDate>, FetchError> {
    let version = states.version + 1;
    let staged = format!("{version:010}-{}", Uuid::new_v4().simple());
    let (files, dates) = files(rows, folder.clone()).await?;
    for (name, file) in files {
        let name = staged_name(&staged, &name);
        put_file(output, &name, "a poll of feeds", file).await?;
        fail_point(format_args!("fetch.staged"));
    }
    let committed = States {
        version,
        staged: Some(staged),
        feeds: std::mem::take(&mut states.feeds),
    };
    let bytes = state_file::encode(&committed)?;
    let name = state_name(version);
    fail_point(format_args!("fetch.state"));
    let at = path(output, &name);
    let put = output
        .store()
        .put_opts(&at, bytes.into(), PutMode::Create.into());
    let conflict = || FetchError::Conflict {
        object: format!("{output}/{name}"),
    };
    match put.await {
        Ok(_) => {}
        Err(object_store::Error::AlreadyExists { .. }) => return Err(conflict()),
        Err(error) => return Err(failed("write", output, &name)(error)),
    }
    *states = committed;
    fail_point(format_args!("fetch.committed"));
    // Another process may have committed this version and later ones, and deleted this one.
    let versions = versions(output).await?;
    if versions.iter().any(|other| *other > version) {
        return Err(conflict());
    }
    publish(output, states).await?;
    clean(output, states, &versions).await?;
    Ok(dates)
}

/// The folders and the content of the objects of a commit, and the dates of its pages.
type Files = (Vec<(String, File)>, Vec<NaiveDate>);

async fn files(rows: Rows, folder: TemporaryFolder) -> Result<Files, FetchError> {
    let encoded = tokio::task::spawn_blocking(move || -> Result<Files, FetchError> {
        let Rows {
            mut pages,
            failures,
            spool,
        } = rows;
        let bodies = spool
            .finish()
            .map_err(parquet::errors::ParquetError::from)?;
        pages.sort_by(|a, b| (a.fetched_at, &a.url).cmp(&(b.fetched_at, &b.url)));
        let (mut files, mut dates) = (Vec::new(), Vec::new());
        let date = |page: &Page| page.fetched_at.date_naive();
        for pages in pages.chunk_by(|a, b| date(a) == date(b)) {
            let date = date(&pages[0]);
            let file = rows::pages(pages, &bodies, &folder)?;
            files.push((format!("date={date}"), file));
            dates.push(date);
        }
        if !failures.is_empty() {
            let file = rows::failures(&failures, &folder)?;
            files.push((FAILURES.to_owned(), file));
        }
        Ok((files, dates))
    });
    encoded.await.map_err(|_| FetchError::Task)?
}

/// The objects below a folder of the output, with their names below that folder.
async fn below(output: &Location, folder: &str) -> Result<Vec<(Path, String)>, FetchError> {
    let root = path(output, folder);
    let listed = output.store().list(Some(&root)).try_collect::<Vec<_>>();
    let listed = listed.await.map_err(failed("list", output, folder))?;
    let name = |object: &Path| -> Option<String> {
        let parts: Vec<_> = object.prefix_match(&root)?.collect();
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        Some(parts.join("/"))
    };
    let objects = listed.into_iter().map(|object| object.location);
    Ok(objects
        .filter_map(|object| name(&object).map(|name| (object, name)))
        .collect())
}

/// Copies the staged rows of a commit to their names, and deletes them. Does nothing for a commit whose
/// rows are published.
async fn publish(output: &Location, states: &States) -> Result<(), FetchError> {
    let Some(staged) = &states.staged else {
        return Ok(());
    };
    for (object, name) in below(output, STAGED).await? {
        let Some(folder) = name.strip_prefix(&format!("{staged},")) else {
            continue;
        };
        let folder = published_folder(folder);
        let published = format!("{folder}/feeds-{:010}.parquet", states.version);
        // The object has its name already if the process was killed after its copy. A disk would copy it
        // to itself, and leave a link.
        let target = path(output, &published);
        match output.store().head(&target).await {
            Ok(_) => {}
            Err(object_store::Error::NotFound { .. }) => {
                let copied = output.store().copy(&object, &target).await;
                copied.map_err(failed("write", output, &published))?;
            }
            Err(error) => return Err(failed("read", output, &published)(error)),
        }
        fail_point(format_args!("fetch.published"));
        delete(output, &format!("{STAGED}/{name}")).await?;
    }
    Ok(())
}

/// Deletes earlier states, and staged rows that can never be committed: those of this version and earlier
/// ones. A process that runs may have staged the rows of the next version.
async fn clean(output: &Location, states: &States, versions: &[u64]) -> Result<(), FetchError> {
    for version in versions.iter().filter(|version| **version < states.version) {
        delete(output, &state_name(*version)).await?;
    }
    for (_, name) in below(output, STAGED).await? {
        let version = name
            .split('-')
            .next()
            .and_then(|version| version.parse().ok());
        if version.is_some_and(|version: u64| version <= states.version) {
            delete(output, &format!("{STAGED}/{name}")).await?;
        }
    }
    Ok(())
}
