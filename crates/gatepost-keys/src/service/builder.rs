//! How a key service is set up.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Peppers, Prefix};
use gatepost_ids::Accounts;
use gatepost_storage::{Clock, KeyStore, SystemClock};

use super::logins::Logins;
use super::{Inner, KeyService};
use crate::cache::Cache;
use crate::guesses::{FailureLimit, FailureLimiter};

/// The longest time for which a login may wait to be written.
const MAX_FLUSH: Duration = Duration::from_secs(5);

/// Sets up a [`KeyService`].
#[derive(Debug)]
pub struct KeyServiceBuilder {
    store: Arc<dyn KeyStore>,
    accounts: Arc<dyn Accounts>,
    clock: Arc<dyn Clock>,
    prefix: Prefix,
    peppers: Peppers,
    cached_keys: usize,
    flush_logins: Duration,
    guesses: FailureLimit,
}

impl KeyServiceBuilder {
    pub(super) fn new(store: Arc<dyn KeyStore>, accounts: Arc<dyn Accounts>) -> Self {
        Self {
            store,
            accounts,
            clock: Arc::new(SystemClock),
            prefix: Prefix::default(),
            peppers: Peppers::none(),
            cached_keys: 100_000,
            flush_logins: Duration::from_secs(2),
            guesses: FailureLimit::default(),
        }
    }

    /// Another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The prefix of new keys; `gp` by default. Keys of other prefixes still authenticate.
    #[must_use]
    pub fn prefix(mut self, prefix: Prefix) -> Self {
        self.prefix = prefix;
        self
    }

    /// Peppers for the stored digests; none by default.
    #[must_use]
    pub fn peppers(mut self, peppers: Peppers) -> Self {
        self.peppers = peppers;
        self
    }

    /// How many keys are held in memory, about 200 bytes each; 100,000 by default. The others are
    /// read from the store when they are used.
    #[must_use]
    pub fn cached_keys(mut self, keys: usize) -> Self {
        self.cached_keys = keys;
        self
    }

    /// How long a login may wait to be written: 2 seconds by default, 5 at the most. What a process
    /// that is killed had not written is lost.
    #[must_use]
    pub fn flush_logins(mut self, every: Duration) -> Self {
        self.flush_logins = every.clamp(Duration::from_millis(10), MAX_FLUSH);
        self
    }

    /// How many failures an address is allowed.
    #[must_use]
    pub fn guess_limit(mut self, limit: FailureLimit) -> Self {
        self.guesses = limit;
        self
    }

    /// Starts the service. To be called after the metrics recorder was installed, and within a
    /// tokio runtime: logins are written by a task, which ends with the last handle of the
    /// service.
    #[must_use]
    pub fn build(self) -> KeyService {
        let inner = Arc::new(Inner {
            cache: Cache::new(self.cached_keys),
            logins: Logins::default(),
            guesses: FailureLimiter::new(self.guesses),
            granted: metrics::counter!("gatepost_auth_total", "outcome" => "granted"),
            store: self.store,
            accounts: self.accounts,
            clock: self.clock,
            prefix: self.prefix,
            peppers: self.peppers,
        });
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(self.flush_logins).await;
                let Some(inner) = weak.upgrade() else { return };
                inner.flush_logins().await;
            }
        });
        KeyService { inner }
    }
}
