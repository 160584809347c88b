//! Which crate may know which: the arrows of `ARCHITECTURE.md`, read from what
//! cargo would build.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::repository;

/// Crates that decide what a page is.
const CORE: [&str; 5] = [
    "urltree-url-key",
    "urltree-html-blocks",
    "urltree-url-tree",
    "urltree-template",
    "urltree-url-parameters",
];
/// Language, signals and near duplicates of a text, and robots.txt. It reads a text alone.
const TEXT: &str = "urltree-text";
/// Crates that observe a page while its blocks are built.
const OBSERVERS: [&str; 2] = ["urltree-markdown", "urltree-metadata"];
/// Joins URL keys, the tree and the template: the rules that a job and an evaluation share.
const REPLAY: &str = "urltree-site-replay";
/// A domain in memory: the replay with its parser, for programs that have their pages in hand.
const SITE_TEXT: &str = "urltree-site-text";
/// The Python package: the command, a site in memory and runs of a job.
const PYTHON: &str = "urltree-python";
/// Crates that measure what was extracted.
const MEASURING: [&str; 4] = [
    "urltree-scoring",
    "urltree-extractors",
    "urltree-gold",
    "urltree-charts",
];
const EVALUATION: &str = "urltree-evaluation";
const SAMPLE: &str = "urltree-sample";
/// Ends panics of parsers. Every crate with a foreign parser may know it.
const BOUNDARY: &str = "urltree-boundary";
/// Leases, fencing and the order of commits.
const LEASE: &str = "urltree-lease";
const TABLES: &str = "urltree-tables";
/// Reads WARC files. Pure, as the crates of the core are.
const WARC: &str = "urltree-warc";
/// Reads feeds and decides what a poll does. Pure too.
const FEEDS: &str = "urltree-feeds";
/// Reads indexes of crawls, plans requests and checks answers. Pure too.
const CRAWL_INDEX: &str = "urltree-crawl-index";
const IMPORT: &str = "urltree-import";
/// Sends requests.
const FETCH: &str = "urltree-fetch";
/// Writes documents for other tools.
const EXPORT: &str = "urltree-export";
/// Pages of HTML about a job.
const REPORT: &str = "urltree-report";
/// Answers requests for these pages.
const SERVE: &str = "urltree-serve";
const ENGINE: &str = "urltree-engine";
/// Answers questions about the tables of a job.
const QUERY: &str = "urltree-query";
const CLUSTER: &str = "urltree-cluster";
const BINARY: &str = "urltree";
/// The program that measures, and benchmarks.
const LAB: &str = "urltree-lab";

/// The workspace as `cargo metadata` describes it.
struct Workspace {
    /// The members by name.
    members: BTreeMap<String, Value>,
    /// Names of packages by id.
    names: BTreeMap<String, String>,
    /// Ids of the packages each package is built with, tests not counted.
    dependencies: BTreeMap<String, Vec<String>>,
}

fn workspace() -> Workspace {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        // Leaves out dependencies of other platforms, such as those of a clock in wasm.
        .args(["--filter-platform", &host()])
        .current_dir(repository())
        .output()
        .expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let members: BTreeSet<&str> = texts(&metadata["workspace_members"]).collect();
    let packages = list(&metadata["packages"]);
    let names = packages
        .iter()
        .map(|package| (text(&package["id"]), text(&package["name"])));
    let is_member = |package: &&Value| members.contains(text(&package["id"]).as_str());
    Workspace {
        names: names.collect(),
        members: (packages.iter().filter(is_member))
            .map(|package| (text(&package["name"]), package.clone()))
            .collect(),
        dependencies: list(&metadata["resolve"]["nodes"])
            .iter()
            .map(|node| (text(&node["id"]), built_with(node)))
            .collect(),
    }
}

/// The platform this is built on, such as `x86_64-unknown-linux-gnu`.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output();
    let said = String::from_utf8(output.expect("rustc can be started").stdout);
    let said = said.expect("rustc says UTF-8");
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

