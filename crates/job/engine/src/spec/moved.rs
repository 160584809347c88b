//! Keys of old job files: switches that are names of lists now are read, and for others an old job says what
//! to change.

use toml::{Table, Value};

use super::error::SpecError;

/// Sections and keys that are keys of `[paper]` now.
const OF_PAPER: [(&str, &str); 11] = [
    ("tree", "heuristic"),
    ("tree", "n_min"),
    ("tree", "c_max"),
    ("tree", "batching"),
    ("blocks", "split"),
    ("blocks", "joining"),
    ("dedup", "queries"),
    ("dedup", "lookback"),
    ("url_key", "scheme"),
    ("url_key", "title"),
    ("url_key", "rules_need_parameters"),
];

/// Sections and keys whose defaults cannot be changed.
const FIXED: [(&str, &str); 7] = [
    ("store", "retry_timeout"),
    ("limits", "path_segments"),
    ("limits", "tag_bytes"),
    ("limits", "attributes_per_tag"),
    ("limits", "blocks"),
    ("limits", "block_chars"),
    ("limits", "depth"),
];

/// Refuses a job file or an override that has an old key.
pub(super) fn refuse_moved(table: &Table) -> Result<(), SpecError> {
    let is_there = |(section, key): &&(&str, &str)| {
        let section = table.get(*section);
        section.is_some_and(|section| section.get(key).is_some())
    };
    if let Some((section, key)) = OF_PAPER.iter().find(is_there) {
        let expected = format!(
            "the default method decides it itself now; remove it, or set method = \"paper\" and \
             paper.{key}"
        );
        return Err(SpecError::key(&format!("{section}.{key}"), expected));
    }
    match FIXED.iter().find(is_there) {
        Some((section, key)) => {
            let expected = "this limit is fixed now; remove it";
            Err(SpecError::key(&format!("{section}.{key}"), expected))
        }
        None => Ok(()),
    }
}

/// Reads an old switch, such as `output.write_blocks` or `output.markdown.links`: adds the name to its list, or
/// removes it. Returns false if the key is no such switch.
pub(super) fn replace_switch(
    table: &mut Table,
    key: &str,
    value: &Value,
) -> Result<bool, SpecError> {
    let switch = key.strip_prefix("output.").unwrap_or_default();
    let (list, name) = match (
        switch.strip_prefix("markdown."),
        switch.strip_prefix("write_"),
    ) {
        (Some("write"), _) => ("write", "markdown"),
        (Some(name), _) => ("markdown", name),
        (None, Some(name)) => ("write", name),
        (None, None) => return Ok(false),
    };
    let refused = || SpecError::key(key, "expected true or false");
    let is_set = value.as_bool().ok_or_else(refused)?;
    let output = table
        .entry("output")
        .or_insert_with(|| Value::Table(Table::new()));
    let output = output.as_table_mut().ok_or_else(refused)?;
    let text = |name: &str| Value::String(name.to_owned());
    let mut names = match output.remove(list) {
        None if list == "markdown" => vec![text("emphasis")],
        None => Vec::new(),
        Some(Value::String(names)) => {
            let names = names.split(',').map(str::trim);
            names.filter(|name| !name.is_empty()).map(text).collect()
        }
        Some(Value::Array(names)) => names,
        Some(_) => return Err(refused()),
    };
    names.retain(|known| *known != text(name));
    if is_set {
        names.push(text(name));
    }
    output.insert(list.to_owned(), Value::Array(names));
    Ok(true)
}

/// Replaces the old switches of a job file. Returns the key of one that is neither true nor false.
pub(super) fn replace_switches(table: &mut Table) -> Result<(), SpecError> {
    let Some(output) = table.get_mut("output").and_then(Value::as_table_mut) else {
        return Ok(());
    };
    let mut old: Vec<(String, Value)> = Vec::new();
    output.retain(|key, value| match value {
        Value::Table(switches) if key == "markdown" => {
            let of_markdown = |(name, value)| (format!("output.markdown.{name}"), value);
            old.extend(std::mem::take(switches).into_iter().map(of_markdown));
            false
        }
        value if key.starts_with("write_") => {
            old.push((format!("output.{key}"), value.clone()));
            false
        }
        _ => true,
    });
    for (key, value) in old {
        replace_switch(table, &key, &value)?;
    }
    Ok(())
}
