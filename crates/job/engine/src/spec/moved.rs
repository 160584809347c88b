//! Keys of job files of 0.2 that have another name now, so that an old job says what to change.

use toml::Table;

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
    ("output.write_blocks", WRITE),
    ("output.write_metadata", WRITE),
    ("output.write_language", WRITE),
    ("output.write_signals", WRITE),
    ("output.write_minhash", WRITE),
    ("output.write_opt_out", WRITE),
    ("output.markdown.write", WRITE),
    ("output.markdown.emphasis", MARKDOWN),
    ("output.markdown.links", MARKDOWN),
    ("output.markdown.images", MARKDOWN),
    ("limits.path_segments", FIXED),
    ("limits.tag_bytes", FIXED),
    ("limits.attributes_per_tag", FIXED),
    ("limits.blocks", FIXED),
    ("limits.block_chars", FIXED),
    ("limits.depth", FIXED),
];

/// The last part of the key is a key of `[paper]`.
const PAPER: &str = "paper";
/// The last part of the key is a name in `output.write`.
const WRITE: &str = "write";
/// The last part of the key is a name in `output.markdown`.
const MARKDOWN: &str = "markdown";
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
    let (section, last) = key.rsplit_once('.').unwrap_or(("", key));
    match now {
        PAPER => format!(
            "the default method decides it itself now; remove it, or set method = \"paper\" and \
             paper.{last}"
        ),
        WRITE => {
            let name = match last {
                "write" => section.trim_start_matches("output."),
                _ => last.trim_start_matches("write_"),
            };
            format!("it is a list now; expected write = [\"{name}\"] in [output]")
        }
        MARKDOWN => format!("it is a list now; expected markdown = [\"{last}\"] in [output]"),
        _ => "this limit is fixed now; remove it".to_owned(),
    }
}
