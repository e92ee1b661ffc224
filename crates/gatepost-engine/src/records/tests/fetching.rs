//! Messages that their receiver fetches.

use gatepost_storage::webhooks::{DeliveryLog as _, UsageDelta};
use webhook_model::DeliveryMode;

use super::*;

#[tokio::test]
async fn unreadable_messages_end_with_their_bytes() {
    let (records, bench) = bench().await;
    let fetched = records.webhook(|webhook| webhook.mode = DeliveryMode::Fetch);
    let webhook = fetched.await;
    for _ in 0..2 {
        records.waiting(webhook, "text").await;
    }
    let owner = records.deliveries().await[0].owner;
    let counted = UsageDelta {
        owner,
        waiting: 2,
        waiting_bytes: 8,
        log_bytes: 0,
    };
    records.store.add_usage(&[counted]).await.unwrap();
    // Their key is lost.
    bench.store.alter(|passing| {
        if let Passing::Listed(deliveries) = passing {
            for delivery in deliveries {
                (delivery.body, delivery.message_kept) = ("".into(), false);
            }
        }
    });
    let page = bench.engine().fetch(webhook, None, 10).await.unwrap();
    assert!(page.messages.is_empty());
    bench.core.access.flush().await;
    let used = records.store.log_usage(&[owner]).await.unwrap()[0];
    assert_eq!((used.waiting, used.waiting_bytes), (0, 0));
}
