//! How a key service is set up.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Peppers, Prefix};
use gatepost_ids::{Accounts, Quota, Quotas};
use gatepost_storage::{Clock, KeyStore, SystemClock};

use super::admission::Admission;
use super::changes::Changes;
use super::key_service::{KeyService, Parts};
use super::lookup::Lookup;
use super::outcomes::Outcomes;
use super::refusals::Refusals;
use super::teller::Teller;
use super::telling::tell_on;
use super::waiting::Waiting;
use crate::cache::Cache;
use crate::guesses::{GuessLimiter, GuessLimits};
use crate::observe::KeyObserver;
use crate::throttle::{RequestLimits, Throttle};

/// The longest time for which a login, or a count, may wait to be written.
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
    guess_limits: GuessLimits,
    quotas: Arc<dyn Quotas>,
    request_limits: RequestLimits,
    observer: Option<Arc<dyn KeyObserver>>,
}

impl KeyService {
    /// Starts with the two parts that cannot be left out: where keys are kept, and what their
    /// owners may do.
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

    /// How many keys are held in memory, about 350 bytes each; 100,000 by default, rounded up to a
    /// multiple of 256. The others are read from the store when they are used. One owner's keys
    /// take at most a hundredth of it.
    #[must_use]
    pub fn cached_keys(mut self, keys: usize) -> Self {
        self.cached_keys = keys;
        self
    }

    /// How long a login, and the count of a use, may wait to be written: 2 seconds by default, 5 at
    /// most. What a process that is killed had not written is lost.
    #[must_use]
    pub fn flush_logins(mut self, every: Duration) -> Self {
        self.flush_logins = every.clamp(Duration::from_millis(10), MAX_FLUSH);
        self
    }

    /// What guessing costs, by address and by account; see [`GuessLimits`] for what holds by
    /// default.
    #[must_use]
    pub fn guess_limits(mut self, limits: GuessLimits) -> Self {
        self.guess_limits = limits;
        self
    }

    /// How many keys an owner may have, and how often they may be changed: 1,000, and 30 times a
    /// minute in each process, by default.
    #[must_use]
    pub fn quotas(mut self, quotas: Arc<dyn Quotas>) -> Self {
        self.quotas = quotas;
        self
    }

    /// How many requests keys, and all keys of a user together, may make in this process; not
    /// limited by default.
    #[must_use]
    pub fn request_limits(mut self, limits: RequestLimits) -> Self {
        self.request_limits = limits;
        self
    }

    /// Who receives notices of keys; nobody by default, and then nothing is looked for.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn KeyObserver>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Starts the service. To be called after the metrics recorder was installed, and within a
    /// tokio runtime: logins and counts are written by a task, which ends with the last handle of
    /// the service.
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
