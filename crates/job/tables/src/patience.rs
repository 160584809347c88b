use std::time::Duration;

use object_store::{BackoffConfig, ClientOptions, RetryConfig};

/// How long a store that fails is asked again, request by request. What is
/// asked again: what was not answered in time or broke off, 5xx, 408 and 429;
/// with pauses that grow from 0.1 to 15 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For one answer, with its body. Also for a connection, if that is less
    /// than five seconds.
    pub timeout: Duration,
    /// How often a request is repeated at most.
    pub retries: usize,
    /// No request is repeated later than this. It is signed only once: Amazon
    /// takes signatures for fifteen minutes, and keys that expire may do so
    /// sooner.
    pub retry_for: Duration,
}

impl Default for Patience {
    /// Some three minutes for a store that does not answer, and less than one
    /// for a store that refuses: longer than a store is rebalanced or restarted,
    /// and short enough for a run in the night to be run again.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            retries: 10,
            retry_for: Duration::from_secs(180),
        }
    }
}

impl Patience {
    pub(crate) fn retry(self) -> RetryConfig {
        RetryConfig {
            max_retries: self.retries,
            retry_timeout: self.retry_for,
            backoff: BackoffConfig::default(),
        }
    }

    pub(crate) fn client(self) -> ClientOptions {
        ClientOptions::new()
            .with_timeout(self.timeout)
            .with_connect_timeout(self.timeout.min(Duration::from_secs(5)))
    }
}
