//! The digest of the settings that decide rows.
//!
//! Tables are the state that a run starts from, so a run refuses tables that were written with
//! other settings: their digest in `runs` differs. The digest is a format on disk, and these
//! rules keep it readable by every later version:
//!
//! - It has the settings of [`deciding`] and no others. A key of a job is in that list or is
//!   named there as deciding no row, or the crate does not compile.
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

use md5::{Digest, Md5};
use serde_json::{Value, json};
use template::marks::Marks;
use url_key::KeyOptions;

use crate::spec::{
    ArchiveSpec, ColumnNames, DedupSpec, DomainSpec, JobSpec, LimitsSpec, PaperSpec, TreeSpec,
    UrlKeySpec, WindowSpec,
};

/// Version of the rules by which the digest is computed.
const VERSION: &str = "v1";

/// A setting that decides rows.
struct Setting {
    key: &'static str,
    value: Value,
    /// The value that adds nothing to the digest.
    baseline: Value,
}

fn setting(key: &'static str, value: impl Into<Value>, baseline: impl Into<Value>) -> Setting {
    Setting {
        key,
        value: value.into(),
        baseline: baseline.into(),
    }
}

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
    let mut settings = deciding(spec, rules, blocklist);
    settings.sort_unstable_by_key(|setting| setting.key);
    let lines = settings
        .iter()
        .filter(|setting| setting.value != setting.baseline)
        .map(|setting| format!("{} = {}\n", setting.key, setting.value));
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

/// Returns the settings that decide rows. Patterns name every key of a job, so that a new key
/// does not compile until it is here or is marked as deciding no row.
fn deciding(spec: &JobSpec, rules: &str, blocklist: &str) -> Vec<Setting> {
    let JobSpec {
        // Both decide `choices`, which are below.
        method: _,
        paper: _,
        archive,
        // The tables that are written, their place and partitions. Tables with other partitions
        // or columns are refused by `TableError::Layout`. `blocks`, `links`,
        // `site_blocks`, Markdown, metadata,
        // languages, signals and signatures are not read by later runs, so they may begin or end with any
        // date.
        output: _,
        url_key,
        domain,
        dedup,
        tree,
        window,
        limits,
        // Read by queries only.
        robots: _,
        // Resources of a run.
        run: _,
        // Retries of requests.
        store: _,
    } = spec;
    let ArchiveSpec {
        location: _,
        // Names the folder of a date and changes no row in it.
        layout: _,
        // Refuses pages whose time cannot be, and changes no other.
        dates: _,
        columns,
    } = archive;
    let UrlKeySpec {
        rules: _,
        blocklist: _,
    } = url_key;
    let DomainSpec {
        grouping,
        extra_suffixes,
    } = domain;
    let DedupSpec { revisions } = dedup;
    let TreeSpec {
        relabel_days,
        // Its marks are the second part of the digest.
        paths: _,
    } = tree;
    let PaperSpec {
        heuristic,
        n_min,
        c_max,
        batching,
        split,
        joining,
        queries,
        lookback,
        scheme,
        title,
        rules_need_parameters,
    } = &*spec.choices();
    let WindowSpec {
        max_pages,
        max_age,
        min_pages,
    } = window;
    let mut settings = vec![
        setting("url_key.title", json!(title), "auto"),
        setting("url_key.rules", in_order(rules), Vec::<Value>::new()),
        setting(
            "url_key.rules_need_parameters",
            *rules_need_parameters,
            true,
        ),
        setting("url_key.blocklist", as_set(blocklist), Vec::<Value>::new()),
        setting("url_key.scheme", json!(scheme), "merge"),
        setting("domain.grouping", json!(grouping), "registrable"),
        setting(
            "domain.extra_suffixes",
            sorted(extra_suffixes.iter().map(String::as_str).collect()),
            Vec::<Value>::new(),
        ),
        setting("dedup.queries", json!(queries), "learn"),
        setting("dedup.lookback", lookback.as_str(), "all"),
        setting("dedup.revisions", *revisions, false),
        setting("blocks.split", json!(split), "html"),
        setting("blocks.joining", json!(joining), "tight"),
        setting("tree.heuristic", heuristic.as_str(), "template"),
        setting("tree.batching", json!(batching), "date"),
        setting("tree.relabel_days", *relabel_days, 0),
        setting("tree.n_min", *n_min, 5),
        setting("tree.c_max", *c_max, 1),
        setting("window.max_pages", *max_pages, 10_000),
        // As text, because a number of JSON has 64 bits.
        setting(
            "window.max_age",
            format!("{} ns", max_age.as_nanos()),
            "1209600000000000 ns",
        ),
        setting("window.min_pages", *min_pages, 100),
    ];
    settings.extend(column_settings(columns));
    settings.extend(limit_settings(limits));
    settings
}

/// Returns the names of the archive's columns. A name that equals the default is the default.
fn column_settings(columns: &ColumnNames) -> [Setting; 8] {
    let ColumnNames {
        fetched_at,
        url,
        html,
        request_url,
        title,
        content_type,
        http_charset,
        http_status,
        // They decide `documents.opt_out`, which no later run reads.
        x_robots_tag: _,
        tdm_reservation: _,
    } = columns;
    let named = |key, name: &Option<String>, default: &str| {
        setting(key, name.as_deref().unwrap_or(default), default)
    };
    [
        named("archive.columns.fetched_at", fetched_at, "fetched_at"),
        named("archive.columns.url", url, "url"),
        named("archive.columns.html", html, "html"),
        named("archive.columns.request_url", request_url, "request_url"),
        named("archive.columns.title", title, "title"),
        named("archive.columns.content_type", content_type, "content_type"),
        named("archive.columns.http_charset", http_charset, "http_charset"),
        named("archive.columns.http_status", http_status, "http_status"),
    ]
}

fn limit_settings(limits: &LimitsSpec) -> [Setting; 2] {
    let LimitsSpec {
        url_bytes,
        page_bytes,
    } = limits;
    let of_url = KeyOptions::default().max_url_bytes;
    let of_page = html_blocks::PageLimits::default().page_bytes as u64;
    let page_bytes = page_bytes.map_or(of_page, |size| size.as_u64());
    [
        setting("limits.url_bytes", url_bytes.unwrap_or(of_url), 8192),
        setting("limits.page_bytes", page_bytes, 10_485_760),
    ]
}

/// Returns the entries of a rule file, of which the first that applies wins.
fn in_order(file: &str) -> Vec<Value> {
    url_key::entries(file)
        .map(|(_, entry)| json!(entry))
        .collect()
}

/// Returns the entries of a file whose order is without meaning.
fn as_set(file: &str) -> Vec<Value> {
    sorted(url_key::entries(file).map(|(_, entry)| entry).collect())
}

fn sorted(mut entries: Vec<&str>) -> Vec<Value> {
    entries.sort_unstable();
    entries.dedup();
    entries.into_iter().map(Value::from).collect()
}

/// Returns the MD5 of `bytes` as 32 hex digits.
pub(crate) fn md5_hex(bytes: &[u8]) -> String {
    hex::encode(Md5::digest(bytes))
}

#[cfg(test)]
mod tests;
