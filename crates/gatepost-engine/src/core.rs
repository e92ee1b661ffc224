//! Dependencies that most parts of an engine share.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::WebhookStore;

use crate::access::Authorizer;
use crate::clock::EngineClock;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// The store, the clock and the process, shared by all parts of an engine.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub store: Arc<dyn WebhookStore>,
    pub clock: Arc<EngineClock>,
    /// Accounts, access and quotas.
    pub access: Arc<Authorizer>,
    pub lifecycle: Lifecycle,
    /// The number under which this process holds leases; random.
    pub holder: u128,
}

impl Core {
    /// Takes or extends a lease; returns whether this process has it for that time.
    pub(crate) async fn lease(&self, name: &str, time: Duration) -> Result<bool, StoreError> {
        let now = self.clock.now()?;
        let until = now + TimeDelta::from_std(time).unwrap_or_default();
        self.store.lease(name, self.holder, until, now).await
    }

    /// As [`lease`](Self::lease); a failure of the store is logged.
    pub(crate) async fn has_lease(&self, name: &str, time: Duration) -> bool {
        let leased = self.lease(name, time).await;
        leased.unwrap_or_else(|error| {
            guarded(|| tracing::warn!(name, %error, "could not take a lease"));
            false
        })
    }
}
