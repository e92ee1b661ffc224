//! Finds webhooks that were in trouble before this process began.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_storage::webhooks::{HourlyCount, WebhookStore};
use gatepost_storage::{Scope, StoreError};

use crate::settle::has_failed;

/// How many hours back an engine that starts looks for webhooks in trouble.
const BACK: i32 = 24;
/// The maximum number of webhooks found.
const MOST: u32 = 100_000;

/// Returns the webhooks for which, in their last hour with counts, deliveries were given up and
/// none was sent. It reads hour by hour, so that one owner's hours do not displace another's.
pub(super) async fn failing(
    store: &dyn WebhookStore,
    now: DateTime<Utc>,
) -> Result<Vec<HourlyCount>, StoreError> {
    let (mut newest, an_hour) = (BTreeMap::new(), TimeDelta::hours(1));
    let this = now.duration_trunc(an_hour).unwrap_or(now);
    for back in 0..=BACK {
        let from = this - an_hour * back;
        let counts = store.hourly_counts(Scope::All, None, from, from + an_hour, MOST);
        for count in counts.await? {
            if newest.len() < MOST as usize {
                newest.entry(count.webhook).or_insert(count);
            }
        }
    }
    let failing = |count: &HourlyCount| count.sent == 0 && count.failed > 0 && has_failed(count);
    Ok(newest.into_values().filter(failing).collect())
}

#[cfg(test)]
mod tests {
    use gatepost_storage::webhooks::DeliveryLog as _;

    use super::*;
    use crate::testing::{Records, noon};

    #[tokio::test]
    async fn failing_webhook_among_busy_ones_is_found() {
        let records = Records::new();
        let store = &*records.store;
        let fails = records.webhook(|_| {}).await;
        let hour = |back: i32| noon() - TimeDelta::hours(1) * back;
        let cancelled = HourlyCount::failed(records.webhook(|_| {}).await, hour(20));
        let failed = HourlyCount {
            milliseconds: 5,
            ..HourlyCount::failed(fails, hour(20))
        };
        let mut counts = vec![cancelled, failed];
        for _ in 0..100 {
            let busy = records.webhook(|_| {}).await;
            counts.extend((0..BACK).map(|back| HourlyCount {
                sent: 1,
                ..HourlyCount::none(busy, hour(back))
            }));
        }
        store.add_counts(&counts).await.unwrap();
        let found = failing(store, noon()).await.unwrap();
        let found: Vec<_> = found.iter().map(|count| count.webhook).collect();
        assert_eq!(found, [fails]);
    }
}