fn built_with(node: &Value) -> Vec<String> {
    let built = |dependency: &&Value| {
        let kinds = list(&dependency["dep_kinds"]);
        kinds.iter().any(|kind| kind["kind"] != "dev")
    };
    (list(&node["deps"]).iter().filter(built))
        .map(|dependency| text(&dependency["pkg"]))
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value).iter().filter_map(Value::as_str)
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

impl Workspace {
    /// Names of what a member depends on directly.
    fn direct(&self, member: &str) -> BTreeSet<&str> {
        let id = text(&self.members[member]["id"]);
        (self.dependencies[&id].iter())
            .map(|id| self.names[id].as_str())
            .collect()
    }

    /// Names of everything a member is built with.
    fn transitive(&self, member: &str) -> BTreeSet<&str> {
        let mut open = vec![text(&self.members[member]["id"])];
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            for dependency in &self.dependencies[&id] {
                if seen.insert(self.names[dependency].as_str()) {
                    open.push(dependency.clone());
                }
            }
        }
        seen
    }

    /// The members among what a member depends on, without [`BOUNDARY`].
    fn arrows(&self, member: &str) -> BTreeSet<&str> {
        let mut arrows = self.direct(member);
        arrows.retain(|name| self.members.contains_key(*name) && *name != BOUNDARY);
        arrows
    }
}

#[test]
fn pure_crates_know_at_most_each_other_and_neither_threads_nor_columns() {
    let workspace = workspace();
    let pure = CORE.into_iter().chain([TEXT]).chain(OBSERVERS);
    for member in pure.chain(MEASURING) {
        let expected: &[&str] = match member {
            _ if OBSERVERS.contains(&member) => &["urltree-html-blocks"],
            // Its ids are those of the tree's interner.
            "urltree-template" => &["urltree-url-tree"],
            // Compares pages that differ in parts of their URLs.
            "urltree-url-parameters" => &["urltree-html-blocks", "urltree-url-key"],
            _ => &[],
        };
        let expected = expected.iter().copied().collect();
        assert_eq!(workspace.arrows(member), expected, "{member}");
        let heavy = |name: &&str| {
            [
                "tokio",
                "arrow",
                "parquet",
                "datafusion",
                "deltalake",
                "object_store",
                "futures",
            ]
            .iter()
            .any(|family| name.split(['-', '_']).next() == family.split('_').next())
        };
        let built_with = workspace.transitive(member);
        assert!(built_with.len() >= 3, "{member}: {built_with:?}");
        let heavy: Vec<_> = built_with.into_iter().filter(heavy).collect();
        assert_eq!(heavy, Vec::<&str>::new(), "{member}");
    }
}

#[test]
fn a_replay_knows_keys_parameters_the_tree_and_the_template() {
    let workspace = workspace();
    // Of html-blocks, the options of a site's settings.
    let expected = BTreeSet::from([
        "urltree-html-blocks",
        "urltree-template",
        "urltree-url-key",
        "urltree-url-parameters",
        "urltree-url-tree",
    ]);
    assert_eq!(workspace.arrows(REPLAY), expected);
    let built_with = workspace.transitive(REPLAY);
    // The URL keys need tables of Unicode and regular expressions, the blocks those of charsets.
    let needed = ["urltree-url-key", "urltree-html-blocks"].map(|of| workspace.transitive(of));
    let is_own = |name: &&_| needed.iter().all(|needed| !needed.contains(*name));
    assert!(
        built_with.iter().filter(is_own).count() < 20,
        "{built_with:?}"
    );
}

#[test]
fn a_site_in_memory_knows_the_core_and_no_engine() {
    let workspace = workspace();
    let pure = CORE.into_iter().chain(OBSERVERS);
    let expected = pure.chain([REPLAY, TEXT]);
    assert_eq!(workspace.arrows(SITE_TEXT), expected.collect());
    let built_with = workspace.transitive(SITE_TEXT);
    for name in ["tokio", "arrow", "parquet", "object_store", "pyo3"] {
        assert!(!built_with.contains(name), "{name}");
    }
}

