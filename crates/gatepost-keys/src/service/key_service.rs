//! The service and its parts.

use std::fmt;
use std::sync::Arc;

use apikey_core::Prefix;
use gatepost_ids::Accounts;

use super::admission::Admission;
use super::changes::Changes;
use super::lookup::Lookup;
use super::notifier::Teller;
use super::outcomes::Outcomes;
use crate::authority::Authority;
use crate::guesses::GuessLimiter;
use crate::principal::Principal;
use crate::throttle::RequestLimits;

/// The key service: creates, checks, changes and deletes API keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct KeyService(pub(super) Arc<Parts>);

pub(super) struct Parts {
    pub(super) keys: Lookup,
    pub(super) admission: Admission,
    pub(super) outcomes: Outcomes,
    pub(super) changes: Changes,
    /// The prefix of new keys.
    pub(super) prefix: Prefix,
    pub(super) teller: Teller,
}

impl KeyService {
    /// Returns the authorization of a caller; other crates use it for webhooks and tasks as well.
    #[must_use]
    pub fn authority<'a>(&self, actor: &'a Principal) -> Authority<'a> {
        Authority::new(actor, Arc::clone(self.accounts()))
    }

    /// Returns the platform's accounts.
    #[must_use]
    pub fn accounts(&self) -> &Arc<dyn Accounts> {
        &self.0.admission.accounts
    }

    /// Returns the limiter of all guesses: of keys, and of logins that the layer's
    /// [`PlatformLogin`](crate::PlatformLogin) refuses. A login page of the platform must use the
    /// same limiter, so that a blocked client is blocked everywhere.
    #[must_use]
    pub fn guesses(&self) -> &GuessLimiter {
        &self.0.outcomes.guesses
    }

    /// Returns the request limits of keys in this process.
    #[must_use]
    pub fn request_limits(&self) -> RequestLimits {
        self.0.keys.throttle.limits
    }

    /// Writes the logins and uses that were not written yet. Call it when the platform stops.
    pub async fn shutdown(&self) {
        self.0.flush().await;
    }
}

impl Parts {
    /// Writes the notes, whether or not the caller waits for the end. If the store fails, they are
    /// dropped: a later login of the key replaces the login, and uses are missing.
    pub(super) async fn flush(self: &Arc<Self>) {
        if self.admission.waiting.is_written() {
            return;
        }
        let parts = Arc::clone(self);
        let written = tokio::spawn(async move {
            parts.admission.waiting.flush(&*parts.keys.store).await;
        });
        // A store that panics stored nothing.
        let _ = written.await;
    }
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("store", &self.keys.store)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
