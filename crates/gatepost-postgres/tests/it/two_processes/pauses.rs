//! Pause and suspension during an enqueue.

use gatepost_ids::OwnerId;
use gatepost_postgres::PostgresStore;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at};
use webhook_model::{Activity, WebhookId};

use super::{KINDS, Race, settle};

#[derive(Clone, Copy, Debug)]
enum Stop {
    Pause,
    Suspension,
}

impl Stop {
    async fn set(self, store: PostgresStore, webhook: WebhookId, is_on: bool) {
        match self {
            Self::Pause => {
                let mut row = store.webhook(webhook).await.unwrap().unwrap();
                row.value.activity = match is_on {
                    true => Activity::Paused,
                    false => Activity::Active,
                };
                store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
            }
            Self::Suspension => {
                let set = store.hold_owner(OwnerId(1), is_on, at(1));
                set.await.unwrap();
            }
        }
    }
}

async fn next_to_enqueue(stop: Stop) {
    for kind in KINDS {
        let race = Race::new().await;
        let hook = race.two.of_one;
        let later = race.batch(kind, "later").await;
        let batch = race.batch(kind, "m").await;
        let raced = race.run(batch, |b| stop.set(b, hook, true)).await;
        raced.assert_nothing_appeared(&race.two.a, kind).await;
        assert_eq!(race.claim(hook, 2).await, [], "{kind:?}");
        // A leased delivery is released, and waits like the rest.
        let retry = Disposition::Retry { due: at(3) };
        settle(&race.two.a, raced.claims(), retry).await;
        assert_eq!(race.claim(hook, 4).await, [], "{kind:?}");
        race.assert_refused(later, kind).await;
        raced.assert_nothing_appeared(&race.two.a, kind).await;
        stop.set(race.two.b.clone(), hook, false).await;
        let claimed = race.claim(hook, 5).await;
        let claimed: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
        assert_eq!(claimed, raced.ids(), "{kind:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pause_next_to_enqueue_holds_once_returned() {
    next_to_enqueue(Stop::Pause).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suspension_next_to_enqueue_holds_once_returned() {
    next_to_enqueue(Stop::Suspension).await;
}