#[test]
fn only_the_python_package_knows_python_and_it_is_a_thin_layer() {
    let workspace = workspace();
    for member in workspace.members.keys() {
        let knows = workspace.direct(member).contains("pyo3");
        assert_eq!(knows, member == PYTHON, "{member}");
    }
    let of_pages = [
        "urltree-html-blocks",
        "urltree-markdown",
        "urltree-metadata",
        "urltree-url-key",
    ];
    let own = [BINARY, ENGINE, SITE_TEXT, TABLES];
    let expected = of_pages.into_iter().chain(own).collect();
    assert_eq!(workspace.arrows(PYTHON), expected);
}

#[test]
fn the_boundary_knows_nothing() {
    let workspace = workspace();
    let built_with = workspace.transitive(BOUNDARY);
    let built_with = built_with.into_iter();
    let members: Vec<_> = built_with
        .filter(|name| workspace.members.contains_key(*name))
        .collect();
    assert_eq!(members, Vec::<&str>::new());
}

#[test]
fn tables_know_the_lease_and_no_engine() {
    let workspace = workspace();
    assert_eq!(workspace.arrows(TABLES), BTreeSet::from([LEASE]));
    let direct = workspace.direct(TABLES);
    let engines: Vec<_> = direct
        .iter()
        .filter(|name| name.starts_with("datafusion"))
        .collect();
    assert_eq!(engines, Vec::<&&str>::new());
    assert!(direct.contains("deltalake"), "{direct:?}");
}

/// So ten thousand interleavings are compiled and run in a minute.
#[test]
fn a_lease_knows_stores_and_neither_tables_nor_columns() {
    let workspace = workspace();
    assert_eq!(workspace.arrows(LEASE), BTreeSet::new());
    let built_with = workspace.transitive(LEASE);
    assert!(built_with.contains("object_store"), "{built_with:?}");
    for name in ["arrow", "parquet", "deltalake", "datafusion"] {
        assert!(!built_with.contains(name), "{name}");
    }
}

#[test]
fn the_engine_stands_on_the_pure_crates_the_tables_and_the_reader_of_archives() {
    let workspace = workspace();
    let own = [IMPORT, LEASE, REPLAY, TABLES, TEXT];
    let pure = CORE.into_iter().chain(OBSERVERS);
    let expected = pure.chain(own).collect();
    assert_eq!(workspace.arrows(ENGINE), expected);
    assert!(workspace.direct(ENGINE).contains("datafusion"));
}

/// A run and its workers need no code for questions about the tables.
#[test]
fn queries_know_the_engine_and_the_engine_no_queries() {
    let workspace = workspace();
    let of_pages = [
        "urltree-template",
        "urltree-url-key",
        "urltree-url-parameters",
        "urltree-url-tree",
    ];
    let expected = of_pages.into_iter().chain([ENGINE, REPLAY, TABLES, TEXT]);
    assert_eq!(workspace.arrows(QUERY), expected.collect());
    for member in [ENGINE, CLUSTER] {
        let built_with = workspace.transitive(member);
        assert!(!built_with.contains(QUERY), "{member}");
    }
    let tests = list(&workspace.members[ENGINE]["dependencies"]).iter();
    let in_tests = tests.map(|dependency| text(&dependency["name"]));
    assert!(!in_tests.collect::<Vec<_>>().contains(&QUERY.to_owned()));
}

/// The distributed engine can be exchanged: one crate knows it.
#[test]
fn only_the_cluster_knows_the_distributed_engine() {
    let workspace = workspace();
    let knows = |member: &&String| workspace.direct(member).contains("datafusion-distributed");
    let known: Vec<&String> = workspace.members.keys().filter(knows).collect();
    assert_eq!(known, [CLUSTER]);
    let expected = BTreeSet::from([ENGINE]);
    assert_eq!(workspace.arrows(CLUSTER), expected);
}

/// An evaluation measures the texts of any tool, so it needs no engine.
#[test]
fn the_evaluation_knows_files_and_no_engine() {
    let workspace = workspace();
    let own = [REPLAY];
    let expected = CORE.into_iter().chain(MEASURING).chain(own).collect();
    assert_eq!(workspace.arrows(EVALUATION), expected);
    let built_with = workspace.transitive(EVALUATION);
    for engine in ["datafusion", "deltalake"] {
        assert!(!built_with.contains(engine), "{engine}");
    }
    let direct = workspace.direct(EVALUATION);
    assert!(
        direct.contains("parquet") && !direct.contains("tokio"),
        "{direct:?}"
    );
}

