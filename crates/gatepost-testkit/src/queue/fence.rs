//! The validity of a token, and repeated settlements.

use gatepost_storage::webhooks::{
    Cascade, Claim, ClaimToken, DeliveryId, DeliveryState, Disposition, Enqueued, NewDelivery,
    Settled,
};

use crate::fixtures::{UNLIMITED, at, claim, direct, message, queued, settlement_of, webhook};
use crate::harness::Webhooks;

async fn settle(store: &Webhooks, claim: Claim, disposition: Disposition, now: i64) -> Settled {
    let one = vec![settlement_of(claim, disposition)];
    store.queue.settle(one, at(now)).await.unwrap()[0]
}

async fn state(store: &Webhooks, id: DeliveryId) -> DeliveryState {
    store.log.delivery(id).await.unwrap().unwrap().state
}

/// Claims the due deliveries of `queued`'s webhook; returns the delivery and the claim.
async fn claims(store: &Webhooks, hook: webhook_model::WebhookId, now: i64) -> Vec<Claim> {
    let claimed = claim(store, hook, now).await;
    let proof = claimed.iter().map(|c| Claim {
        delivery: c.delivery.id,
        token: c.token,
    });
    proof.collect()
}

/// Deliveries that were stored or claimed together end one by one, whether or not they share a
/// token: the end of one is not that of another.
pub async fn q37_what_was_given_together_ends_one_by_one(store: Webhooks) {
    let hook = queued(&store, &["waits"]).await;
    let leased = ["a", "b", "c"].map(|id| NewDelivery {
        lease_until: Some(at(10)),
        ..message(hook, id, at(0))
    });
    let stored = store.queue.enqueue(direct(leased.to_vec()), at(0)).await;
    let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
        panic!("Q37 not stored");
    };
    let given: Vec<Claim> = deliveries
        .iter()
        .map(|stored| Claim {
            delivery: stored.id,
            token: stored.token.unwrap(),
        })
        .collect();
    let before = DeliveryId(given[0].delivery.0 - 1);
    let wrong = Claim {
        delivery: before,
        ..given[0]
    };
    let stale = settle(&store, wrong, Disposition::Sent, 1).await;
    assert_eq!(stale, Settled::Stale, "Q37 one that waits");
    let done = settle(&store, given[0], Disposition::Sent, 1).await;
    assert_eq!(done, Settled::Done, "Q37 the first");
    let retry = Disposition::Retry { due: at(2) };
    let done = settle(&store, given[1], retry, 1).await;
    assert_eq!(done, Settled::Done, "Q37 the second");
    let third = state(&store, given[2].delivery).await;
    assert_eq!(third, DeliveryState::Running, "Q37 the third is being sent");
    assert_eq!(claim(&store, hook, 3).await.len(), 2, "Q37 others are free");
    let back = store.queue.reclaim(9, at(10)).await.unwrap();
    assert_eq!((back.requeued, back.ended), (1, 0), "Q37 the third alone");
    let late = settle(&store, given[2], Disposition::Sent, 11).await;
    assert_eq!(late, Settled::Stale, "Q37 the third was taken back");
    let again = settle(&store, given[0], Disposition::Sent, 11).await;
    assert_eq!(again, Settled::Done, "Q37 the first, asked again");
    let first = state(&store, given[0].delivery).await;
    assert_eq!(first, DeliveryState::Sent, "Q37 the first has ended");
}

/// A token is void once its delivery was reclaimed, cancelled, replayed or deleted: its settlement
/// is stale. After a retry or a release it is `Done` again, at least until the delivery is settled
/// under a later token. Whatever it says changes nothing from then on.
pub async fn q38_a_token_is_void_when_its_delivery_went_on(store: Webhooks) {
    let ids = [
        "reclaimed",
        "retried",
        "released",
        "replayed",
        "deleted",
        "cancelled",
    ];
    let hook = queued(&store, &ids).await;
    let old = claims(&store, hook, 0).await;
    let ends = [
        None,
        Some(Disposition::Retry { due: at(2) }),
        Some(Disposition::Release { due: at(2) }),
        Some(Disposition::Failed),
        None,
        Some(Disposition::Retry { due: at(2) }),
    ];
    for (old, end) in old.iter().zip(ends) {
        if let Some(end) = end {
            assert_eq!(settle(&store, *old, end, 1).await, Settled::Done, "Q38");
        }
    }
    let failed = [old[3].delivery];
    assert_eq!(store.log.replay(&failed, at(2)).await.unwrap(), 1, "Q38");
    let deleted = store.log.delete_delivery(old[4].delivery, at(2)).await;
    assert!(deleted.is_ok(), "Q38 deleted");
    let waits = [old[5].delivery];
    let cancelled = store.log.cancel(&waits, "enough", at(2)).await;
    assert_eq!(cancelled.unwrap(), 1, "Q38 cancelled");
    let late = settle(&store, old[3], Disposition::Failed, 2).await;
    assert_eq!(late, Settled::Stale, "Q38 replayed, and waits");
    store.queue.reclaim(9, at(10)).await.unwrap();
    let new = claims(&store, hook, 10).await;
    assert_eq!(new.len(), 4, "Q38 all that are there");
    for end in [
        Disposition::Sent,
        Disposition::Failed,
        Disposition::Retry { due: at(12) },
        Disposition::Release { due: at(12) },
    ] {
        for (old, id) in old.iter().zip(ids) {
            let settled = settle(&store, *old, end.clone(), 11).await;
            let repeated = id == "retried" || id == "released";
            let expected = if repeated {
                Settled::Done
            } else {
                Settled::Stale
            };
            assert_eq!(settled, expected, "Q38 {id}");
        }
    }
    for new in new {
        let old = old.iter().find(|old| old.delivery == new.delivery);
        assert!(
            old.is_some_and(|old| old.token.0 < new.token.0),
            "Q38 rises"
        );
        let running = state(&store, new.delivery).await;
        assert_eq!(running, DeliveryState::Running, "Q38 unchanged");
        let done = settle(&store, new, Disposition::Sent, 12).await;
        assert_eq!(done, Settled::Done, "Q38 the new one");
    }
}

