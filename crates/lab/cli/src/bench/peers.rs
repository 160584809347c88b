//! Other extractors on the same pages, run through the adapters of the evaluation.

use serde_json::Value;

use super::job::Jobs;
use super::pages::Archive;
use super::runs::Program;
use super::table::table;

/// An extractor with its CPU time per page.
pub(crate) struct Peer {
    name: String,
    version: String,
    seconds: f64,
}

/// Runs the extractors on the pages of an archive with gold texts. Without gold texts the
/// result is empty.
pub(crate) fn measure(archive: &Archive, names: &str) -> Vec<Peer> {
    let gold = archive.path.to_string_lossy();
    let arguments = ["--gold", &gold, "--peers", names, "--format", "json"];
    let run = Program::this().and_then(|lab| lab.run("eval", &arguments));
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            tracing::warn!("SKIPPED {names}: {error}");
            return Vec::new();
        }
    };
    let peer = |row: &Value| {
        Some(Peer {
            name: row["extractor"].as_str()?.to_owned(),
            version: row["version"].as_str().unwrap_or_default().to_owned(),
            seconds: row["cpu_ms"].as_f64()? / 1e3,
        })
    };
    run.lines.iter().filter_map(peer).collect()
}

pub(crate) fn markdown(peers: &[Peer], archive: &Archive, jobs: &Jobs) -> String {
    let bytes = archive.html_bytes as f64 / archive.pages as f64;
    let ours = jobs.cpu_seconds() / archive.pages as f64;
    let row = |name: String, seconds: f64| {
        vec![
            name,
            format!("{:.2}", seconds * 1e3),
            format!("{:.1}", bytes / 1e6 / seconds),
            format!("{:.1}", seconds / ours),
        ]
    };
    let first = row("urltree, the whole job".to_owned(), ours);
    let others = peers
        .iter()
        .map(|peer| row(format!("{} {}", peer.name, peer.version), peer.seconds));
    let head = ["one core", "ms a page", "MB/s", "x the job"];
    table(&head, std::iter::once(first).chain(others))
}
