//! The state of an import, in the archive.
//!
//! `_index/NAME.json` says that the import NAME has begun, whether it is finished, and what it has used of the budgets. Each
//! commit is a manifest `_imports/NAME-REQUEST.json` with the outcomes of its records. It is written after the objects of the
//! commit, so what it does not name is of a call that was killed.

use std::collections::{BTreeMap, BTreeSet};

use crawl_index::{Plan, Progress, Spent};
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectMeta;
use serde::{Deserialize, Serialize};
use tables::Location;

use crate::error::ImportError;
use crate::inputs::{REQUESTS_AT_A_TIME, objects};
use crate::manifest::{self, Manifest};
use crate::store;

/// The folder of states.
const FOLDER: &str = "_index";

/// The content of the object of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    /// Digest of the plan.
    plan: String,
    is_finished: bool,
    /// The budget that is used, by host.
    spent: BTreeMap<String, Spent>,
}

/// An import by an index, and what is done of it.
#[derive(Debug)]
pub(crate) struct State {
    output: Location,
    content: Content,
    pub(crate) name: String,
    pub(crate) progress: Progress,
    /// The manifests of commits, by name.
    pub(crate) manifests: BTreeMap<String, Manifest>,
}

impl State {
    /// Reads the state of the import of `plan`, and deletes what is not committed.
    pub(crate) async fn open(output: &Location, plan: &Plan) -> Result<Self, ImportError> {
        let digest = plan.digest();
        let name = format!("index-{}", &digest[..16]);
        let own = object(&name);
        let mut content = Content {
            plan: digest,
            is_finished: false,
            spent: BTreeMap::new(),
        };
        let mut is_begun = false;
        for meta in objects(&output.child(FOLDER)).await? {
            let at = output.listed(&meta.location);
            let found = serde_json::from_slice(&store::read(&at, "read").await?);
            let found: Content = found.map_err(|source| ImportError::Manifest {
                object: at.to_string(),
                source,
            })?;
            if found.plan == content.plan {
                is_begun = true;
                content = found;
            } else if !found.is_finished {
                let object = at.to_string();
                return Err(ImportError::OtherPlan { object });
            }
        }
        let manifests = manifests(output, &name).await?;
        let lines = manifests
            .values()
            .map(|manifest| manifest.progress.as_str());
        let text = Progress::new(plan).text() + &lines.collect::<String>();
        let progress = Progress::read(&text, plan).map_err(|source| ImportError::Outcomes {
            import: name.clone(),
            source,
        })?;
        let state = Self {
            output: output.clone(),
            content,
            name,
            progress,
            manifests,
        };
        if is_begun && !state.content.is_finished {
            state.clean().await?;
        }
        if !is_begun {
            state.write(&own).await?;
        }
        Ok(state)
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.content.is_finished
    }

    pub(crate) fn spent(&self) -> &BTreeMap<String, Spent> {
        &self.content.spent
    }

    /// Notes the budget that is used, before it is.
    pub(crate) async fn spend(
        &mut self,
        spent: BTreeMap<String, Spent>,
    ) -> Result<(), ImportError> {
        self.content.spent = spent;
        self.write(&object(&self.name)).await
    }

    /// Notes that all records have an outcome.
    pub(crate) async fn finish(
        &mut self,
        spent: BTreeMap<String, Spent>,
    ) -> Result<(), ImportError> {
        self.content.is_finished = true;
        self.spend(spent).await
    }

    async fn write(&self, object: &str) -> Result<(), ImportError> {
        let bytes = serde_json::to_vec_pretty(&self.content);
        let bytes = bytes.map_err(|source| ImportError::Manifest {
            object: format!("{}/{object}", self.output),
            source,
        })?;
        store::put(&self.output, object, bytes).await
    }

    /// Deletes the objects of commits that have no manifest.
    async fn clean(&self) -> Result<(), ImportError> {
        let pages: BTreeSet<&str> = (self.manifests.values())
            .flat_map(|manifest| manifest.objects.iter().map(String::as_str))
            .collect();
        for meta in objects(&self.output).await? {
            let Some(object) = self.output.relative(&meta.location) else {
                continue;
            };
            let Some(commit) = commit(&self.name, &meta, ".parquet") else {
                continue;
            };
            let is_page = object.starts_with("date=");
            let is_committed = self.manifests.contains_key(&commit);
            if !is_committed || (is_page && !pages.contains(object.as_str())) {
                store::delete(&self.output, &object).await?;
            }
        }
        Ok(())
    }
}

fn object(name: &str) -> String {
    format!("{FOLDER}/{name}.json")
}

/// The commit of the import `name` that an object is of.
fn commit(name: &str, meta: &ObjectMeta, end: &str) -> Option<String> {
    let commit = meta.location.filename()?.strip_suffix(end)?;
    let is_own = commit.strip_prefix(name)?.starts_with('-');
    is_own.then(|| commit.to_owned())
}

/// The manifests of the import `name`.
async fn manifests(
    output: &Location,
    name: &str,
) -> Result<BTreeMap<String, Manifest>, ImportError> {
    let found = objects(&output.child("_imports")).await?;
    let commits = found.iter().filter_map(|meta| commit(name, meta, ".json"));
    let read = commits.map(|commit| async move {
        let manifest = manifest::read(output, &commit).await?;
        Ok::<_, ImportError>(manifest.map(|manifest| (commit, manifest)))
    });
    let read = futures::stream::iter(read).buffered(REQUESTS_AT_A_TIME);
    Ok((read.try_collect::<Vec<_>>().await?)
        .into_iter()
        .flatten()
        .collect())
}
