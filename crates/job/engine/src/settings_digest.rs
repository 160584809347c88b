//! The digest of the settings that decide rows.
//!
//! Tables are the state that a run starts from, so a run refuses tables that were written with
//! other settings: their digest in `runs` differs. The digest is a format on disk, and these
//! rules keep it readable by every later version:
//!
//! - It has the settings of [`baselines`] and no others. A test names every key of a job, and fails
//!   until a new one is there or is known to decide no row.
//! - Each setting has a baseline, and a setting that has its baseline adds nothing. The baseline
//!   of a key is the value with which rows are as they were before the key existed. So a new key
//!   leaves the digest of every old table as it is.
//! - A baseline never changes. If a later version has another default, jobs without the key have
//!   another digest than before, because their rows differ.
//! - A setting is in the digest by its meaning: `'10 MiB'` and `10485760` are equal, and a rule
//!   file counts by its rules, without comments and blank lines.
//! - Marks of DOM paths (`tree.paths`) decide labels and nothing that a later run reads. Their MD5
//!   is separate, after a `+`: a program can tell that only the marks of a table are others.
//!   Without marks there is no such part.
//! - A key that is renamed keeps its first name here: what `[paper]` chooses was in `[tree]`, `[dedup]`
//!   and others before, and is in the digest with what the default method chooses.
//! - A change to these rules, or to how a value is written, gets another [`VERSION`]. The version
//!   is the start of the digest, so that a later program can compute the digest of an old table.

use html_blocks::PageLimits;
use md5::{Digest, Md5};
use serde_json::{Value, json};
use template::marks::Marks;
use url_key::KeyOptions;

use crate::spec::JobSpec;

/// Version of the rules by which the digest is computed.
const VERSION: &str = "v1";

/// Returns the digest of `spec`, such as `v1:d41d8cd98f00b204e9800998ecf8427e`: the version, and
/// the MD5 of a line per setting without its baseline, ordered by key. `rules` and `blocklist`
/// are the contents of the files that `spec` names. If there are `marks`, a `+` and the MD5 of a line per
/// mark, ordered by domain and path, follow.
pub(crate) fn settings_digest(
    spec: &JobSpec,
    rules: &str,
    blocklist: &str,
    marks: &Marks,
) -> String {
    let mut settings = baselines();
    settings.sort_unstable_by_key(|(key, _)| *key);
    let value = values(spec, rules, blocklist);
    let lines = settings.into_iter().filter_map(|(key, baseline)| {
        let value = value(key);
        (value != baseline).then(|| format!("{key} = {value}\n"))
    });
    let text: String = lines.collect();
    let marked: String = (marks.iter())
        .map(|(domain, path, label)| format!("{domain}\t{path}\t{label}\n"))
        .collect();
    let digest = format!("{VERSION}:{}", md5_hex(text.as_bytes()));
    if marked.is_empty() {
        digest
    } else {
        format!("{digest}{MARKS}{}", md5_hex(marked.as_bytes()))
    }
}

/// Separates the digest of the marks from that of all other settings.
const MARKS: char = '+';

/// Returns a digest of settings, such as the column `settings_digest` of `runs`, without that of the marks.
pub fn without_marks(digest: &str) -> &str {
    digest.split_once(MARKS).map_or(digest, |(rest, _)| rest)
}

