//! The occurrences in channels that a webhook receives, and the times of its retries.

use std::slice::from_ref;

use gatepost_ids::Realm;
use gatepost_storage::webhooks::WebhookRoute;

use crate::fixtures::{UNLIMITED, at, routes, version};
use crate::harness::Webhooks;
use crate::world::set;

/// A webhook must keep its channels and its own delays between attempts, through edits of both;
/// every read of the routes, of the whole realm, by event or as a change, must return the channels.
pub async fn r43_a_webhook_is_matched_by_its_channels(store: Webhooks) {
    let records = &store.records;
    let of = set(&store, 1, "w").await;
    let event = records.event(of.event).await.unwrap().unwrap().value;
    for (channels, delays) in [("Project-7, a.b_c", ""), ("x", "5s, 90s, 1d"), ("", "1m")] {
        let before = version(&store, Realm::Shared).await;
        let mut row = records.webhook(of.webhook).await.unwrap().unwrap();
        row.value.channels = channels.parse().unwrap();
        row.value.retry_schedule = delays.parse().ok();
        let edited = records
            .update_webhook(&row, UNLIMITED, at(1))
            .await
            .unwrap();
        let read = records.webhook(of.webhook).await.unwrap().unwrap();
        for row in [&edited, &read] {
            assert_eq!(row.value.channels.to_string(), channels, "R43 {channels}");
            assert_eq!(
                row.value.retry_schedule,
                delays.parse().ok(),
                "R43 {delays}"
            );
        }

        let expected = WebhookRoute::of(&edited);
        let whole = routes(&store, Realm::Shared).await.webhooks;
        assert_eq!(whole, from_ref(&expected), "R43 of the realm");
        let some = records.routes_of(Realm::Shared, &event.event_type, &event.event);
        assert_eq!(some.await.unwrap().webhooks, whole, "R43 of the event");
        let changes = records.route_changes(Realm::Shared, before).await.unwrap();
        let Some(changes) = changes else {
            panic!("R43 the last change is forgotten");
        };
        assert_eq!(
            changes.webhooks,
            [(of.webhook, Some(expected))],
            "R43 as a change"
        );
    }
}
