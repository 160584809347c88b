use std::time::Duration;

use object_store::{BackoffConfig, ClientOptions, RetryConfig};

/// Limits how a request to a store is retried. Retried are time-outs, broken
/// connections, and the statuses 5xx, 408 and 429, with pauses that grow from 0.1
/// to 15 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Time-out of one response including its body. The time-out of a connection
    /// is this or five seconds, whichever is less.
    pub timeout: Duration,
    /// Retries of one request.
    pub retries: usize,
    /// Time after the first attempt during which a request is retried. A request is
    /// signed once: Amazon accepts a signature for fifteen minutes, or less if the
    /// keys expire sooner.
    pub retry_for: Duration,
}

impl Default for RetryPolicy {
    /// Gives up after about three minutes if a store does not answer, and after
    /// less than one minute if it answers with errors. A store is restarted or
    /// rebalanced in less time, and a run in the night can still be repeated.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            retries: 10,
            retry_for: Duration::from_secs(180),
        }
    }
}

impl RetryPolicy {
    pub(crate) fn retry_config(self) -> RetryConfig {
        RetryConfig {
            max_retries: self.retries,
            retry_timeout: self.retry_for,
            backoff: BackoffConfig::default(),
        }
    }

    pub(crate) fn client_options(self) -> ClientOptions {
        ClientOptions::new()
            .with_timeout(self.timeout)
            .with_connect_timeout(self.timeout.min(Duration::from_secs(5)))
    }
}
