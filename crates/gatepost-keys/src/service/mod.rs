//! The key service.

mod authenticate;
mod builder;
mod logins;
mod manage;

use std::fmt;
use std::sync::Arc;

use apikey_core::{Peppers, Prefix};
pub use builder::KeyServiceBuilder;
use gatepost_ids::Accounts;
use gatepost_storage::{Clock, KeyStore};
use logins::Logins;
pub use manage::KeyPage;

use crate::authority::Authority;
use crate::cache::Cache;
use crate::guesses::FailureLimiter;
use crate::principal::Principal;

/// Creates, checks, changes and deletes API keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct KeyService {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn KeyStore>,
    accounts: Arc<dyn Accounts>,
    clock: Arc<dyn Clock>,
    prefix: Prefix,
    peppers: Peppers,
    cache: Cache,
    logins: Logins,
    guesses: FailureLimiter,
    /// Held, so that the most frequent outcome costs no look-up of its counter.
    granted: metrics::Counter,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner")
            .field("store", &self.store)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl KeyService {
    /// Starts with the two parts that cannot be left out: where keys are kept, and what their
    /// owners may do.
    #[must_use]
    pub fn builder(store: Arc<dyn KeyStore>, accounts: Arc<dyn Accounts>) -> KeyServiceBuilder {
        KeyServiceBuilder::new(store, accounts)
    }

    /// Decides for a caller what is its own to manage; other crates ask it for webhooks and tasks
    /// as well.
    #[must_use]
    pub fn authority<'a>(&self, actor: &'a Principal) -> Authority<'a> {
        Authority::new(actor, self.inner.accounts.clone())
    }

    /// The host's accounts.
    #[must_use]
    pub fn accounts(&self) -> &Arc<dyn Accounts> {
        &self.inner.accounts
    }

    /// Writes the logins that were not written yet. To be called when the host stops.
    pub async fn shutdown(&self) {
        self.inner.flush_logins().await;
    }
}
