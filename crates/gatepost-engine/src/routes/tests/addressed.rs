//! Occurrences for selected webhooks, and webhooks that list channels.

use gatepost_storage::webhooks::{RecordStore as _, RoutesVersion};
use webhook_model::{Occurrence, Target, WebhookId, WebhookIds};

use super::*;
use crate::testing::poweron;

/// Creates webhooks with these channels, each with a task that any poweron runs.
async fn listing(records: &Records, channels: &[&str]) -> Vec<WebhookId> {
    let mut webhooks = Vec::new();
    for channels in channels {
        let webhook = records.webhook(|w| w.channels = channels.parse().unwrap());
        let webhook = webhook.await;
        let task = records.task(webhook, "x", false).await;
        records.event(Target::Generic, task).await;
        webhooks.push(webhook);
    }
    webhooks
}

fn of(to: &[WebhookId], channel: Option<&str>) -> Occurrence {
    let to = to.iter().copied();
    let mut occurrence = poweron(7, &[]);
    occurrence.to = WebhookIds::new(to).ok();
    occurrence.channel = channel.map(|channel| channel.parse().unwrap());
    occurrence
}

async fn matched(tables: &Tables, occurrence: &Occurrence) -> Vec<i64> {
    let found: Matched = tables.matched(&COMMON, occurrence).await.unwrap();
    ids(&found)
}

#[tokio::test]
async fn only_selected_webhooks_with_channel_or_none_match() {
    let records = Records::new();
    let hooks = listing(&records, &["", "a", "b, c"]).await;
    let store = counted(&records);
    // Cached, and read for each occurrence if a realm is too large for that.
    for tables in [Tables::new(store.clone(), MIB), Tables::new(store, 0)] {
        assert_eq!(matched(&tables, &of(&[], None)).await, [1]);
        assert_eq!(matched(&tables, &of(&[], Some("a"))).await, [1, 2]);
        assert_eq!(matched(&tables, &of(&[], Some("c"))).await, [1, 3]);
        assert_eq!(matched(&tables, &of(&[], Some("A"))).await, [1]);
        assert_eq!(matched(&tables, &of(&hooks[1..], Some("a"))).await, [2]);
        assert_eq!(matched(&tables, &of(&hooks[..1], None)).await, [1]);
        let nobody = of(&[WebhookId(99)], Some("a"));
        assert_eq!(matched(&tables, &nobody).await, [0; 0]);
    }
}

#[tokio::test]
async fn channel_changes_are_followed_after_refresh() {
    let records = Records::new();
    let hooks = listing(&records, &["a"]).await;
    let store = counted(&records);
    let tables = Tables::new(store.clone(), MIB);
    assert_eq!(matched(&tables, &of(&[], Some("b"))).await, [0; 0]);
    let seen = async || -> Vec<(Realm, RoutesVersion)> {
        tables
            .matched(&COMMON, &poweron(7, &[]))
            .await
            .unwrap()
            .seen
    };
    for (channels, expected) in [("b", &[1][..]), ("", &[1]), ("c", &[])] {
        let before = seen().await;
        let mut row = store.webhook(hooks[0]).await.unwrap().unwrap();
        row.value.channels = channels.parse().unwrap();
        let most = gatepost_storage::AtMost::UNLIMITED;
        store.update_webhook(&row, most, noon()).await.unwrap();
        tables.refresh(&before).await.unwrap();
        assert_eq!(
            matched(&tables, &of(&[], Some("b"))).await,
            expected,
            "{channels}"
        );
    }
}
