//! An S3 store with latency and faults for measurements. It serves the folders below `ROOT`
//! as buckets until it is killed. It prints its environment variables for `urltree`, then one
//! line per request: milliseconds since the start, method, path with query, range.
//!
//! ```sh
//! cargo run --package urltree-test-servers --example store -- ROOT LATENCY_MS FAULTS_PERCENT
//! ```

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use servers::{Fault, Faults, KeyPair, Server};

const KEYS: KeyPair<'_> = KeyPair {
    id: "id",
    secret: "secret",
};

/// Faults that a client must retry, in turn.
const KINDS: [Fault; 4] = [
    Fault::SlowDown,
    Fault::CutBody,
    Fault::LostAnswer,
    Fault::LostInSlowDown,
];

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::other("usage: store ROOT LATENCY_MS FAULTS_PERCENT");
    let root = arguments.next().ok_or_else(usage)?;
    let mut number = || arguments.next()?.parse::<usize>().ok();
    let latency = number().ok_or_else(usage)?;
    let percent = number().ok_or_else(usage)?;
    let started = Instant::now();
    let faults = Faults::new(move |asked| {
        let line = format!(
            "{} {} {}{}{} {}",
            started.elapsed().as_millis(),
            asked.method,
            asked.path,
            if asked.query.is_empty() { "" } else { "?" },
            asked.query,
            asked.range
        );
        // A reader that stopped ends the record and not the server.
        let _ = writeln!(io::stdout(), "{line}");
        // 37 is prime to 100: the faults are spread evenly.
        let is_fault = asked.number * 37 % 100 < percent;
        is_fault.then(|| KINDS[asked.number / 100 % KINDS.len()])
    });
    let faults = faults.after(Duration::from_millis(latency as u64));
    let server = Server::failing_s3(Path::new(&root), KEYS, faults)?;
    writeln!(
        io::stdout(),
        "AWS_ENDPOINT_URL=http://{} AWS_ACCESS_KEY_ID={} AWS_SECRET_ACCESS_KEY={}",
        server.address(),
        KEYS.id,
        KEYS.secret
    )?;
    loop {
        std::thread::park();
    }
}
