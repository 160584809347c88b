//! Reading a job spec: TOML, overrides, and errors that name the key.

use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use super::JobSpec;
use super::error::SpecError;
use super::moved::{refuse_moved, replace_switch, replace_switches};

impl JobSpec {
    /// Reads the job file at `path` and applies `overrides`, each `KEY=VALUE` with a dotted
    /// key. A value that is not TOML is read as a string. Paths in the file are relative to its folder, those of
    /// overrides to the current one.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SpecError> {
        let text = std::fs::read_to_string(path).map_err(|source| SpecError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let mut table: Table = text.parse().map_err(|source| SpecError::NotToml {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        if let Some(folder) = path.parent() {
            resolve_paths(&mut table, folder);
        }
        let table = overridden(table, overrides)?;
        let complete = refuse_missing(&table);
        let spec = Self::from_table(table)?;
        complete.map(|()| spec)
    }

    /// Returns the defaults with `overrides`, for [`Settings::new`]: a spec without a job
    /// file, whose archive and output have empty locations.
    ///
    /// [`Settings::new`]: crate::Settings::new
    ///
    /// # Errors
    /// [`SpecError`], naming the key and what was expected.
    pub fn defaults(overrides: &[String]) -> Result<Self, SpecError> {
        Self::from_table(overridden(Table::new(), overrides)?)
    }

    fn from_table(table: Table) -> Result<Self, SpecError> {
        serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
            let section = error.path().to_string();
            let error = error.into_inner();
            let message = error.message().trim();
            // The path of serde may end at the section of an unknown field.
            let field = message.strip_prefix("unknown field `");
            let key = match field.and_then(|rest| rest.split('`').next()) {
                Some(field) if matches!(section.as_str(), "" | ".") => field.to_owned(),
                Some(field) if section != field && !section.ends_with(&format!(".{field}")) => {
                    format!("{section}.{field}")
                }
                _ => section,
            };
            SpecError::key(&key, message)
        })
    }
}

/// Returns a job file with `overrides`, and no key of old jobs.
fn overridden(mut table: Table, overrides: &[String]) -> Result<Table, SpecError> {
    replace_switches(&mut table)?;
    for text in overrides {
        apply_override(&mut table, text)?;
    }
    refuse_moved(&table)?;
    Ok(table)
}

/// Refuses a job file without the one key that has no default.
fn refuse_missing(table: &Table) -> Result<(), SpecError> {
    let (key, field) = match table.get("output").map(|output| output.get("location")) {
        None => ("output", "output"),
        Some(None) => ("output.location", "location"),
        Some(Some(_)) => return Ok(()),
    };
    Err(SpecError::key(key, format!("missing field `{field}`")))
}

/// Keys whose values are paths or URLs.
const PATHS: [(&str, &str); 8] = [
    ("archive", "location"),
    ("output", "location"),
    ("output", "language_model"),
    ("url_key", "rules"),
    ("url_key", "blocklist"),
    ("tree", "paths"),
    ("robots", "rules"),
    ("run", "spill_dir"),
];

/// Values of [`PATHS`] that do not name a file.
const NO_PATHS: [&str; 2] = ["", "none"];

/// Makes relative paths those of files below `folder`.
fn resolve_paths(table: &mut Table, folder: &Path) {
    for (section, key) in PATHS {
        let value = table
            .get_mut(section)
            .and_then(|section| section.get_mut(key));
        let Some(Value::String(text)) = value else {
            continue;
        };
        if !NO_PATHS.contains(&text.as_str()) && !text.contains("://") {
            *text = joined(folder, text).to_string_lossy().into_owned();
        }
    }
}

/// Returns `path` below `folder`, without `..` where it leads out of a folder that is named: `jobs` and `../data` are `data`.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut joined = folder.to_owned();
    for part in Path::new(path).components() {
        match (part, joined.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                joined.pop();
            }
            (Component::CurDir, _) => {}
            _ => joined.push(part),
        }
    }
    joined
}

