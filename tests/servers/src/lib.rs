//! Servers for tests: the S3 protocol and plain HTTP over a folder. A server listens on a
//! free local port until it is dropped.
//!
//! ```
//! use servers::Server;
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//!
//! let folder = std::env::current_dir()?;
//! let server = Server::web(&folder)?;
//! let mut client = TcpStream::connect(server.address())?;
//! client.write_all(b"GET /Cargo.toml HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("[package]"));
//! assert_eq!(server.requests(), ["GET /Cargo.toml"]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The servers are a crate and not a module of the tests. The features that they enable in
//! packages of the product are then enabled in every build of the workspace, so a test
//! build does not compile these packages a second time.
//!
//! Both servers can inject faults: [`Faults`] decides for each request. There is no TLS.

mod faults;
mod scripted;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use faults::{Asked, Decide, Fault, Faults};
pub use hyper::StatusCode;
use hyper::body::{Body, Bytes, Incoming};
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
pub use scripted::{Get, Script, Scripted, respond};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tower_http::services::ServeDir;

use faults::{BoxError, Layer, asked};

/// The key pair that [`Server::s3`] accepts.
#[derive(Debug, Clone, Copy)]
pub struct KeyPair<'a> {
    /// The value of `AWS_ACCESS_KEY_ID`.
    pub id: &'a str,
    /// The value of `AWS_SECRET_ACCESS_KEY`.
    pub secret: &'a str,
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    record: SharedRecord,
    layer: Arc<Layer>,
    _threads: Runtime,
}

type SharedRecord = Arc<Mutex<Record>>;

/// All requests, in order of arrival.
#[derive(Debug, Default)]
struct Record {
    asked: Vec<Asked>,
    events: Vec<Event>,
}

/// The arrival of a request or its response, by its index in [`Record::asked`].
#[derive(Debug)]
enum Event {
    Asked(usize),
    Answered(usize),
}

impl Server {
    /// Starts an S3 store whose buckets are the folders in `root`. Requests must be signed
    /// with `keys`.
    ///
    /// # Errors
    /// If the folder is missing or no port is free.
    pub fn s3(root: &Path, keys: KeyPair<'_>) -> io::Result<Self> {
        Self::start(s3_service(root, keys)?, None)
    }

    /// Starts an S3 store like [`Server::s3`], with `faults`.
    ///
    /// # Errors
    /// Those of [`Server::s3`].
    pub fn failing_s3(root: &Path, keys: KeyPair<'_>, faults: Faults) -> io::Result<Self> {
        Self::start(s3_service(root, keys)?, Some(faults))
    }

    /// Starts a web server of the files below `root`, which supports range requests.
    ///
    /// # Errors
    /// If no port is free.
    pub fn web(root: &Path) -> io::Result<Self> {
        Self::start(TowerToHyperService::new(ServeDir::new(root)), None)
    }

    /// Starts a web server like [`Server::web`], with `faults`.
    ///
    /// # Errors
    /// Those of [`Server::web`].
    pub fn failing_web(root: &Path, faults: Faults) -> io::Result<Self> {
        let files = TowerToHyperService::new(ServeDir::new(root));
        Self::start(files, Some(faults))
    }

    /// Starts a server that answers every request with `status` and `body`.
    ///
    /// # Errors
    /// If no port is free.
    pub fn answering(status: StatusCode, body: &str) -> io::Result<Self> {
        let body = body.to_owned();
        let service = service_fn(move |_| {
            let mut answer = Response::new(body.clone());
            *answer.status_mut() = status;
            ready(Ok::<_, Infallible>(answer))
        });
        Self::start(service, None)
    }

    /// The address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns all requests so far, such as `GET /bucket/folder/file`, in order of arrival.
    pub fn requests(&self) -> Vec<String> {
        let record = lock(&self.record);
        let requests = record.asked.iter();
        requests
            .map(|asked| format!("{} {}", asked.method, asked.path))
            .collect()
    }

    /// Returns the number of injections of each fault so far.
    pub fn fired(&self) -> BTreeMap<Fault, usize> {
        self.layer.fired()
    }

    /// Returns the largest number of requests, of those for which `counts` is true, that waited
    /// for their responses at the same moment.
    pub fn most_at_once(&self, counts: impl Fn(&Asked) -> bool) -> usize {
        let record = lock(&self.record);
        let (mut waiting, mut most) = (0_usize, 0);
        for event in &record.events {
            match event {
                Event::Asked(number) if counts(&record.asked[*number]) => waiting += 1,
                Event::Answered(number) if counts(&record.asked[*number]) => waiting -= 1,
                _ => {}
            }
            most = most.max(waiting);
        }
        most
    }

    fn start<S, B>(service: S, faults: Option<Faults>) -> io::Result<Self>
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let threads = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = threads.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let address = listener.local_addr()?;
        let record = SharedRecord::default();
        let layer = Layer::new(faults);
        let served = Served {
            service,
            record: Arc::clone(&record),
            layer: Arc::clone(&layer),
        };
        threads.spawn(served.listen(listener));
        Ok(Self {
            address,
            record,
            layer,
            _threads: threads,
        })
    }
}

/// A request that waits for its response, until it is dropped.
struct Waiting {
    number: usize,
    record: SharedRecord,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let answered = Event::Answered(self.number - 1);
        lock(&self.record).events.push(answered);
    }
}

fn s3_service(root: &Path, keys: KeyPair<'_>) -> io::Result<S3Service> {
    let store = FileSystem::new(root).map_err(|error| io::Error::other(format!("{error:?}")))?;
    let mut service = S3ServiceBuilder::new(store);
    service.set_auth(SimpleAuth::from_single(keys.id, keys.secret));
    Ok(service.build())
}

/// A service with the record of its requests and the fault layer.
#[derive(Clone)]
struct Served<S> {
    service: S,
    record: SharedRecord,
    layer: Arc<Layer>,
}

impl<S, B> Served<S>
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    /// Serves all connections until the server is down.
    async fn listen(self, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.layer.down() => return,
            };
            let Ok((stream, _)) = accepted else { return };
            tokio::spawn(self.clone().connection(stream));
        }
    }

    async fn connection(self, stream: TcpStream) {
        // Without it small responses are delayed; an error here only makes them slow.
        let _ = stream.set_nodelay(true);
        if self.layer.has_faults() {
            // A connection that a fault closes is closed with a reset.
            let _ = stream.set_zero_linger();
        }
        let recorded = service_fn(|request: Request<Incoming>| {
            let waiting = self.record(&request);
            self.layer.call(&self.service, request, waiting)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), recorded);
        tokio::select! {
            // The client sees the errors of its connection.
            _ = connection => {}
            () = self.layer.down() => {}
        }
    }

    /// Records a request.
    fn record(&self, request: &Request<Incoming>) -> Waiting {
        let mut record = lock(&self.record);
        let number = record.asked.len() + 1;
        record.asked.push(asked(request, number));
        record.events.push(Event::Asked(number - 1));
        Waiting {
            number,
            record: Arc::clone(&self.record),
        }
    }
}

fn lock(record: &SharedRecord) -> std::sync::MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}
