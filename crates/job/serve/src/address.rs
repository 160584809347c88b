//! The address of a server.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::error::ServeError;

/// Listens on `address`, `HOST:PORT`. Port 0 is any free port.
///
/// # Errors
/// [`ServeError::Open`] if other machines can reach the address, and [`ServeError::Listen`] if it is in use or is
/// not an address.
pub async fn listen(address: &str) -> Result<TcpListener, ServeError> {
    let failed = |source| ServeError::Listen {
        address: address.to_owned(),
        source,
    };
    let addresses = tokio::net::lookup_host(address).await.map_err(failed)?;
    let addresses: Vec<SocketAddr> = addresses.collect();
    if let Some(open) = addresses.iter().find(|address| !address.ip().is_loopback()) {
        return Err(ServeError::Open { address: *open });
    }
    TcpListener::bind(addresses.as_slice())
        .await
        .map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_that_other_machines_reach_are_refused() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
            let refused = listen(address).await.unwrap_err();
            assert!(matches!(refused, ServeError::Open { .. }), "{refused}");
            assert!(refused.to_string().contains("authentication"), "{refused}");
        }
        for address in ["nothing", "127.0.0.1", "127.0.0.1:99999"] {
            let refused = listen(address).await.unwrap_err();
            assert!(matches!(refused, ServeError::Listen { .. }), "{refused}");
        }
        let listener = listen("127.0.0.1:0").await.unwrap();
        assert!(listener.local_addr().unwrap().ip().is_loopback());
    }
}