fn apply_override(table: &mut Table, text: &str) -> Result<(), SpecError> {
    let bad = || SpecError::BadOverride {
        text: text.to_owned(),
    };
    let (key, value) = text.split_once('=').ok_or_else(bad)?;
    let key = key.trim();
    let value = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    if replace_switch(table, key, &value)? {
        return Ok(());
    }
    let mut section = table;
    let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
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
    use crate::spec::{Batching, Method};
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
    fn paths_are_relative_to_the_file_and_overrides_are_not() {
        let job = "[archive]\nlocation = '../in.parquet'\n[output]\nlocation = 's3://text/out'\n\
             [url_key]\nrules = 'none'\nblocklist = '/etc/blocklist'\n[tree]\npaths = './paths.tsv'\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jobs/job.toml");
        std::fs::create_dir(folder.path().join("jobs")).unwrap();
        std::fs::write(&file, job).unwrap();
        let spec = JobSpec::read(&file, &["robots.rules=robots".to_owned()]).unwrap();
        let below = |name: &str| folder.path().join(name).display().to_string();
        assert_eq!(spec.archive.location, below("in.parquet"));
        assert_eq!(spec.output.location, "s3://text/out");
        assert_eq!(spec.url_key.rules.as_deref(), Some("none"));
        assert_eq!(spec.url_key.blocklist.as_deref(), Some("/etc/blocklist"));
        assert_eq!(spec.tree.paths, Some(below("jobs/paths.tsv")));
        assert_eq!(spec.robots.rules.as_deref(), Some("robots"));
        let names = [
            ("jobs", "../data"),
            ("", "../data"),
            ("..", "../data"),
            ("a/b", "../../c/./d"),
        ];
        let names =
            names.map(|(folder, path)| joined(Path::new(folder), path).display().to_string());
        assert_eq!(names, ["data", "../data", "../../data", "c/d"]);
    }

    #[test]
    fn omitted_keys_have_defaults() {
        let spec = read(JOB, &[]).unwrap();
        assert_eq!(spec.method, Method::Template);
        assert_eq!(spec.window.max_pages, 10_000);
        assert_eq!(spec.choices().batching, Batching::Date);
        let paper = read(&format!("method = 'paper'\n{JOB}"), &[]).unwrap();
        assert_eq!(paper.choices().batching, Batching::Page);
    }

    #[test]
    fn a_new_spec_equals_a_file_without_options() {
        let job = "[archive]\nlocation = '/in'\n[output]\nlocation = '/out'\n";
        let new = toml::to_string(&JobSpec::new("/in", "/out")).unwrap();
        assert_eq!(new, toml::to_string(&read(job, &[]).unwrap()).unwrap());
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
                "paper.n_min=7",
                "output.write=blocks, opt_out",
            ],
        )
        .unwrap();
        assert_eq!(spec.archive.location, "s3://bucket/x");
        assert_eq!(spec.run.threads, Some(1));
        assert_eq!(spec.run.chunk_bytes, ByteSize::mb(64));
        assert_eq!(spec.archive.columns.html.as_deref(), Some("body"));
        let paper = spec.paper.unwrap();
        assert_eq!(paper.n_min, 7);
        assert_eq!(paper.heuristic, "strict");
        let list = read(JOB, &["output.write=['opt_out', 'blocks']"]).unwrap();
        assert_eq!(spec.output.write, list.output.write);
    }

    #[test]
    fn switches_of_old_jobs_are_names_of_lists() {
        let file = format!(
            "{JOB}write_blocks = true\nwrite_language = false\n[output.markdown]\nwrite = true\nlinks = true\n"
        );
        let old = read(
            &file,
            &[
                "output.write_metadata=true",
                "output.markdown.emphasis=false",
            ],
        );
        let new = read(
            JOB,
            &[
                "output.write=blocks, markdown, metadata",
                "output.markdown=links",
            ],
        );
        let (old, new) = (old.unwrap().output, new.unwrap().output);
        assert_eq!((old.write, old.markdown), (new.write, new.markdown));
    }

    #[test]
    fn errors_name_the_key_and_the_expected_value() {
        for (overrides, key, word) in [
            (
                &["paper.heuristics=strict"][..],
                "paper.heuristics",
                "batching",
            ),
            (&["method=best"], "method", "paper"),
            (&["output.write=pages"], "output.write", "blocks"),
            (&["output.write=true"], "output.write", "a list"),
            (&["tree.batching=page"], "tree.batching", "paper.batching"),
            (&["output.write_pages=true"], "output.write[0]", "blocks"),
            (
                &["output.write_blocks=3"],
                "output.write_blocks",
                "true or false",
            ),
            (&["limits.depth=9"], "limits.depth", "fixed"),
            (&["archive.columns.body=x"], "archive.columns.body", "html"),
            (&["run.threads=many"], "run.threads", "usize"),
            (&["paper.batching=week"], "paper.batching", "page"),
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
        let error = read("[archive]\n[output]", &[]).unwrap_err().to_string();
        assert!(error.starts_with("output.location: missing"), "{error}");
        let error = read("[archive", &[]).unwrap_err().to_string();
        assert!(
            error.contains("job.toml") && error.contains("line 1"),
            "{error}"
        );
        let error = read(JOB, &["nonsense"]).unwrap_err().to_string();
        assert!(error.contains("--set nonsense"), "{error}");
    }
}
