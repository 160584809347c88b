//! A server from its first connection to its last.

use std::future::IntoFuture;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::error::ServeError;
use crate::guard::Hosts;
use crate::pages::Pages;
use crate::routes::routes;

/// Time in which responses are sent after the end. A reader who takes no bytes would keep the server for ever.
const LAST_RESPONSES: Duration = Duration::from_secs(3);

/// Answers requests with `pages` until `stop` is cancelled, and then ends within seconds.
///
/// # Errors
/// [`ServeError::Stopped`] if no connection can be accepted any more.
pub async fn serve(
    listener: TcpListener,
    pages: impl Pages,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(ServeError::Stopped)?;
    let routes = routes(pages, Hosts::of(address), stop.clone());
    let served =
        axum::serve(listener, routes).with_graceful_shutdown(stop.clone().cancelled_owned());
    let end = async {
        stop.cancelled().await;
        tokio::time::sleep(LAST_RESPONSES).await;
    };
    tokio::select! {
        served = served.into_future() => served.map_err(ServeError::Stopped),
        () = end => Ok(()),
    }
}
