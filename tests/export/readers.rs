//! Exports that other tools read.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use super::{FORMATS, exported, job, lines};
use crate::support::{python, repository};

#[test]
fn datatrove_hugging_face_and_warcio_read_the_exported_documents() {
    let packages = "datasets, datatrove, duckdb, fastwarc, orjson, pyarrow, warcio, zstandard";
    let Some(python) = python(packages) else {
        return;
    };
    let job = job();
    let mut folders = Vec::new();
    for format in FORMATS.into_iter().chain(["fineweb"]) {
        let words = ["--shard-size", "60KB"];
        folders.push(exported(&job, format, format, &words).display().to_string());
    }
    let output = Command::new(python)
        .arg(repository().join("tests/elsewhere/exported.py"))
        .args(&folders)
        .env("HF_HUB_OFFLINE", "1")
        .env("HF_HOME", job.path("hugging-face"))
        .output()
        .expect("the interpreter can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let read: BTreeMap<String, Vec<Value>> =
        serde_json::from_slice(&output.stdout).expect("a JSON object");
    let readers: Vec<&String> = read.keys().collect();
    assert_eq!(readers.len(), 17, "{readers:?}");
    let documents = lines(&job.path("jsonl"));
    for (reader, found) in &read {
        assert_eq!(found.len(), documents.len(), "{reader}");
        for (found, document) in found.iter().zip(&documents) {
            for field in ["text", "url"] {
                assert_eq!(found[field], document[field], "{reader}: {field}");
            }
            if reader.starts_with("warc") {
                continue;
            }
            assert_eq!(found["id"], document["id"], "{reader}");
            if reader.ends_with("fineweb") {
                let (found, expected) = (&found["metadata"], &document["metadata"]);
                assert_eq!(found["language"], expected["language"], "{reader}");
                assert_eq!(found["dump"], "urltree", "{reader}");
                continue;
            }
            for field in ["domain", "title", "content_chars", "warnings"] {
                let expected = &document["metadata"][field];
                assert_eq!(&found["metadata"][field], expected, "{reader}: {field}");
            }
        }
    }
}
