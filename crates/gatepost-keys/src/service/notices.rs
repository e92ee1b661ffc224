//! The background task that sends notices which no request causes.

use std::sync::Weak;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::StoreError;

use super::expiry_notices::Expiring;
use super::key_service::Parts;
use crate::observer::KeyNoticeKind;

/// The interval of the search for expiring keys.
const ROUND: TimeDelta = TimeDelta::minutes(1);
/// The maximum number of refused keys that are reported together.
const AT_ONCE: usize = 100;

/// Sends due notices, for as long as the service exists.
pub(super) async fn tell_on(parts: Weak<Parts>, every: Duration) {
    let (mut expiring, mut next) = (Expiring::new(), DateTime::<Utc>::MIN_UTC);
    loop {
        tokio::time::sleep(every).await;
        let Some(parts) = parts.upgrade() else { return };
        let now = parts.keys.clock.now();
        if let Err(error) = tell_refused(&parts, now).await {
            tracing::warn!(%error, "could not announce refused keys");
        }
        // A clock that was set back does not delay it.
        if next <= now || next > now + ROUND {
            next = now + ROUND;
            if let Err(error) = expiring.round(&parts, now).await {
                tracing::warn!(%error, "could not announce expiring keys");
            }
        }
    }
}

async fn tell_refused(parts: &Parts, now: DateTime<Utc>) -> Result<(), StoreError> {
    for refused in parts.admission.refusals.take(AT_ONCE, now) {
        let Some(row) = parts.keys.store.key(refused.key).await? else {
            continue;
        };
        let news = KeyNoticeKind::RefusedAddress {
            from: refused.from,
            count: refused.count,
            hour: refused.hour,
        };
        parts.teller.tell(&row, news).await;
    }
    Ok(())
}
