//! Reading a job spec: TOML, overrides, and errors that name the key.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::JobSpec;
use crate::{Classified, ErrorClass};

/// An error of a job spec.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The file cannot be opened.
    #[error("cannot open the job file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("the job file {} is not TOML: {source}", path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// The line and the cause.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// An override has no `=`, or its key is below a value that is not a section.
    #[error("--set {text}: expected KEY=VALUE with a key such as tree.heuristic")]
    BadOverride {
        /// The override.
        text: String,
    },
    /// A key is unknown or missing, or its value is invalid.
    #[error("{key}: {expected}")]
    Key {
        /// The key, in dotted form.
        key: String,
        /// The value that was found and the value that is expected.
        expected: String,
    },
}

impl SpecError {
    pub(crate) fn key(key: &str, expected: impl Into<String>) -> Self {
        Self::Key {
            key: key.to_owned(),
            expected: expected.into(),
        }
    }
}

impl Classified for SpecError {
    fn class(&self) -> ErrorClass {
        ErrorClass::Usage
    }

    fn is_retryable(&self) -> bool {
        false
    }
}

impl JobSpec {
    /// Reads the job file at `path` and applies `overrides`, each `KEY=VALUE` with a dotted
    /// key. A value that is not TOML is read as a string.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SpecError> {
        let text = std::fs::read_to_string(path).map_err(|source| SpecError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let table: Table = text.parse().map_err(|source| SpecError::NotToml {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        Self::from_table(table, overrides)
    }

    /// Returns the defaults with `overrides`, for [`Settings::new`]: a spec without a job
    /// file, whose archive and output have empty locations.
    ///
    /// [`Settings::new`]: crate::Settings::new
    ///
    /// # Errors
    /// [`SpecError`], naming the key and what was expected.
    pub fn defaults(overrides: &[String]) -> Result<Self, SpecError> {
        let location = || {
            let empty = ("location".to_owned(), Value::String(String::new()));
            Value::Table(Table::from_iter([empty]))
        };
        let sections = ["archive", "output"].map(|name| (name.to_owned(), location()));
        Self::from_table(Table::from_iter(sections), overrides)
    }

    fn from_table(mut table: Table, overrides: &[String]) -> Result<Self, SpecError> {
        for text in overrides {
            apply_override(&mut table, text)?;
        }
        serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
            let key = error.path().to_string();
            let expected = error.into_inner().to_string();
            Self::key_error(&key, expected.trim())
        })
    }

    /// Makes the error of the key that `message` names. For an unknown or missing field, the
    /// path of serde ends at `section`.
    fn key_error(section: &str, message: &str) -> SpecError {
        let field = ["unknown field `", "missing field `"]
            .iter()
            .find_map(|start| message.strip_prefix(start)?.split('`').next());
        let key = match (section, field) {
            ("" | ".", Some(field)) => field.to_owned(),
            (section, Some(field))
                if section != field && !section.ends_with(&format!(".{field}")) =>
            {
                format!("{section}.{field}")
            }
            (section, _) => section.to_owned(),
        };
        SpecError::key(&key, message)
    }
}

fn apply_override(table: &mut Table, text: &str) -> Result<(), SpecError> {
    let bad = || SpecError::BadOverride {
        text: text.to_owned(),
    };
    let (key, value) = text.split_once('=').ok_or_else(bad)?;
    let value = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    let mut section = table;
    let (path, last) = match key.trim().rsplit_once('.') {
        Some((path, last)) => (path, last),
        None => ("", key.trim()),
    };
    for name in path.split('.').filter(|name| !name.is_empty()) {
        section = section
            .entry(name)
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()
            .ok_or_else(bad)?;
    }
    if last.is_empty() {
        return Err(bad());
    }
    section.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Batching;
    use bytesize::ByteSize;

    const JOB: &str = "[archive]\nlocation = 'in'\n[output]\nlocation = 'out'\n";

    fn read(text: &str, overrides: &[&str]) -> Result<JobSpec, SpecError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.toml");
        std::fs::write(&path, text).unwrap();
        let overrides: Vec<_> = overrides.iter().map(ToString::to_string).collect();
        JobSpec::read(&path, &overrides)
    }

    #[test]
    fn omitted_keys_have_defaults() {
        let spec = read(JOB, &[]).unwrap();
        assert_eq!(spec.tree.heuristic, "template");
        assert_eq!(spec.window.max_pages, 10_000);
        assert_eq!(spec.dedup.lookback, "all");
        assert_eq!(spec.tree.batching, Batching::Date);
    }

    #[test]
    fn a_new_spec_equals_a_file_without_options() {
        let new = toml::to_string(&JobSpec::new("in", "out")).unwrap();
        assert_eq!(new, toml::to_string(&read(JOB, &[]).unwrap()).unwrap());
    }

    #[test]
    fn overrides_reach_any_key_and_keep_their_type() {
        let spec = read(
            JOB,
            &[
                "archive.location=s3://bucket/x",
                "run.threads=1",
                "run.chunk_bytes=64MB",
                "window.max_pages=5",
                "archive.columns.html=body",
                "domain.extra_suffixes=['go.com']",
            ],
        )
        .unwrap();
        assert_eq!(spec.archive.location, "s3://bucket/x");
        assert_eq!(spec.run.threads, Some(1));
        assert_eq!(spec.run.chunk_bytes, ByteSize::mb(64));
        assert_eq!(spec.archive.columns.html.as_deref(), Some("body"));
        assert_eq!(spec.domain.extra_suffixes, ["go.com"]);
    }

    #[test]
    fn errors_name_the_key_and_the_expected_value() {
        for (overrides, key, word) in [
            (
                &["tree.heuristics=strict"][..],
                "tree.heuristics",
                "batching",
            ),
            (&["archive.columns.body=x"], "archive.columns.body", "html"),
            (&["run.threads=many"], "run.threads", "usize"),
            (&["tree.batching=week"], "tree.batching", "page"),
            (&["speed.fast=true"], "speed", "archive"),
            (&["run.heartbeat=10"], "run.heartbeat", "30s"),
            (&["window.max_age=soon"], "window.max_age", "14d"),
            (&["run.chunk_bytes=lots"], "run.chunk_bytes", "lots"),
            (&["run.memory_limit=32EB"], "run.memory_limit", "8 EiB"),
            (&["limits.page_bytes=16EiB"], "limits.page_bytes", "8 EiB"),
        ] {
            let error = read(JOB, overrides).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{key}: ")) && error.contains(word),
                "{overrides:?}: {error}"
            );
        }
        let error = read("[archive]\n[output]\nlocation='o'", &[])
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("archive.location: missing"), "{error}");
        let error = read("[archive", &[]).unwrap_err().to_string();
        assert!(
            error.contains("job.toml") && error.contains("line 1"),
            "{error}"
        );
        let error = read(JOB, &["nonsense"]).unwrap_err().to_string();
        assert!(error.contains("--set nonsense"), "{error}");
    }
}
