//! A server whose answers a test writes, byte by byte if it wants.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Get {
    /// The header `Host`.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// Headers, with names in lower case.
    pub headers: BTreeMap<String, String>,
    /// When it arrived.
    pub at: Instant,
}

/// Answers a request.
pub type Script = dyn Fn(&Get, &mut TcpStream) -> io::Result<()> + Send + Sync;

/// A web server that runs until it is dropped, with a thread per connection and a connection per request.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Get>>>,
    is_down: Arc<AtomicBool>,
}

impl Scripted {
    /// Starts a server on a free local port.
    ///
    /// # Errors
    /// If no port is free.
    pub fn start(
        script: impl Fn(&Get, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let script: Arc<Script> = Arc::new(script);
        let server = Self {
            address: listener.local_addr()?,
            requests: Arc::default(),
            is_down: Arc::default(),
        };
        let (requests, is_down) = (Arc::clone(&server.requests), Arc::clone(&server.is_down));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_down.load(Ordering::SeqCst) {
                    return;
                }
                let (requests, script) = (Arc::clone(&requests), Arc::clone(&script));
                // The client sees the errors of its connection.
                std::thread::spawn(move || connection(stream, &requests, &*script));
            }
        });
        Ok(server)
    }

    /// The address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<Get> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The paths of all requests so far, in order of arrival.
    pub fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|get| get.path).collect()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.is_down.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

fn connection(stream: TcpStream, requests: &Mutex<Vec<Get>>, script: &Script) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let get = Get {
        host: headers.get("host").cloned().unwrap_or_default(),
        path,
        headers,
        at: Instant::now(),
    };
    let mut stream = stream;
    requests
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(get.clone());
    script(&get, &mut stream)
}

/// Writes an answer, and closes the connection.
///
/// # Errors
/// Those of the connection.
pub fn respond(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if status != 304 {
        head += &format!("content-length: {}\r\n", body.len());
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(body)
}
