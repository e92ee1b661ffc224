//! The contract tests of the outbox. Each takes an empty store.

mod shared;
mod turns;

use gatepost_ids::Realm;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{
    Basis, Enqueue, Enqueued, Origin, OutboxId, PutBack, RoutesVersion,
};
pub use shared::*;
pub use turns::*;

use crate::fixtures::{
    at, claim, direct, from_outbox, full_occurrence, message, named, occurrence, outbox, queued,
    version,
};
use crate::harness::Webhooks;

async fn push(store: &Webhooks) -> OutboxId {
    let pushed = store.outbox.push_outbox(&occurrence("on"), at(0)).await;
    pushed.unwrap()
}

async fn waiting(store: &Webhooks) -> Vec<OutboxId> {
    let rows = outbox(store, 99).await;
    rows.into_iter().map(|r| r.id).collect()
}

/// An occurrence waits in the outbox as it was pushed: variables in their order with duplicates,
/// tags in theirs.
pub async fn o01_an_occurrence_waits_as_it_was_pushed(store: Webhooks) {
    let id = store
        .outbox
        .push_outbox(&full_occurrence(), at(0))
        .await
        .unwrap();
    let rows = outbox(&store, 0).await;
    assert_eq!(rows.len(), 1, "O1 one row");
    assert_eq!(
        (rows[0].id, rows[0].occurrence.as_ref()),
        (id, Ok(&full_occurrence())),
        "O1"
    );
}

/// Waiting rows are returned oldest first, at most `limit` of them, and again until they are
/// consumed.
pub async fn o02_the_oldest_rows_come_first(store: Webhooks) {
    let ids = [push(&store).await, push(&store).await, push(&store).await];
    for _ in 0..2 {
        let taken = store.outbox.take_outbox(1, 2, at(9), at(0)).await.unwrap();
        let rows = taken.expect("O2 rows are due").rows.into_iter();
        let rows: Vec<_> = rows.map(|r| r.id).collect();
        assert_eq!(rows, ids[..2], "O2");
    }
}

/// Of sixteen that consume a row at once, one stores its deliveries.
pub async fn o03_a_row_is_used_up_once(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let (used, stays) = (push(&store).await, push(&store).await);
    let racers: Vec<_> = (0..16)
        .map(|n| {
            let queue = store.queue.clone();
            let batch = Enqueue {
                origin: from_outbox(used),
                ..direct(vec![message(hook, &format!("m{n}"), at(0))])
            };
            tokio::spawn(async move { queue.enqueue(batch, at(0)).await.unwrap() })
        })
        .collect();
    let mut stored = 0;
    for racer in racers {
        match racer.await.unwrap() {
            Enqueued::Stored { .. } => stored += 1,
            other => assert_eq!(other, Enqueued::AlreadyKnown, "O3 the others"),
        }
    }
    assert_eq!(stored, 1, "O3 one of them");
    assert_eq!(claim(&store, hook, 0).await.len(), 1, "O3 one delivery");
    assert_eq!(waiting(&store).await, [stays], "O3 the row is gone");
}

/// A row whose enqueue stored nothing still waits; one that matched nothing is consumed.
pub async fn o04_a_row_waits_until_its_enqueue_is_stored(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let id = push(&store).await;
    let before = version(&store, Realm::Shared).await;
    let of = |hook, basis| Enqueue {
        origin: from_outbox(id),
        basis,
        ..direct(vec![message(hook, "a", at(0))])
    };
    let old = Basis::Realms(vec![(Realm::Shared, RoutesVersion(before.0 - 1))]);
    let refused = store.queue.enqueue(of(hook, old), at(0)).await.unwrap();
    assert_eq!(refused, Enqueued::RoutesChanged, "O4 old routes");
    let nowhere = webhook_model::WebhookId(hook.0 + 1000);
    let refused = store
        .queue
        .enqueue(of(nowhere, Basis::Nothing), at(0))
        .await;
    assert_eq!(
        refused.err().map(|e| e.kind()),
        Some(ErrorKind::Invalid),
        "O4 unknown webhook"
    );
    assert_eq!(waiting(&store).await, [id], "O4 still waits");
    let nothing = Enqueue {
        origin: from_outbox(id),
        ..direct(Vec::new())
    };
    store.queue.enqueue(nothing, at(1)).await.unwrap();
    assert_eq!(waiting(&store).await, [], "O4 matched nothing: consumed");
}

/// A row that was set aside is not given out again, whatever turn is shown; one that does not exist
/// is left alone.
pub async fn o05_a_row_set_aside_is_not_given_out(store: Webhooks) {
    let (bad, good) = (push(&store).await, push(&store).await);
    let aside = PutBack::Aside("unknown type".to_owned());
    let missing = OutboxId(good.0 + 1000);
    for row in [bad, missing] {
        let done = store.outbox.put_back(row, 7, aside.clone()).await;
        done.unwrap();
    }
    assert_eq!(waiting(&store).await, [good], "O5");
}

/// A row whose occurrence is known is consumed and stores nothing; one whose occurrence is new
/// makes it known.
pub async fn o06_a_known_occurrence_uses_its_row_up(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let (first, again) = (push(&store).await, push(&store).await);
    let of = |origin, id: &str| Enqueue {
        origin,
        ..direct(vec![message(hook, id, at(0))])
    };
    let row = |row| Origin::Outbox {
        row,
        turn: 0,
        occurrence: Some((Realm::Shared, "o1".parse().unwrap())),
        left: None,
    };
    let stored = store.queue.enqueue(of(row(first), "a"), at(0)).await;
    assert!(matches!(stored, Ok(Enqueued::Stored { .. })), "O6 new");
    let known = store.queue.enqueue(of(row(again), "b"), at(0)).await;
    assert_eq!(known.unwrap(), Enqueued::AlreadyKnown, "O6 known");
    assert_eq!(waiting(&store).await, [], "O6 both rows are consumed");
    let direct = named("o1");
    let known = store.queue.enqueue(of(direct, "c"), at(0)).await;
    assert_eq!(known.unwrap(), Enqueued::AlreadyKnown, "O6 known to all");
    assert_eq!(claim(&store, hook, 0).await.len(), 1, "O6 one delivery");
}
