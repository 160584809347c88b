//! Servers that tests talk to: the S3 protocol and plain HTTP over a folder, on
//! a free port of this machine, until they are dropped.
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
//! A crate of its own and not a module of the tests that use it: what a server
//! asks of the packages it shares with the product is then asked in every build
//! of the workspace, and a test build compiles none of them a second time.
//!
//! Either may be one that fails: [`Faults`] decides on each request. There is no
//! TLS.

mod faults;

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
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tower_http::services::ServeDir;

use faults::{BoxError, Layer};

/// The one key pair that [`Server::s3`] knows.
#[derive(Debug, Clone, Copy)]
pub struct KeyPair<'a> {
    /// `AWS_ACCESS_KEY_ID`.
    pub id: &'a str,
    /// `AWS_SECRET_ACCESS_KEY`.
    pub secret: &'a str,
}

/// A server that is there until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    requests: Requests,
    layer: Arc<Layer>,
    _threads: Runtime,
}

/// Method and path of every request.
type Requests = Arc<Mutex<Vec<String>>>;

impl Server {
    /// An S3 store whose buckets are the folders in `root`. Requests must be
    /// signed with `keys`.
    ///
    /// # Errors
    /// Where the folder is missing or no port is free.
    pub fn s3(root: &Path, keys: KeyPair<'_>) -> io::Result<Self> {
        Self::start(s3_service(root, keys)?, None)
    }

    /// The same with `faults`.
    ///
    /// # Errors
    /// As [`Server::s3`].
    pub fn failing_s3(root: &Path, keys: KeyPair<'_>, faults: Faults) -> io::Result<Self> {
        Self::start(s3_service(root, keys)?, Some(faults))
    }

    /// The files below `root`, to be read whole or in ranges.
    ///
    /// # Errors
    /// Where no port is free.
    pub fn web(root: &Path) -> io::Result<Self> {
        Self::start(TowerToHyperService::new(ServeDir::new(root)), None)
    }

    /// The same with `faults`.
    ///
    /// # Errors
    /// As [`Server::web`].
    pub fn failing_web(root: &Path, faults: Faults) -> io::Result<Self> {
        let files = TowerToHyperService::new(ServeDir::new(root));
        Self::start(files, Some(faults))
    }

    /// A server that answers every request with `status` and `body`.
    ///
    /// # Errors
    /// Where no port is free.
    pub fn answering(status: StatusCode, body: &str) -> io::Result<Self> {
        let body = body.to_owned();
        let service = service_fn(move |_| {
            let mut answer = Response::new(body.clone());
            *answer.status_mut() = status;
            ready(Ok::<_, Infallible>(answer))
        });
        Self::start(service, None)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, such as `GET /bucket/folder/file`, in the order
    /// they came in.
    pub fn requests(&self) -> Vec<String> {
        lock(&self.requests).clone()
    }

    /// How often each fault happened so far.
    pub fn fired(&self) -> BTreeMap<Fault, usize> {
        self.layer.fired()
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
        let requests = Requests::default();
        let layer = Layer::new(faults);
        let served = Served {
            service,
            requests: Arc::clone(&requests),
            layer: Arc::clone(&layer),
        };
        threads.spawn(served.listen(listener));
        Ok(Self {
            address,
            requests,
            layer,
            _threads: threads,
        })
    }
}

fn s3_service(root: &Path, keys: KeyPair<'_>) -> io::Result<S3Service> {
    let store = FileSystem::new(root).map_err(|error| io::Error::other(format!("{error:?}")))?;
    let mut service = S3ServiceBuilder::new(store);
    service.set_auth(SimpleAuth::from_single(keys.id, keys.secret));
    Ok(service.build())
}

/// A service, who counts its requests, and what goes wrong with them.
#[derive(Clone)]
struct Served<S> {
    service: S,
    requests: Requests,
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
    /// Serves every connection, until the server goes down.
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
        // Small answers would wait for each other; without it they are only slow.
        let _ = stream.set_nodelay(true);
        if self.layer.has_faults() {
            // What this side closes then, a fault closes: with a reset.
            let _ = stream.set_zero_linger();
        }
        let recorded = service_fn(|request: Request<Incoming>| {
            let number = self.record(&request);
            self.layer.call(&self.service, request, number)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), recorded);
        tokio::select! {
            // What goes wrong on a connection, the client that has it sees.
            _ = connection => {}
            () = self.layer.down() => {}
        }
    }

    /// Notes a request, and counts it.
    fn record(&self, request: &Request<Incoming>) -> usize {
        let mut requests = lock(&self.requests);
        requests.push(format!("{} {}", request.method(), request.uri().path()));
        requests.len()
    }
}

fn lock(requests: &Requests) -> std::sync::MutexGuard<'_, Vec<String>> {
    requests.lock().unwrap_or_else(PoisonError::into_inner)
}
