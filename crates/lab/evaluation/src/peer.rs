//! Extractors of other projects, each in a separate process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Fetched, GoldSet, InputError, Kind, Text, Texts};

/// The extractors of a file such as `tests/peers/peers.toml`.
#[derive(Clone, Debug, Deserialize)]
pub struct Peers {
    /// The extractors, in the order of the file.
    #[serde(rename = "peer")]
    pub peers: Vec<Peer>,
}

/// An extractor that an adapter runs. `tests/peers/README.md` defines the protocol.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Peer {
    /// Its name, such as `trafilatura-fast`.
    pub name: String,
    /// The adapter and its arguments.
    pub command: Vec<String>,
}

/// A failure of an adapter.
#[derive(Debug, Error)]
pub enum PeerError {
    /// The adapter cannot be started.
    #[error("{peer}: {} cannot be started: {source}", command.join(" "))]
    Start {
        /// The extractor.
        peer: String,
        /// The command.
        command: Vec<String>,
        /// The cause.
        source: std::io::Error,
    },
    /// The adapter broke the protocol, or ended before its last answer.
    #[error("{peer}: {problem}")]
    Protocol {
        /// The extractor.
        peer: String,
        /// The problem.
        problem: String,
    },
    /// The pages cannot be read.
    #[error(transparent)]
    Gold(#[from] InputError),
}

#[derive(Serialize)]
struct Question<'p> {
    page: usize,
    url: &'p str,
    html: &'p str,
}

#[derive(Deserialize)]
struct Greeting {
    version: String,
    runtime: String,
}

#[derive(Deserialize)]
struct Answer {
    page: usize,
    text: Option<String>,
    error: Option<String>,
    cpu_seconds: f64,
}

impl Peer {
    /// Extracts the `wanted` pages of `set`, one after the other. The command runs in
    /// `folder`.
    ///
    /// # Errors
    /// [`PeerError`]. A page on which the extractor fails is not an error.
    pub fn run(
        &self,
        folder: &Path,
        set: &GoldSet,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Texts, PeerError> {
        let mut adapter = self.start(folder)?;
        let mut texts = Texts::by(Kind::Peer, &self.name);
        let greeting: Greeting = adapter.hear(self)?;
        texts.version = Some(format!("{} ({})", greeting.version, greeting.runtime));
        let mut page = 0;
        let mut failed = None;
        set.for_each_fetched(|fetched| {
            if failed.is_some() || !wanted(fetched.url) {
                return;
            }
            match adapter.ask(self, page, fetched) {
                Ok(text) => texts.insert(fetched.url, text),
                Err(error) => failed = Some(error),
            }
            page += 1;
        })?;
        match failed {
            Some(error) => Err(error),
            None => adapter.finish(self).map(|()| texts),
        }
    }

    fn start(&self, folder: &Path) -> Result<Adapter, PeerError> {
        let failed = |source| PeerError::Start {
            peer: self.name.clone(),
            command: self.command.clone(),
            source,
        };
        let (program, arguments) = (self.command.split_first())
            .ok_or_else(|| failed(std::io::Error::other("there is no command")))?;
        // Some systems look for a relative path in the current folder of this process.
        let program = if program.contains('/') {
            folder.join(program).into_os_string()
        } else {
            program.into()
        };
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let pipe = || failed(std::io::Error::other("there is no pipe"));
        Ok(Adapter {
            input: Some(child.stdin.take().ok_or_else(pipe)?),
            output: BufReader::new(child.stdout.take().ok_or_else(pipe)?),
            child,
        })
    }

    fn problem(&self, problem: impl ToString) -> PeerError {
        PeerError::Protocol {
            peer: self.name.clone(),
            problem: problem.to_string(),
        }
    }
}

/// A running adapter.
struct Adapter {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<std::process::ChildStdout>,
}

impl Adapter {
    fn hear<T: for<'a> Deserialize<'a>>(&mut self, peer: &Peer) -> Result<T, PeerError> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        if read.map_err(|error| peer.problem(error))? == 0 {
            return Err(peer.problem("it ended before its answer"));
        }
        serde_json::from_str(&line).map_err(|error| peer.problem(format!("{error} in {line:?}")))
    }

    fn ask(&mut self, peer: &Peer, page: usize, fetched: Fetched<'_>) -> Result<Text, PeerError> {
        let Ok(html) = html_blocks::decode(fetched.html.unwrap_or_default(), fetched.http_charset)
        else {
            return Ok(Text::failed("no text"));
        };
        let question = Question {
            page,
            url: fetched.url,
            html: &html,
        };
        let mut line = serde_json::to_vec(&question).map_err(|error| peer.problem(error))?;
        line.push(b'\n');
        let input = self
            .input
            .as_mut()
            .ok_or_else(|| peer.problem("its input is closed"))?;
        (input.write_all(&line).and_then(|()| input.flush()))
            .map_err(|error| peer.problem(error))?;
        let answer: Answer = self.hear(peer)?;
        if answer.page != page {
            return Err(peer.problem(format!(
                "it answered page {} instead of page {page}",
                answer.page
            )));
        }
        let text = match (answer.text, answer.error) {
            (_, Some(error)) => Text::failed(error),
            (text, None) => Text::of(text.unwrap_or_default()),
        };
        Ok(text.taking(answer.cpu_seconds))
    }

    fn finish(mut self, peer: &Peer) -> Result<(), PeerError> {
        self.input = None;
        let status = self.child.wait().map_err(|error| peer.problem(error))?;
        if !status.success() {
            return Err(peer.problem(status));
        }
        Ok(())
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        // An error means that the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
