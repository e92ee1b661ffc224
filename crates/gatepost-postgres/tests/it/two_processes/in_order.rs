//! A switch to delivery in order during an enqueue: after its return one delivery runs at a time,
//! the oldest first.

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at};
use webhook_model::{DeliveryOrder, WebhookId};

use super::{KINDS, Kind, Race, settle, stored_by};

async fn switch(store: PostgresStore, webhook: WebhookId) {
    let mut row = store.webhook(webhook).await.unwrap().unwrap();
    row.value.order = DeliveryOrder::InOrder;
    store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
}

/// Enqueues in both processes alternately; each number is above the earlier ones.
async fn enqueue_in_turn(race: &Race) -> Vec<DeliveryId> {
    let mut ids = Vec::new();
    for n in 0..4 {
        let store = [&race.two.a, &race.two.b][n % 2];
        let batch = race.batch(Kind::Waiting, &format!("new{n}-")).await;
        let stored = stored_by(store.enqueue(batch, at(0)).await.unwrap());
        ids.extend(stored.iter().map(|stored| stored.id));
    }
    assert!(ids.is_sorted(), "{ids:?}");
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switch_next_to_enqueue_sends_one_by_one() {
    for kind in KINDS {
        let race = Race::new().await;
        let hook = race.two.of_one;
        // The first process has unused numbers, if it draws several at a time.
        let before = race.batch(Kind::Waiting, "before").await;
        let before = race.enqueue(before).await;
        let later = race.batch(kind, "later").await;
        let batch = race.batch(kind, "m").await;
        let raced = race.run(batch, |b| switch(b, hook)).await;
        raced.assert_nothing_appeared(&race.two.a, kind).await;
        race.assert_refused(later, kind).await;
        let mut waiting: Vec<_> = before.iter().map(|stored| stored.id).collect();
        for claim in raced.claims() {
            // A delivery that was leased before the switch ends first.
            assert_eq!(race.claim(hook, 2).await, [], "{kind:?}");
            settle(&race.two.a, [claim].into_iter(), Disposition::Sent).await;
        }
        let queued = raced.stored.iter().filter(|stored| stored.token.is_none());
        waiting.extend(queued.map(|stored| stored.id));
        waiting.sort_unstable();
        let new = enqueue_in_turn(&race).await;
        assert!(raced.shown.last() < new.first(), "{kind:?}");
        waiting.extend(new);
        for id in waiting {
            let claimed = race.claim(hook, 2).await;
            let ids: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
            assert_eq!(ids, [id], "{kind:?}");
            assert_eq!(race.claim(hook, 2).await, [], "{kind:?}: one at a time");
            let claims = claimed.iter().map(|claimed| Claim {
                delivery: claimed.delivery.id,
                token: claimed.token,
            });
            settle(&race.two.b, claims, Disposition::Sent).await;
        }
        assert_eq!(race.claim(hook, 2).await, [], "{kind:?}");
    }
}
