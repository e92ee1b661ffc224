//! Durable contents of the queue and the log.

use gatepost_storage::webhooks::{
    Claim, DeliveryQuery, Disposition, Enqueued, HourlyCount, NewDelivery, Settled,
};
use gatepost_storage::{Page, Scope};
use webhook_model::{OwnerId, WebhookId};

use super::home::{Home, NOT_DURABLE};
use crate::fixtures::{
    at, claim, direct, end, keep_all, message, occurrence, purge, queued, settlement_of,
};
use crate::harness::Webhooks;
use crate::log::look::number;
use crate::outcome::Outcome;

async fn shown(store: &Webhooks) -> Vec<String> {
    let query = DeliveryQuery::all(Page::first(99));
    let rows = store.log.list_deliveries(&query).await.unwrap();
    rows.iter().map(|row| row.message_id.to_string()).collect()
}

/// Returns the claims of two deliveries that share a lease.
async fn leased(store: &Webhooks, hook: WebhookId) -> Vec<Claim> {
    let new = ["x", "y"].map(|id| NewDelivery {
        lease_until: Some(at(500)),
        ..message(hook, id, at(2))
    });
    let stored = store.queue.enqueue(direct(new.to_vec()), at(2)).await;
    let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
        panic!("D10 not stored");
    };
    let proof = deliveries.iter().map(|stored| Claim {
        delivery: stored.id,
        token: stored.token.unwrap(),
    });
    proof.collect()
}

/// What retention hid stays hidden, replays go on counting, hourly counts and the queue's figures
/// are there, who has an audience of the outbox has it, and what shares a lease still ends one by
/// one.
pub async fn d10_queue_and_log_go_on(home: Home) -> Outcome {
    let store = home.fresh().await;
    let hook = queued(&store, &["hidden", "a"]).await;
    end(&store, hook, Disposition::Failed, 0).await;
    let used = store.log.recount_usage(OwnerId(1), u64::MAX).await.unwrap();
    let half = store.log.recount_usage(OwnerId(1), used.log_bytes / 2);
    half.await.unwrap();
    purge(&store, &keep_all(), 1).await;
    assert_eq!(shown(&store).await, ["a"], "D10 one is shown");
    let given = leased(&store, hook).await;
    let first = vec![settlement_of(given[0], Disposition::Sent)];
    store.queue.settle(first, at(3)).await.unwrap();
    let count = HourlyCount {
        webhook: hook,
        hour: at(3_600),
        sent: 7,
        last_sent: Some(at(3_599)),
        failed: 6,
        retried: 5,
        milliseconds: 4,
        bytes: 3,
    };
    store.log.add_counts(&[count]).await.unwrap();
    let counted = store.log.count_queue(at(4)).await.unwrap();
    store
        .outbox
        .push_outbox(&occurrence("on"), at(4))
        .await
        .unwrap();
    let taken = store.outbox.take_outbox(1, 9, at(99), at(4)).await.unwrap();
    assert!(taken.is_some(), "D10 taken");

    let Some(store) = home.reopen(store).await else {
        return NOT_DURABLE;
    };
    assert_eq!(shown(&store).await, ["a", "x", "y"], "D10 what was hidden");
    let found = store
        .log
        .hourly_counts(Scope::All, None, at(0), at(9_999), 9)
        .await;
    assert_eq!(found.unwrap(), [count], "D10 counts");
    let found = store.log.queue_stats().await.unwrap();
    assert_eq!(found, Some(counted), "D10 figures");
    let none = store
        .outbox
        .take_outbox(2, 9, at(99), at(98))
        .await
        .unwrap();
    assert_eq!(none, None, "D10 another has it");
    let both = given
        .iter()
        .map(|claim| settlement_of(*claim, Disposition::Sent));
    let both = store.queue.settle(both.collect(), at(5)).await.unwrap();
    assert_eq!(both, [Settled::Done; 2], "D10 again, and the other");
    let failed = number(&store, "a").await;
    let count = store.log.replay(&[failed], at(6)).await.unwrap();
    assert_eq!(count, 1, "D10 replayed");
    let again = claim(&store, hook, 6).await;
    let again: Vec<_> = again
        .iter()
        .map(|c| {
            (
                c.delivery.message_id.as_str(),
                c.delivery.attempts,
                c.delivery.tries,
            )
        })
        .collect();
    assert_eq!(again, [("a", 1, 0)], "D10 goes on counting");
    Outcome::Held
}
