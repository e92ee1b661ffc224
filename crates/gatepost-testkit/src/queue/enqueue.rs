//! Deliveries that an enqueue stores, and deliveries that it refuses.

use gatepost_ids::Realm;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{Enqueue, Enqueued, NewDelivery};
use webhook_model::{Activity, WebhookId};

use super::look::names;
use crate::fixtures::{UNLIMITED, at, change, claim, direct, message, named, queued, task, under};
use crate::harness::Webhooks;

/// An occurrence with an id is stored once.
pub async fn q10_an_occurrence_happens_once(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let of = |id| Enqueue {
        origin: named("o1"),
        ..direct(vec![message(hook, id, at(0))])
    };
    let first = store.queue.enqueue(of("a"), at(0)).await.unwrap();
    assert!(matches!(first, Enqueued::Stored { .. }), "Q10 first");
    let again = store.queue.enqueue(of("b"), at(1)).await.unwrap();
    assert_eq!(again, Enqueued::AlreadyKnown, "Q10 again");
    assert_eq!(
        names(&claim(&store, hook, 2).await),
        ["a"],
        "Q10 stored once"
    );
}

/// An enqueue under routes that have changed stores nothing.
pub async fn q11_changed_routes_store_nothing(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let old = under(&store, &[Realm::Shared]).await;
    change(&store, hook, |w| w.activity = Activity::Active).await;
    let on = |basis| Enqueue {
        basis,
        ..direct(vec![message(hook, "a", at(0))])
    };
    let old = store.queue.enqueue(on(old), at(0)).await.unwrap();
    assert_eq!(old, Enqueued::RoutesChanged, "Q11");
    assert!(
        claim(&store, hook, 1).await.is_empty(),
        "Q11 nothing stored"
    );
    let new = under(&store, &[Realm::Shared]).await;
    let new = store.queue.enqueue(on(new), at(1)).await.unwrap();
    assert!(
        matches!(new, Enqueued::Stored { .. }),
        "Q11 present version"
    );
}

/// The tasks that an enqueue consumes are deleted with it, and not when it is refused.
pub async fn q12_consumed_tasks_go_with_the_enqueue(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let id = store
        .records
        .insert_task(&task(hook), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let of = |hook| Enqueue {
        consume: vec![id],
        ..direct(vec![message(hook, "a", at(0))])
    };
    let refused = store.queue.enqueue(of(WebhookId(hook.0 + 1)), at(0)).await;
    assert!(refused.is_err(), "Q12 unknown webhook");
    assert!(store.records.task(id).await.unwrap().is_some(), "Q12 kept");
    store.queue.enqueue(of(hook), at(0)).await.unwrap();
    assert!(
        store.records.task(id).await.unwrap().is_none(),
        "Q12 deleted"
    );
}

/// A delivery that is stored as leased is not claimable before its lease ends.
pub async fn q13_what_is_leased_is_not_claimed(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let leased = NewDelivery {
        lease_until: Some(at(10)),
        ..message(hook, "a", at(0))
    };
    store
        .queue
        .enqueue(direct(vec![leased]), at(0))
        .await
        .unwrap();
    assert!(claim(&store, hook, 5).await.is_empty(), "Q13 leased");
    store.queue.reclaim(9, at(10)).await.unwrap();
    assert_eq!(claim(&store, hook, 10).await.len(), 1, "Q13 reclaimed");
}

/// An enqueue for a webhook that does not exist is refused whole.
pub async fn q19_an_unknown_webhook_is_refused(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let unknown = WebhookId(hook.0 + 1);
    let batch = vec![message(hook, "a", at(0)), message(unknown, "b", at(0))];
    let refused = store.queue.enqueue(direct(batch), at(0)).await;
    assert_eq!(
        refused.map_err(|e| e.kind()),
        Err(ErrorKind::Invalid),
        "Q19"
    );
    assert!(
        claim(&store, hook, 1).await.is_empty(),
        "Q19 nothing stored"
    );
}
