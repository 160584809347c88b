//! Answers the pages of a job over HTTP, to browsers of the same machine.
//!
//! A program implements [`Pages`]: a [`Question`] in, an [`Answer`] out. This crate has everything
//! between a socket and that function.
//!
//! ```no_run
//! use serve::{Answer, CancellationToken, Pages, Question, Status};
//!
//! struct Hello;
//!
//! impl Pages for Hello {
//!     async fn answer(&self, question: Question) -> Answer {
//!         let html = format!("{question:?}").replace('<', "&lt;");
//!         Answer::page(Status::Ok, html)
//!     }
//! }
//!
//! # async fn run() -> Result<(), serve::ServeError> {
//! let listener = serve::listen("127.0.0.1:0").await?;
//! serve::serve(listener, Hello, CancellationToken::new()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Readers
//!
//! The server knows neither users nor passwords, so [`listen`] refuses addresses that other machines can reach. That is
//! not enough, because a browser of this machine sends the requests of any web page that it shows:
//!
//! - The `Host` of a request must be the address of the server or `localhost`. A foreign name that
//!   resolves to a loopback address (DNS rebinding) is refused.
//! - A request of a page of another site or port is refused (`Sec-Fetch-Site`, `Origin`), unless it is a link
//!   that a reader follows.
//! - A query is a `POST`, and a link only fills the form in: no other page can run one.
//! - Every response has a content security policy, `nosniff`, a referrer policy, and may not be framed. The original of a
//!   crawled page has its own policy, and only the pages of this server may frame it: styles inside of it and images in
//!   `data:` URLs are shown, nothing is requested, and `sandbox` takes scripts, forms and its origin from it.
//!
//! # Limits
//!
//! [`MAX_PAGES`] pages and [`MAX_QUERIES`] queries are computed at a time; others wait. At a signal the server
//! ends what it computes. Limits of time and rows are those of [`Pages`].
//!
//! # Non-goals
//!
//! TLS, users, and other machines: forward a port with `ssh -L` to look from elsewhere.

mod address;
mod error;
mod guard;
mod pages;
mod routes;
mod server;

pub use address::listen;
pub use error::ServeError;
pub use pages::{Answer, Kind, Mark, Pages, Question, Search, Status};
pub use routes::{MAX_PAGES, MAX_QUERIES};
pub use server::serve;
pub use tokio_util::sync::CancellationToken;

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