/// A reader of files from outside needs no runtime, no columns and no crate of ours.
#[test]
fn the_readers_of_warc_files_feeds_and_texts_are_pure() {
    let workspace = workspace();
    for reader in [WARC, FEEDS, TEXT] {
        assert_eq!(workspace.arrows(reader), BTreeSet::new());
        let built_with = workspace.transitive(reader);
        for name in ["tokio", "arrow", "parquet", "object_store", "reqwest"] {
            assert!(!built_with.contains(name), "{reader}: {name}");
        }
    }
}

/// Tests replay its decisions without a network.
#[test]
fn an_index_of_a_crawl_knows_keys_records_and_waits_and_is_pure() {
    let workspace = workspace();
    let expected = BTreeSet::from([FEEDS, WARC, "urltree-url-key"]);
    assert_eq!(workspace.arrows(CRAWL_INDEX), expected);
    let built_with = workspace.transitive(CRAWL_INDEX);
    for name in ["tokio", "arrow", "parquet", "object_store", "reqwest"] {
        assert!(!built_with.contains(name), "{name}");
    }
}

#[test]
fn an_import_knows_files_and_stores_and_no_engine() {
    let workspace = workspace();
    let expected = BTreeSet::from([CRAWL_INDEX, WARC, TABLES, "urltree-url-key"]);
    assert_eq!(workspace.arrows(IMPORT), expected);
    let direct = workspace.direct(IMPORT);
    assert!(!direct.contains("datafusion"), "{direct:?}");
}

/// Archives that were ordered by another list of suffixes have other sites.
#[test]
fn the_rules_of_domains_name_the_list_of_suffixes() {
    let workspace = workspace();
    let named = (workspace.names.iter()).find(|(_, name)| *name == "psl");
    let (_, version) = (named.and_then(|(id, _)| id.rsplit_once('@'))).expect("psl");
    let rules = url_key::Keyer::default().domain_rules();
    assert!(rules.starts_with(&format!("psl {version},")), "{rules}");
}

#[test]
fn an_export_knows_columns_and_stores_and_no_engine() {
    let workspace = workspace();
    let expected = BTreeSet::from([TEXT, TABLES]);
    assert_eq!(workspace.arrows(EXPORT), expected);
    let direct = workspace.direct(EXPORT);
    assert!(!direct.contains("datafusion"), "{direct:?}");
}

#[test]
fn a_report_is_a_function_of_data() {
    let workspace = workspace();
    assert_eq!(workspace.arrows(REPORT), BTreeSet::new());
    let built_with = workspace.transitive(REPORT);
    for name in ["tokio", "arrow", "parquet", "object_store", "datafusion"] {
        assert!(!built_with.contains(name), "{name}");
    }
}

/// A program brings the pages, so the crate reads no table.
#[test]
fn a_server_of_pages_knows_neither_tables_nor_columns() {
    let workspace = workspace();
    let expected = BTreeSet::from([REPORT]);
    assert_eq!(workspace.arrows(SERVE), expected);
    let built_with = workspace.transitive(SERVE);
    for name in ["arrow", "parquet", "object_store", "datafusion", "reqwest"] {
        assert!(!built_with.contains(name), "{name}");
    }
}

#[test]
fn a_fetch_decides_in_the_reader_of_feeds_and_writes_as_an_import_does() {
    let workspace = workspace();
    let expected = BTreeSet::from([FEEDS, IMPORT, WARC, TABLES, TEXT]);
    assert_eq!(workspace.arrows(FETCH), expected);
    for member in workspace.members.keys() {
        let sends = workspace.direct(member).contains("reqwest");
        // An import by an index needs the status, the range and `Retry-After` of an answer, which stores hide.
        assert_eq!(
            sends,
            [FETCH, IMPORT].contains(&member.as_str()),
            "{member}"
        );
    }
}

