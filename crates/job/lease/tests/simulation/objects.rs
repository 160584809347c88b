//! The objects of the store, and the requests that read and change them.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;

/// An object and the time of its last write.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) bytes: Bytes,
    /// Microseconds since the start of the simulation.
    pub(crate) modified: u64,
}

/// The objects by path.
#[derive(Debug, Default)]
pub(crate) struct Objects(pub(crate) BTreeMap<String, Object>);

/// A request to the store.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    Put {
        path: String,
        bytes: Bytes,
        if_absent: bool,
    },
    Get(String),
    /// The objects below a folder, with paths after another one.
    List {
        folder: String,
        after: Option<String>,
    },
    Delete(String),
}

/// The answer to a request that arrived.
#[derive(Debug)]
pub(crate) enum Answer {
    Done,
    Exists,
    Missing,
    Object(Object),
    /// Path, size and time of each object.
    List(Vec<(String, u64, u64)>),
}

impl Request {
    /// The path that the request is about.
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Put { path, .. } | Self::Get(path) | Self::Delete(path) => path,
            Self::List { folder, .. } => folder,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Put {
                if_absent: true, ..
            } => "create",
            Self::Put { .. } => "put",
            Self::Get(_) => "get",
            Self::List { .. } => "list",
            Self::Delete(_) => "delete",
        }
    }

    /// Whether the request changes an object.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self, Self::Put { .. } | Self::Delete(_))
    }
}

impl Objects {
    /// Does what the request asks.
    pub(crate) fn apply(&mut self, request: &Request, now: u64) -> Answer {
        match request {
            Request::Put {
                path,
                bytes,
                if_absent,
            } => {
                if *if_absent && self.0.contains_key(path) {
                    return Answer::Exists;
                }
                let object = Object {
                    bytes: bytes.clone(),
                    modified: now,
                };
                self.0.insert(path.clone(), object);
                Answer::Done
            }
            Request::Get(path) => match self.0.get(path) {
                Some(object) => Answer::Object(object.clone()),
                None => Answer::Missing,
            },
            Request::List { folder, after } => {
                let folder = format!("{folder}/");
                let after = after.as_ref().unwrap_or(&folder).as_str();
                let below = (Bound::Excluded(after), Bound::Unbounded);
                let listed = self.0.range::<str, _>(below);
                let listed = listed.take_while(|(path, _)| path.starts_with(&folder));
                let entry = |(path, object): (&String, &Object)| {
                    (path.clone(), object.bytes.len() as u64, object.modified)
                };
                Answer::List(listed.map(entry).collect())
            }
            Request::Delete(path) => match self.0.remove(path) {
                Some(_) => Answer::Done,
                None => Answer::Missing,
            },
        }
    }
}
