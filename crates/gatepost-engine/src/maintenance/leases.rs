//! What one process at a time does.

use std::time::Duration;

use chrono::TimeDelta;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::WebhookStore;

use crate::clock::EngineClock;
use crate::guard::guarded;

/// Whether this process, the holder, is the one that does it for that time.
pub(super) async fn lease(
    store: &dyn WebhookStore,
    clock: &EngineClock,
    holder: u128,
    name: &str,
    time: Duration,
) -> bool {
    let lease = async {
        let now = clock.now()?;
        let until = now + TimeDelta::from_std(time).unwrap_or_default();
        store.lease(name, holder, until, now).await
    };
    lease.await.unwrap_or_else(|error: StoreError| {
        guarded(|| tracing::warn!(name, %error, "could not take a lease"));
        false
    })
}
