//! The service and its parts.

use std::fmt;
use std::sync::Arc;

use apikey_core::Prefix;
use gatepost_ids::Accounts;

use super::admission::Admission;
use super::changes::Changes;
use super::lookup::Lookup;
use super::outcomes::Outcomes;
use super::teller::Teller;
use crate::authority::Authority;
use crate::guesses::GuessLimiter;
use crate::principal::Principal;
use crate::throttle::RequestLimits;

/// Creates, checks, changes and deletes API keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct KeyService(pub(super) Arc<Parts>);

pub(super) struct Parts {
    pub(super) keys: Lookup,
    pub(super) admission: Admission,
    pub(super) outcomes: Outcomes,
    pub(super) changes: Changes,
    /// Of new keys.
    pub(super) prefix: Prefix,
    pub(super) teller: Teller,
}

impl KeyService {
    /// Decides for a caller what is its own to manage; other crates ask it for webhooks and tasks
    /// as well.
    #[must_use]
    pub fn authority<'a>(&self, actor: &'a Principal) -> Authority<'a> {
        Authority::new(actor, Arc::clone(self.accounts()))
    }

    /// The platform's accounts.
    #[must_use]
    pub fn accounts(&self) -> &Arc<dyn Accounts> {
        &self.0.admission.accounts
    }

    /// The limiter of all guesses: of keys, and of what the layer's
    /// [`PlatformLogin`](crate::PlatformLogin) refuses. A login page of the platform's own asks the
    /// same one, so that whoever is refused at one door is refused at all.
    #[must_use]
    pub fn guesses(&self) -> &GuessLimiter {
        &self.0.outcomes.guesses
    }

    /// How many requests keys may make in this process.
    #[must_use]
    pub fn request_limits(&self) -> RequestLimits {
        self.0.keys.throttle.limits
    }

    /// Writes the logins and uses that were not written yet. To be called when the platform stops.
    pub async fn shutdown(&self) {
        self.0.flush().await;
    }
}

impl Parts {
    /// Writes what was noted, whether or not the caller waits for the end. What the store does not
    /// take is dropped: a later login of the key replaces it, and uses are missing.
    pub(super) async fn flush(self: &Arc<Self>) {
        if self.admission.waiting.is_written() {
            return;
        }
        let parts = Arc::clone(self);
        let written = tokio::spawn(async move {
            parts.admission.waiting.flush(&*parts.keys.store).await;
        });
        // A store that panics took nothing.
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
