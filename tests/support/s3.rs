//! An S3 server in this process, a job that uses it, and checks that its secrets do
//! not leak.

use std::path::{Path, PathBuf};

use servers::{Faults, KeyPair, Server};
use tempfile::TempDir;

use super::{Finished, Job, Row, write};

pub(crate) const KEYS: KeyPair<'_> = KeyPair {
    id: "PLANTEDKEYID",
    secret: "planted/secret",
};
pub(crate) const TOKEN: &str = "planted-session-token";

/// An S3 store with the archive `s3://pages/crawl` and an empty bucket `text`.
pub(crate) struct Store {
    root: TempDir,
    pub(crate) server: Server,
}

impl Store {
    /// The archive has one file, `a.parquet`.
    pub(crate) fn new(rows: &[Row]) -> Self {
        let root = buckets();
        write(&root.path().join("pages/crawl/a.parquet"), rows);
        let server = Server::s3(root.path(), KEYS).expect("a server");
        Self { root, server }
    }

    /// A store with an empty archive, whose requests fail as `faults` says.
    pub(crate) fn failing(faults: Faults) -> Self {
        let root = buckets();
        let server = Server::failing_s3(root.path(), KEYS, faults).expect("a server");
        Self { root, server }
    }

    /// Another server of the same buckets, whose requests fail as `faults` says.
    pub(crate) fn failing_server(&self, faults: Faults) -> Server {
        Server::failing_s3(self.root.path(), KEYS, faults).expect("a server")
    }

    /// A job that reads from `pages` and writes to `text`.
    pub(crate) fn job(&self) -> Job {
        let job = Job::new().with("archive.location=s3://pages/crawl");
        signing(job, &self.server, KEYS.secret).writing("s3://text/tables", self.tables())
    }

    pub(crate) fn tables(&self) -> PathBuf {
        self.root.path().join("text/tables")
    }

    /// Path of an archive file on this machine.
    pub(crate) fn archive(&self, file: &str) -> PathBuf {
        self.root.path().join("pages/crawl").join(file)
    }

    /// Number of requests with this method whose path contains both parts.
    pub(crate) fn asked(&self, method: &str, parts: [&str; 2]) -> usize {
        let requests = self.server.requests();
        let fits = |request: &&String| {
            request.starts_with(method) && parts.iter().all(|part| request.contains(part))
        };
        requests.iter().filter(fits).count()
    }
}

fn buckets() -> TempDir {
    let root = tempfile::tempdir().expect("a folder for the buckets");
    for bucket in ["text", "pages"] {
        std::fs::create_dir(root.path().join(bucket)).expect("a bucket");
    }
    root
}

/// The job with credentials for `server`: the known key id and this secret.
pub(crate) fn signing(job: Job, server: &Server, secret: &str) -> Job {
    let variables = credentials(server, secret).into_iter();
    variables.fold(job, |job, (name, value)| job.with_variable(name, value))
}

/// The environment variables of a process that uses `server`.
pub(crate) fn credentials(server: &Server, secret: &str) -> [(&'static str, String); 4] {
    [
        ("AWS_ENDPOINT_URL", format!("http://{}", server.address())),
        ("AWS_ACCESS_KEY_ID", KEYS.id.to_owned()),
        ("AWS_SECRET_ACCESS_KEY", secret.to_owned()),
        ("AWS_SESSION_TOKEN", TOKEN.to_owned()),
    ]
}

/// Every file in a folder and in the folders below it.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Asserts that none of the planted secrets is in `bytes`.
pub(crate) fn assert_no_secret(what: &str, bytes: &[u8]) {
    for secret in [KEYS.id, KEYS.secret, TOKEN] {
        let found = bytes
            .windows(secret.len())
            .position(|window| window == secret.as_bytes());
        if let Some(at) = found {
            let around = &bytes[at.saturating_sub(300)..bytes.len().min(at + 100)];
            panic!("{secret} is in {what}: {}", String::from_utf8_lossy(around));
        }
    }
}

/// Asserts that none of the planted secrets was printed.
pub(crate) fn assert_silent(what: &str, finished: &Finished) {
    assert_no_secret(&format!("stdout of {what}"), finished.stdout.as_bytes());
    assert_no_secret(&format!("stderr of {what}"), finished.stderr.as_bytes());
}
