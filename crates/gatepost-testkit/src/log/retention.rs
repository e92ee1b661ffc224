//! Removal, ending and forgetting by age and by share.

use gatepost_storage::webhooks::{
    DeliveryQuery, DeliveryState, Disposition, Enqueue, Enqueued, LogUsage, PurgeBounds,
};
use webhook_model::{Activity, OwnerId};

use super::look::{all, listed, number};
use crate::fixtures::{
    UNLIMITED, at, change, claim, direct, end, keep_all, message, named, purge, queued, webhook,
};
use crate::harness::Webhooks;
use crate::world::{enqueue, set};

/// A delivery that a paused webhook has held for too long ends in `error`, up to the limit; a
/// younger one, or one of an active webhook, stays.
pub async fn l08_what_was_held_too_long_expires(store: Webhooks) {
    let active = queued(&store, &["active"]).await;
    let paused = store
        .records
        .insert_webhook(&webhook("p"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    for (id, now) in [("a", 1), ("b", 2), ("young", 10)] {
        let batch = direct(vec![message(paused, id, at(now))]);
        store.queue.enqueue(batch, at(now)).await.unwrap();
    }
    change(&store, paused, |w| w.activity = Activity::Paused).await;
    assert_eq!(
        store.log.expire_held(at(10), 1, at(20)).await.unwrap(),
        1,
        "L8 the limit"
    );
    assert_eq!(
        store.log.expire_held(at(10), 9, at(20)).await.unwrap(),
        1,
        "L8 the rest"
    );
    assert_eq!(
        store.log.expire_held(at(10), 9, at(20)).await.unwrap(),
        0,
        "L8 no more"
    );
    let row = store
        .log
        .delivery(number(&store, "a").await)
        .await
        .unwrap()
        .unwrap();
    let stood = (row.state, row.status_info.as_str());
    assert_eq!(
        stood,
        (DeliveryState::Error, "expired while it waited"),
        "L8"
    );
    let open = DeliveryQuery {
        states: vec![DeliveryState::Queued],
        ..all()
    };
    assert_eq!(
        listed(&store, &open).await,
        ["active", "young"],
        "L8 the others stay"
    );
    assert_eq!(claim(&store, active, 20).await.len(), 1, "L8 and are sent");
}

/// Retention by age removes ended deliveries with their attempts, up to the limit, and never one
/// that is queued or running.
pub async fn l09_retention_by_age_never_takes_a_live_row(store: Webhooks) {
    let hook = queued(&store, &["a", "b"]).await;
    end(&store, hook, Disposition::Failed, 0).await;
    let batch = direct(vec![message(hook, "running", at(0))]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    assert_eq!(claim(&store, hook, 1).await.len(), 1, "L9 one is running");
    let batch = direct(vec![message(hook, "open", at(0))]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    let a = number(&store, "a").await;
    let keep = PurgeBounds {
        created_before: at(0),
        ..keep_all()
    };
    purge(&store, &keep, 5).await;
    assert_eq!(listed(&store, &all()).await.len(), 4, "L9 not old enough");
    let keep = PurgeBounds {
        created_before: at(1),
        ..keep_all()
    };
    purge(&store, &keep, 5).await;
    assert_eq!(
        listed(&store, &all()).await,
        ["running", "open"],
        "L9 live rows stay"
    );
    assert_eq!(store.log.attempts(a, 99).await.unwrap(), [], "L9 attempts");
}

/// Of an owner over their share the oldest ended deliveries are hidden until the rest is within the
/// share, whichever webhook they are of; what waits stays, and so does what another owner has.
pub async fn l10_an_owner_over_share_loses_the_oldest(store: Webhooks) {
    let (busy, quiet) = (set(&store, 1, "busy").await, set(&store, 1, "quiet").await);
    let other = set(&store, 2, "other").await;
    for (webhook, name) in [
        (other.webhook, "theirs"),
        (quiet.webhook, "a"),
        (busy.webhook, "b"),
        (busy.webhook, "c"),
        (quiet.webhook, "d"),
    ] {
        enqueue(&store, webhook, &[name]).await;
        end(&store, webhook, Disposition::Sent, 0).await;
    }
    let waits = direct(vec![message(busy.webhook, "open", at(90))]);
    store.queue.enqueue(waits, at(0)).await.unwrap();
    let recount = async |owner, share| store.log.recount_usage(owner, share).await.unwrap();
    let used = recount(OwnerId(1), u64::MAX).await;
    let ended = used.log_bytes - used.waiting_bytes;
    assert_eq!(
        recount(OwnerId(1), ended).await,
        used,
        "L10 within the share"
    );
    let left = recount(OwnerId(1), ended / 2).await;
    let wanted = LogUsage {
        log_bytes: used.waiting_bytes + ended / 2,
        ..used
    };
    assert_eq!(left, wanted, "L10 counted");
    let shown = ["theirs", "c", "d", "open"];
    assert_eq!(listed(&store, &all()).await, shown, "L10 hidden");
    purge(&store, &keep_all(), 5).await;
    assert_eq!(listed(&store, &all()).await, shown, "L10 removed");
    assert_eq!(recount(OwnerId(1), u64::MAX).await, wanted, "L10 for good");
    recount(OwnerId(1), ended / 2 - 1).await;
    let shown = ["theirs", "d", "open"];
    assert_eq!(listed(&store, &all()).await, shown, "L10 again");
    recount(OwnerId(1), 0).await;
    let shown = ["theirs", "open"];
    assert_eq!(listed(&store, &all()).await, shown, "L10 nothing");
}

/// The id of an occurrence is known until retention forgets it, and is new from then on.
pub async fn l11_ids_of_occurrences_are_forgotten_by_age(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let of = |occurrence: &str, id: &str| Enqueue {
        origin: named(occurrence),
        ..direct(vec![message(hook, id, at(0))])
    };
    store.queue.enqueue(of("old", "a"), at(1)).await.unwrap();
    store.queue.enqueue(of("new", "b"), at(5)).await.unwrap();
    let keep = PurgeBounds {
        occurrences_before: at(5),
        ..keep_all()
    };
    purge(&store, &keep, 6).await;
    let again = store.queue.enqueue(of("new", "c"), at(7)).await.unwrap();
    assert_eq!(again, Enqueued::AlreadyKnown, "L11 kept");
    let again = store.queue.enqueue(of("old", "d"), at(7)).await.unwrap();
    assert!(matches!(again, Enqueued::Stored { .. }), "L11 forgotten");
}
