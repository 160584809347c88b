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
//! It has no faults to inject and no TLS.

use std::convert::Infallible;
use std::error::Error;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use hyper::service::{Service, service_fn};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tower_http::services::ServeDir;

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
        let store =
            FileSystem::new(root).map_err(|error| io::Error::other(format!("{error:?}")))?;
        let mut service = S3ServiceBuilder::new(store);
        service.set_auth(SimpleAuth::from_single(keys.id, keys.secret));
        Self::start(service.build())
    }

    /// The files below `root`, to be read whole or in ranges.
    ///
    /// # Errors
    /// Where no port is free.
    pub fn web(root: &Path) -> io::Result<Self> {
        Self::start(TowerToHyperService::new(ServeDir::new(root)))
    }

    /// A server that answers every request with `status` and `body`.
    ///
    /// # Errors
    /// Where no port is free.
    pub fn answering(status: StatusCode, body: &str) -> io::Result<Self> {
        let body = body.to_owned();
        Self::start(service_fn(move |_| {
            let mut answer = Response::new(body.clone());
            *answer.status_mut() = status;
            ready(Ok::<_, Infallible>(answer))
        }))
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

    fn start<S, B>(service: S) -> io::Result<Self>
    where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
        S::Future: Send,
        S::Error: Into<Box<dyn Error + Send + Sync>>,
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let threads = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let listener = threads.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
        let address = listener.local_addr()?;
        let requests = Requests::default();
        threads.spawn(listen(listener, service, Arc::clone(&requests)));
        Ok(Self {
            address,
            requests,
            _threads: threads,
        })
    }
}

async fn listen<S, B>(listener: TcpListener, service: S, requests: Requests)
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    while let Ok((stream, _)) = listener.accept().await {
        let (service, requests) = (service.clone(), Arc::clone(&requests));
        // Small answers would wait for each other; without it they are only slow.
        let _ = stream.set_nodelay(true);
        let recorded = service_fn(move |request: Request<Incoming>| {
            lock(&requests).push(format!("{} {}", request.method(), request.uri().path()));
            service.call(request)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), recorded);
        // What goes wrong on a connection, the client that has it sees.
        tokio::spawn(async move { drop(connection.await) });
    }
}

fn lock(requests: &Requests) -> std::sync::MutexGuard<'_, Vec<String>> {
    requests.lock().unwrap_or_else(PoisonError::into_inner)
}
