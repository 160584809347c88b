//! A web server of a folder whose answers a test can change.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// From 1 upwards.
    pub(crate) number: usize,
    pub(crate) method: String,
    /// Path and query.
    pub(crate) path: String,
    /// The first byte and the last one.
    pub(crate) range: Option<(u64, u64)>,
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// The file, or the range of it.
    File,
    /// The file, after a time.
    Slow(Duration),
    /// A status with headers and without a body.
    Status(u16, &'static str),
    /// A text.
    Text(u16, String),
    /// The connection is closed without an answer.
    Reset,
    /// The whole file with status 200.
    Whole,
    /// The range, with fewer bytes than its length says.
    Short(u64),
    /// Another range, with the headers of that one.
    Other,
}

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A server that runs until the process ends.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Most requests that were open at a time.
    most: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) fn start(
        folder: PathBuf,
        script: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let server = Self {
            address: listener.local_addr().expect("an address"),
            asked: Arc::default(),
            most: Arc::default(),
        };
        let (asked, most) = (Arc::clone(&server.asked), Arc::clone(&server.most));
        let script: Arc<Script> = Arc::new(script);
        let open = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (folder, asked, script) =
                    (folder.clone(), Arc::clone(&asked), Arc::clone(&script));
                let (open, most) = (Arc::clone(&open), Arc::clone(&most));
                std::thread::spawn(move || {
                    most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    // The client sees the errors of its connection.
                    let _ = answer(stream, &folder, &asked, &*script);
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests for ranges so far.
    pub(crate) fn ranges(&self) -> Vec<Asked> {
        let asked = self.asked.lock().expect("no panic");
        asked
            .iter()
            .filter(|asked| asked.range.is_some())
            .cloned()
            .collect()
    }

    pub(crate) fn most_at_a_time(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

fn answer(
    mut stream: TcpStream,
    folder: &std::path::Path,
    asked: &Mutex<Vec<Asked>>,
    script: &Script,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or_default().to_owned();
    let mut range = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("range")
        {
            let value = value.trim().trim_start_matches("bytes=");
            let (start, last) = value.split_once('-').unwrap_or_default();
            range = Some((start.parse().unwrap_or(0), last.parse().unwrap_or(0)));
        }
    }
    let request = {
        let mut asked = asked.lock().expect("no panic");
        let number = 1 + asked.iter().filter(|asked| asked.range.is_some()).count();
        let request = Asked {
            number,
            method,
            path,
            range,
        };
        asked.push(request.clone());
        request
    };
    let reply = script(&request);
    if let Reply::Slow(time) = reply {
        std::thread::sleep(time);
    }
    let reply = match (reply, request.range) {
        (Reply::Reset, _) => return stream.shutdown(Shutdown::Both),
        (Reply::Status(status, headers), _) => {
            let head = format!(
                "HTTP/1.1 {status} Status\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            return stream.write_all(head.as_bytes());
        }
        (Reply::Text(status, text), _) => {
            let head = format!(
                "HTTP/1.1 {status} Status\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
            return stream.write_all(head.as_bytes());
        }
        (reply, _) => reply,
    };
    let path = request.path.split('?').next().unwrap_or_default();
    let Ok(mut file) = std::fs::File::open(folder.join(path.trim_start_matches('/'))) else {
        let head = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(head.as_bytes());
    };
    let size = file.metadata()?.len();
    let range = request.range.filter(|_| !matches!(reply, Reply::Whole));
    let (status, start, last) = match range {
        Some((start, _)) if start >= size => {
            let head = "HTTP/1.1 416 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            return stream.write_all(head.as_bytes());
        }
        Some((start, last)) if matches!(reply, Reply::Other) => {
            (206, start + 1, last.min(size - 1))
        }
        Some((start, last)) => (206, start, last.min(size - 1)),
        None => (200, 0, size.saturating_sub(1)),
    };
    let length = last + 1 - start;
    let mut head = format!(
        "HTTP/1.1 {status} OK\r\nContent-Length: {length}\r\nLast-Modified: Mon, 24 Oct 2011 12:00:00 GMT\r\nConnection: close\r\n"
    );
    if status == 206 {
        head += &format!("Content-Range: bytes {start}-{last}/{size}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    if request.method == "HEAD" {
        return Ok(());
    }
    file.seek(SeekFrom::Start(start))?;
    let sent = match reply {
        Reply::Short(bytes) => bytes.min(length),
        _ => length,
    };
    io::copy(&mut file.take(sent), &mut stream)?;
    Ok(())
}