/// Returns the first names of the settings that decide rows, with their baselines.
///
/// Of `[archive]` it has the names of columns. `layout` names the folder of a date and changes no row in it, `dates`
/// refuses pages and changes no other, and the columns of robots directives decide `documents.opt_out`, which no
/// later run reads. Nothing of `[output]` is there: tables with other partitions or columns are refused by
/// `TableError::Layout`, and what `output.write` adds is not read by later runs, so it may begin or end with any date.
/// `[robots]` is read by queries only, and `[run]` and `[store]` are resources of a run.
fn baselines() -> [(&'static str, Value); 30] {
    [
        ("url_key.title", json!("auto")),
        ("url_key.rules", json!([])),
        ("url_key.rules_need_parameters", json!(true)),
        ("url_key.blocklist", json!([])),
        ("url_key.scheme", json!("merge")),
        ("domain.grouping", json!("registrable")),
        ("domain.extra_suffixes", json!([])),
        ("dedup.queries", json!("learn")),
        ("dedup.lookback", json!("all")),
        ("dedup.revisions", json!(false)),
        ("blocks.split", json!("html")),
        ("blocks.joining", json!("tight")),
        ("tree.heuristic", json!("template")),
        ("tree.batching", json!("date")),
        ("tree.relabel_days", json!(0)),
        ("tree.n_min", json!(5)),
        ("tree.c_max", json!(1)),
        ("window.max_pages", json!(10_000)),
        ("window.max_age", json!("1209600000000000 ns")),
        ("window.min_pages", json!(100)),
        ("archive.columns.fetched_at", json!("fetched_at")),
        ("archive.columns.url", json!("url")),
        ("archive.columns.html", json!("html")),
        ("archive.columns.request_url", json!("request_url")),
        ("archive.columns.title", json!("title")),
        ("archive.columns.content_type", json!("content_type")),
        ("archive.columns.http_charset", json!("http_charset")),
        ("archive.columns.http_status", json!("http_status")),
        ("limits.url_bytes", json!(8192)),
        ("limits.page_bytes", json!(10_485_760)),
    ]
}

/// Returns the values of the settings of a job by their first names.
fn values(spec: &JobSpec, rules: &str, blocklist: &str) -> impl Fn(&str) -> Value {
    let choices = json!(spec.choices());
    let job = json!({
        "archive": {"columns": spec.archive.columns},
        "domain": spec.domain,
        "dedup": spec.dedup,
        "tree": spec.tree,
        "window": spec.window,
    });
    let suffixes = spec.domain.extra_suffixes.iter().map(String::as_str);
    let url_bytes = spec.limits.url_bytes;
    let page_bytes = spec.limits.page_bytes.map(|size| size.as_u64());
    let meant = [
        ("url_key.rules", in_order(rules)),
        ("url_key.blocklist", as_set(blocklist)),
        ("domain.extra_suffixes", sorted(suffixes.collect())),
        // As text, because a number of JSON has 64 bits.
        (
            "window.max_age",
            json!(format!("{} ns", spec.window.max_age.as_nanos())),
        ),
        (
            "limits.url_bytes",
            json!(url_bytes.unwrap_or(KeyOptions::default().max_url_bytes)),
        ),
        (
            "limits.page_bytes",
            json!(page_bytes.unwrap_or(PageLimits::default().page_bytes as u64)),
        ),
    ];
    move |key| {
        if let Some((_, value)) = meant.iter().find(|(other, _)| *other == key) {
            return value.clone();
        }
        let (_, name) = key.rsplit_once('.').unwrap_or(("", key));
        match job.pointer(&format!("/{}", key.replace('.', "/"))) {
            // A column has the name of its key.
            Some(Value::Null) => json!(name),
            Some(value) => value.clone(),
            // It is a key of `[paper]` now, or a choice of the default method.
            None => choices[name].clone(),
        }
    }
}

/// Returns the entries of a rule file, of which the first that applies wins.
fn in_order(file: &str) -> Value {
    url_key::entries(file).map(|(_, entry)| entry).collect()
}

/// Returns the entries of a file whose order is without meaning.
fn as_set(file: &str) -> Value {
    sorted(url_key::entries(file).map(|(_, entry)| entry).collect())
}

fn sorted(mut entries: Vec<&str>) -> Value {
    entries.sort_unstable();
    entries.dedup();
    json!(entries)
}

/// Returns the MD5 of `bytes` as 32 hex digits.
pub(crate) fn md5_hex(bytes: &[u8]) -> String {
    hex::encode(Md5::digest(bytes))
}

#[cfg(test)]
mod tests;
