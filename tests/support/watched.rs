//! Measures the memory of a run from outside, from `/proc`.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::Finished;

/// Output and resource use of a process.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) finished: Finished,
    /// Peak resident memory in bytes.
    pub(crate) peak_bytes: u64,
    /// CPU seconds of all threads.
    pub(crate) cpu_seconds: f64,
    pub(crate) chunks: Vec<Chunk>,
}

/// One chunk of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk {
    /// Seconds from the start of the process to the chunk's commit.
    pub(crate) seconds: f64,
    /// Peak resident memory in bytes since the previous commit.
    pub(crate) peak_bytes: u64,
}

/// Whether this system reports the peak memory of a process.
pub(crate) fn can_watch() -> bool {
    Process(std::process::id()).peak().is_some()
}

/// Runs a command to its end. Reads its peak memory every few milliseconds, because
/// the system drops the value when the process ends.
pub(crate) fn watched(command: &mut Command) -> Watched {
    let started = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary can be started");
    let process = Process(child.id());
    let mut out = child.stdout.take().expect("a pipe");
    let stdout = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text)
            .expect("the binary prints UTF-8");
        text
    });
    let err = BufReader::new(child.stderr.take().expect("a pipe"));
    let (said, lines) = channel();
    let reading = std::thread::spawn(move || {
        for line in err.lines() {
            let _ = said.send(line.expect("the binary says UTF-8"));
        }
    });
    let mut stderr = String::new();
    let mut chunks = Vec::new();
    let (mut since_commit, mut peak_bytes, mut cpu_seconds) = (0, 0, 0.0);
    loop {
        let line = lines.recv_timeout(Duration::from_millis(5));
        since_commit = process.peak().unwrap_or(0).max(since_commit);
        peak_bytes = peak_bytes.max(since_commit);
        cpu_seconds = process.cpu_seconds().unwrap_or(cpu_seconds);
        match line {
            Ok(line) => {
                if line.contains(" committed, ") {
                    chunks.push(Chunk {
                        seconds: started.elapsed().as_secs_f64(),
                        peak_bytes: since_commit,
                    });
                    process.forget_peak();
                    since_commit = 0;
                }
                stderr.push_str(&line);
                stderr.push('\n');
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.wait().expect("the binary ends");
    reading.join().expect("its errors can be read");
    Watched {
        finished: Finished {
            code: status.code(),
            signal: status.signal(),
            stdout: stdout.join().expect("its output can be read"),
            stderr,
        },
        peak_bytes,
        cpu_seconds,
        chunks,
    }
}

/// A process in `/proc`, by its id.
#[derive(Debug, Clone, Copy)]
struct Process(u32);

impl Process {
    fn file(self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.0))
    }

    fn peak(self) -> Option<u64> {
        let status = std::fs::read_to_string(self.file("status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    }

    fn cpu_seconds(self) -> Option<f64> {
        /// Seconds per clock tick in `/proc`, the same on every Linux.
        const TICK: f64 = 0.01;
        let stat = std::fs::read_to_string(self.file("stat")).ok()?;
        // The program's name, in brackets, may contain spaces.
        let (_, numbers) = stat.rsplit_once(')')?;
        let numbers: Vec<&str> = numbers.split_ascii_whitespace().collect();
        let ticks = |at: usize| numbers.get(at)?.parse::<u32>().ok();
        // The times of an ended process stay readable until its parent waits for it.
        Some(f64::from(ticks(11)? + ticks(12)?) * TICK)
    }

    fn forget_peak(self) {
        // If this is not allowed, the peak of a chunk includes the chunks before it.
        let _ = std::fs::write(self.file("clear_refs"), "5");
    }
}