/// A settlement whose answer was lost may be repeated, however it ended the claim and however it is
/// called then: it is `Done`, and nothing changes.
pub async fn q39_a_lost_answer_is_asked_for_again(store: Webhooks) {
    let hook = queued(&store, &["sent", "failed", "retried", "released"]).await;
    let given = claims(&store, hook, 0).await;
    let ends = [
        Disposition::Sent,
        Disposition::Failed,
        Disposition::Retry { due: at(50) },
        Disposition::Release { due: at(60) },
    ];
    let all: Vec<_> = given
        .iter()
        .zip(&ends)
        .map(|(claim, end)| settlement_of(*claim, end.clone()))
        .collect();
    let twice: Vec<_> = all.iter().chain(&all).cloned().collect();
    let done = store.queue.settle(twice, at(1)).await.unwrap();
    assert_eq!(done, [Settled::Done; 8], "Q39 twice in one call");
    let shown = async || {
        let mut shown = Vec::new();
        for claim in &given {
            let row = store.log.delivery(claim.delivery).await.unwrap();
            let attempts = store.log.attempts(claim.delivery, 99).await.unwrap();
            shown.push((row, attempts));
        }
        shown
    };
    let before = shown().await;
    let made: Vec<_> = before.iter().map(|(_, made)| made.len()).collect();
    assert_eq!(made, [1, 1, 1, 0], "Q39 each attempt once");
    let done = store.queue.settle(all, at(2)).await.unwrap();
    assert_eq!(done, [Settled::Done; 4], "Q39 again");
    for (given, end) in given.iter().zip(ends.iter().rev()) {
        let done = settle(&store, *given, end.clone(), 3).await;
        assert_eq!(done, Settled::Done, "Q39 with another end");
    }
    assert_eq!(shown().await, before, "Q39 nothing changed");
    assert_eq!(claim(&store, hook, 49).await, [], "Q39 nothing is due");
}

/// The settlement of a delivery that was deleted, or never was, is stale; those beside it are done.
pub async fn q40_what_is_gone_fails_no_batch(store: Webhooks) {
    let hook = queued(&store, &["a", "deleted", "b"]).await;
    let gone = webhook("gone");
    let gone = store.records.insert_webhook(&gone, UNLIMITED, at(0));
    let gone = gone.await.unwrap().id;
    let batch = direct(vec![message(gone, "its", at(0))]);
    store.queue.enqueue(batch, at(0)).await.unwrap();
    let mut given = claims(&store, hook, 0).await;
    given.extend(claims(&store, gone, 0).await);
    let deleted = store.log.delete_delivery(given[1].delivery, at(1)).await;
    assert!(deleted.is_ok(), "Q40 deleted");
    let deleted = store.records.delete_webhook(gone, Cascade::Refuse, at(1));
    assert!(deleted.await.is_ok(), "Q40 its webhook");
    given.push(Claim {
        delivery: DeliveryId(given[3].delivery.0 + 1000),
        token: given[0].token,
    });
    given.push(Claim {
        delivery: given[0].delivery,
        token: ClaimToken(given[3].token.0 + 1000),
    });
    given.reverse();
    let all = given.iter().map(|c| settlement_of(*c, Disposition::Sent));
    let settled = store.queue.settle(all.collect(), at(2)).await;
    let (stale, done) = (Settled::Stale, Settled::Done);
    let mut settled = settled.unwrap_or_default();
    if let Some(either) = settled.get_mut(2) {
        *either = stale; // Its webhook is deleted: a store may report that or not.
    }
    let wanted = [stale, stale, stale, done, stale, done];
    assert_eq!(settled, wanted, "Q40");
    let row = store.log.delivery(given[2].delivery).await.unwrap();
    assert_eq!(row, None, "Q40 its webhook");
}