/// The wings of `crates/`: what a page's text is, ways into archives, what moves rows, what measures.
#[test]
fn arrows_between_wings_go_to_the_core() {
    let workspace = workspace();
    let wing = |member: &str| {
        let manifest = text(&workspace.members[member]["manifest_path"]);
        let wings = ["core", "archive", "job", "lab"];
        wings
            .into_iter()
            .find(|wing| manifest.contains(&format!("/crates/{wing}/")))
    };
    for member in workspace.members.keys() {
        let arrows = workspace.arrows(member).into_iter().filter_map(wing);
        let arrows: BTreeSet<_> = arrows.collect();
        if wing(member) == Some("core") {
            assert!(
                arrows.is_subset(&BTreeSet::from(["core"])),
                "{member}: {arrows:?}"
            );
        }
        if wing(member) == Some("archive") {
            assert!(!arrows.contains("lab"), "{member}: {arrows:?}");
            let of_jobs = workspace.arrows(member);
            for rows in [ENGINE, QUERY] {
                assert!(!of_jobs.contains(rows), "{member}: {of_jobs:?}");
            }
        }
        if wing(member) == Some("job") {
            assert!(!arrows.contains("lab"), "{member}: {arrows:?}");
        }
    }
}

/// The laboratory knows the product, and the product nothing of the laboratory.
#[test]
fn the_product_links_nothing_that_measures() {
    let workspace = workspace();
    let manifest = |member: &str| text(&workspace.members[member]["manifest_path"]);
    let is_of_lab = |member: &&str| {
        workspace.members.contains_key(*member) && manifest(member).contains("/crates/lab/")
    };
    for product in [BINARY, PYTHON] {
        let linked = workspace.transitive(product);
        assert!(linked.contains(ENGINE), "{product}");
        let of_lab: Vec<_> = linked.into_iter().filter(is_of_lab).collect();
        assert_eq!(of_lab, Vec::<&str>::new(), "{product}");
    }
    let measures = workspace.arrows(LAB);
    for member in MEASURING.into_iter().chain([EVALUATION, SAMPLE]) {
        assert!(
            member == "urltree-charts" || measures.contains(member),
            "{member}"
        );
    }
}

/// Without its feature `archive`, the sample is pure; with it, it knows how tables lie.
#[test]
fn the_sample_needs_columns_to_write_files_only() {
    let workspace = workspace();
    let package = &workspace.members[SAMPLE];
    let always: BTreeSet<String> = (list(&package["dependencies"]).iter())
        .filter(|dependency| dependency["optional"] == false && dependency["kind"].is_null())
        .map(|dependency| text(&dependency["name"]))
        .collect();
    let expected = ["chrono", "encoding_rs", "md-5", "rand_pcg"];
    assert_eq!(always, expected.map(str::to_owned).into());
    assert_eq!(workspace.arrows(SAMPLE), BTreeSet::from([TABLES]));
}

#[test]
fn only_binaries_read_arguments_and_wrap_errors() {
    let workspace = workspace();
    for member in workspace.members.keys() {
        let direct = workspace.direct(member);
        for dependency in ["anyhow", "clap"] {
            assert_eq!(
                direct.contains(dependency),
                [BINARY, LAB, SAMPLE].contains(&member.as_str()),
                "{member}: {dependency}"
            );
        }
        // The command of the Python package is that of the binary.
        let on_binary = workspace.arrows(member).contains(BINARY);
        assert_eq!(
            on_binary,
            member == PYTHON,
            "{member} depends on the binary"
        );
    }
    assert!(!workspace.direct(BINARY).contains("datafusion"));
}

#[test]
fn all_crates_share_version_edition_and_lints() {
    let workspace = workspace();
    assert!(workspace.members.len() >= 8);
    let binary = &workspace.members[BINARY];
    for (name, package) in &workspace.members {
        for key in ["version", "edition", "rust_version", "license", "publish"] {
            assert_eq!(package[key], binary[key], "{name}: {key}");
        }
        let manifest = text(&package["manifest_path"]);
        let manifest =
            std::fs::read_to_string(Path::new(&manifest)).expect("the manifest is there");
        assert!(
            manifest.contains("[lints]\nworkspace = true\n"),
            "{name}: [lints]"
        );
    }
}
