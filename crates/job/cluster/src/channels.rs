//! Connections to workers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::error::{DataFusionError, Result};
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, WorkerChannel};
use tonic::transport::{Channel, Endpoint};
use url::Url;

use crate::tls::Tls;

/// Time for opening a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Most time between two questions whether a worker is there.
const MAX_INTERVAL: Duration = Duration::from_secs(20);

/// Connections to workers, one for each.
///
/// A worker that is stopped (`SIGSTOP`) or cut off keeps its connections open. So each is asked for a
/// sign of life (an HTTP/2 ping), and is closed with an error if none comes.
#[derive(Debug, Clone)]
pub(crate) struct Channels {
    opened: Arc<Mutex<BTreeMap<Url, Channel>>>,
    tls: Option<Tls>,
    silence: Duration,
}

impl Channels {
    /// Connections that end after `silence` without a sign of life.
    pub(crate) fn new(tls: Option<Tls>, silence: Duration) -> Self {
        Self {
            opened: Arc::default(),
            tls,
            silence,
        }
    }

    pub(crate) fn channel(&self, url: &Url) -> Result<Channel> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = opened.get(url) {
            return Ok(channel.clone());
        }
        let endpoint = self.endpoint(url);
        let channel = endpoint
            .map_err(|error| DataFusionError::External(error.into()))?
            .connect_lazy();
        opened.insert(url.clone(), channel.clone());
        Ok(channel)
    }

    fn endpoint(&self, url: &Url) -> std::result::Result<Endpoint, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(url.to_string())?
            .connect_timeout(CONNECT)
            .http2_keep_alive_interval((self.silence / 2).min(MAX_INTERVAL))
            .keep_alive_timeout(self.silence)
            .keep_alive_while_idle(true);
        match &self.tls {
            Some(tls) => endpoint.tls_config(tls.client()),
            None => Ok(endpoint),
        }
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let channel = self.channel(url)?;
        Ok(create_worker_client(BoxCloneSyncChannel::new(channel)))
    }
}
