//! Keys of old job files: switches that are names of lists now are read, and for others an old job says what
//! to change.

use toml::{Table, Value};

use super::error::SpecError;

/// A key, and what to write instead.
const MOVED: &[(&str, &str)] = &[
    ("tree.heuristic", PAPER),
    ("tree.n_min", PAPER),
    ("tree.c_max", PAPER),
    ("tree.batching", PAPER),
    ("blocks.split", PAPER),
    ("blocks.joining", PAPER),
    ("dedup.queries", PAPER),
    ("dedup.lookback", PAPER),
    ("url_key.scheme", PAPER),
    ("url_key.title", PAPER),
    ("url_key.rules_need_parameters", PAPER),
    ("store.retry_timeout", FIXED),
    ("limits.path_segments", FIXED),
    ("limits.tag_bytes", FIXED),
    ("limits.attributes_per_tag", FIXED),
    ("limits.blocks", FIXED),
    ("limits.block_chars", FIXED),
    ("limits.depth", FIXED),
];

/// The last part of the key is a key of `[paper]`.
const PAPER: &str = "paper";
/// The default cannot be changed.
const FIXED: &str = "fixed";

/// Refuses a job file or an override that has an old key.
pub(super) fn refuse_moved(table: &Table) -> Result<(), SpecError> {
    match MOVED.iter().find(|(key, _)| has(table, key)) {
        Some((key, now)) => Err(SpecError::key(key, remedy(key, now))),
        None => Ok(()),
    }
}

fn has(table: &Table, key: &str) -> bool {
    match key.split_once('.') {
        None => table.contains_key(key),
        Some((section, rest)) => {
            let section = table.get(section).and_then(|section| section.as_table());
            section.is_some_and(|section| has(section, rest))
        }
    }
}

fn remedy(key: &str, now: &str) -> String {
    let (_, last) = key.rsplit_once('.').unwrap_or(("", key));
    match now {
        PAPER => format!(
            "the default method decides it itself now; remove it, or set method = \"paper\" and \
             paper.{last}"
        ),
        _ => "this limit is fixed now; remove it".to_owned(),
    }
}

/// A list of `[output]`, and a name in it.
pub(super) struct Listed<'k> {
    list: &'static str,
    name: &'k str,
}

impl<'k> Listed<'k> {
    /// Returns what an old switch has become: `output.write_blocks`, `output.markdown.links`.
    pub(super) fn of(key: &'k str) -> Option<Self> {
        let key = key.strip_prefix("output.")?;
        let (list, name) = match key.strip_prefix("markdown.") {
            Some("write") => ("write", "markdown"),
            Some(name) => ("markdown", name),
            None => ("write", key.strip_prefix("write_")?),
        };
        Some(Self { list, name })
    }

    /// Adds the name to its list, or removes it. Returns false if `value` is neither true nor false.
    pub(super) fn set(&self, table: &mut Table, value: &Value) -> bool {
        let output = table
            .entry("output")
            .or_insert_with(|| Value::Table(Table::new()));
        let (Some(output), Some(is_set)) = (output.as_table_mut(), value.as_bool()) else {
            return false;
        };
        let name = Value::String(self.name.to_owned());
        let default = match self.list {
            "markdown" => vec![Value::String("emphasis".to_owned())],
            _ => Vec::new(),
        };
        let list = output.entry(self.list).or_insert(Value::Array(default));
        if let Value::String(names) = list {
            let names = names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            let names = names.map(|name| Value::String(name.to_owned()));
            *list = Value::Array(names.collect());
        }
        let Some(names) = list.as_array_mut() else {
            return false;
        };
        names.retain(|known| *known != name);
        if is_set {
            names.push(name);
        }
        true
    }
}

/// Replaces the old switches of a job file. Returns the key of one that is neither true nor false.
pub(super) fn replace_switches(table: &mut Table) -> Result<(), SpecError> {
    let Some(output) = table.get_mut("output").and_then(Value::as_table_mut) else {
        return Ok(());
    };
    let mut old: Vec<(String, Value)> = Vec::new();
    if output.get("markdown").is_some_and(Value::is_table)
        && let Some(Value::Table(switches)) = output.remove("markdown")
    {
        let of_markdown = |(name, value)| (format!("output.markdown.{name}"), value);
        old.extend(switches.into_iter().map(of_markdown));
    }
    let written: Vec<String> = output
        .keys()
        .filter(|key| key.starts_with("write_"))
        .cloned()
        .collect();
    for key in written {
        let value = output.remove(&key);
        old.extend(value.map(|value| (format!("output.{key}"), value)));
    }
    for (key, value) in old {
        if !Listed::of(&key).is_some_and(|listed| listed.set(table, &value)) {
            return Err(SpecError::key(&key, "expected true or false"));
        }
    }
    Ok(())
}
