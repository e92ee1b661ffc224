//! The builder of the key service.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Peppers, Prefix};
use gatepost_ids::{Accounts, Quota, Quotas};
use gatepost_storage::{Clock, KeyStore, SystemClock};

use super::admission::Admission;
use super::changes::Changes;
use super::key_service::{KeyService, Parts};
use super::lookup::Lookup;
use super::notices::tell_on;
use super::notifier::Teller;
use super::outcomes::Outcomes;
use super::pending_uses::Waiting;
use super::refusals::Refusals;
use crate::cache::Cache;
use crate::guesses::{GuessLimiter, GuessLimits};
use crate::observer::KeyObserver;
use crate::throttle::{RequestLimits, Throttle};

/// The maximum time for which a login or a count may wait to be written.
const MAX_FLUSH: Duration = Duration::from_secs(5);

/// A builder for a [`KeyService`].
#[derive(Debug)]
pub struct KeyServiceBuilder {
    store: Arc<dyn KeyStore>,
    accounts: Arc<dyn Accounts>,
    clock: Arc<dyn Clock>,
    prefix: Prefix,
    peppers: Peppers,
    cached_keys: usize,
    flush_logins: Duration,
    guess_limits: GuessLimits,
    quotas: Arc<dyn Quotas>,
    request_limits: RequestLimits,
    observer: Option<Arc<dyn KeyObserver>>,
}

impl KeyService {
    /// Starts a builder with the two required parts: the store for keys, and the accounts of their
    /// owners.
    #[must_use]
    pub fn builder(store: Arc<dyn KeyStore>, accounts: Arc<dyn Accounts>) -> KeyServiceBuilder {
        KeyServiceBuilder::new(store, accounts)
    }
}

impl KeyServiceBuilder {
    fn new(store: Arc<dyn KeyStore>, accounts: Arc<dyn Accounts>) -> Self {
        Self {
            store,
            accounts,
            clock: Arc::new(SystemClock),
            prefix: Prefix::default(),
            peppers: Peppers::none(),
            cached_keys: 100_000,
            flush_logins: Duration::from_secs(2),
            guess_limits: GuessLimits::default(),
            quotas: Arc::new(Quota::default()),
            request_limits: RequestLimits::default(),
            observer: None,
        }
    }

    /// Sets another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the prefix of new keys; `gp` by default. Keys with other prefixes still authenticate.
    #[must_use]
    pub fn prefix(mut self, prefix: Prefix) -> Self {
        self.prefix = prefix;
        self
    }

    /// Sets peppers for the stored digests; none by default.
    #[must_use]
    pub fn peppers(mut self, peppers: Peppers) -> Self {
        self.peppers = peppers;
        self
    }

    /// Sets the number of cached keys, about 350 bytes each; 100,000 by default, rounded up to a
    /// multiple of 256. Other keys are read from the store when they are used. The keys of one
    /// owner take at most a hundredth of the cache.
    #[must_use]
    pub fn cached_keys(mut self, keys: usize) -> Self {
        self.cached_keys = keys;
        self
    }

    /// Sets how long a login, and the count of a use, may wait to be written: 2 seconds by default,
    /// 5 at most. If a process is killed, its unwritten values are lost.
    #[must_use]
    pub fn flush_logins(mut self, every: Duration) -> Self {
        self.flush_logins = every.clamp(Duration::from_millis(10), MAX_FLUSH);
        self
    }

    /// Sets the limits of guessing, by address and by account; see [`GuessLimits`] for the
    /// defaults.
    #[must_use]
    pub fn guess_limits(mut self, limits: GuessLimits) -> Self {
        self.guess_limits = limits;
        self
    }

    /// Sets the maximum number of keys for each owner, and how often they may be changed. By
    /// default 1,000, and 30 times a minute in each process.
    #[must_use]
    pub fn quotas(mut self, quotas: Arc<dyn Quotas>) -> Self {
        self.quotas = quotas;
        self
    }

    /// Sets the maximum number of requests of keys, and of all keys of a user together, in this
    /// process; no limit by default.
    #[must_use]
    pub fn request_limits(mut self, limits: RequestLimits) -> Self {
        self.request_limits = limits;
        self
    }

    /// Sets the observer that receives notices about keys. By default there is none, and the
    /// service does not search for expiring keys.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn KeyObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Starts the service. Call it within a tokio runtime and after the metrics recorder was
    /// installed: a task writes logins and counts until the last handle of the service is dropped.
    #[must_use]
    pub fn build(self) -> KeyService {
        let guesses = GuessLimiter::new(self.guess_limits, self.clock.clone());
        let throttle = Throttle::new(self.request_limits, self.clock.clone());
        let parts = Arc::new(Parts {
            keys: Lookup {
                store: self.store,
                cache: Cache::new(self.cached_keys),
                clock: self.clock,
                peppers: self.peppers,
                throttle,
            },
            admission: Admission {
                accounts: self.accounts,
                waiting: Waiting::new(self.cached_keys),
                refusals: Refusals::new(self.observer.is_some()),
            },
            outcomes: Outcomes::new(guesses),
            changes: Changes::new(self.quotas),
            prefix: self.prefix,
            teller: Teller {
                observer: self.observer,
            },
        });
        let weak = Arc::downgrade(&parts);
        if parts.teller.observer.is_some() {
            tokio::spawn(tell_on(weak.clone(), self.flush_logins));
        }
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(self.flush_logins).await;
                let Some(parts) = weak.upgrade() else { return };
                parts.flush().await;
            }
        });
        KeyService(parts)
    }
}
