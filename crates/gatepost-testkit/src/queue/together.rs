//! Enqueues in one call, and the further handling of the stored deliveries.

use std::collections::{HashMap, HashSet};

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    DeliveryState, Disposition, Enqueue, Enqueued, Precondition, RoutesVersion, Settled,
};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::WebhookId;

use crate::fixtures::{
    UNLIMITED, at, claim, direct, message, named, queued, settlement, task, under,
};
use crate::harness::Webhooks;

fn what(answer: &Result<Enqueued, StoreError>) -> String {
    match answer {
        Ok(Enqueued::Stored { deliveries, .. }) => format!("{} stored", deliveries.len()),
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("{:?}", error.kind()),
    }
}

/// Enqueues in one call must be checked separately and in their order: an earlier one makes an id
/// known and changes a realm for a later one, and a refused one must not fail another. Each must
/// have its own result, and row numbers must rise in that order.
pub async fn q48_enqueues_together_are_checked_in_order(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let once = task(hook);
    let once = store.records.insert_task(&once, UNLIMITED, at(0));
    let once = once.await.unwrap().id;
    let present = under(&store, &[Realm::Shared]).await;
    let to = |hook, ids: &[&str]| direct(ids.iter().map(|id| message(hook, id, at(0))).collect());
    let of = |origin: &str, ids: &[&str]| Enqueue {
        origin: named(origin),
        ..to(hook, ids)
    };
    let by = |precondition: Precondition, consume| Enqueue {
        precondition,
        consume,
        ..to(hook, &["x"])
    };
    let old = Precondition::Realms(vec![(Realm::Shared, RoutesVersion(-1))]);
    let batches = vec![
        of("o1", &["a", "b"]),
        of("o1", &["x"]),
        to(WebhookId(hook.0 + 1000), &["x"]),
        to(hook, &["c"]),
        by(old, Vec::new()),
        to(hook, &[]),
        Enqueue {
            consume: vec![once],
            precondition: present.clone(),
            ..to(hook, &["d"])
        },
        by(present.clone(), Vec::new()),
        by(Precondition::Nothing, vec![once]),
        of("o2", &["e"]),
    ];
    let answers = store.queue.enqueue_all(batches, at(0)).await;
    let found: Vec<_> = answers.iter().map(what).collect();
    let wanted = [
        "2 stored",
        "AlreadyKnown",
        &format!("{:?}", ErrorKind::Invalid),
        "1 stored",
        "RoutesChanged",
        "0 stored",
        "1 stored",
        "RoutesChanged",
        "RoutesChanged",
        "1 stored",
    ];
    assert_eq!(found, wanted, "Q48");
    let mut ids = Vec::new();
    for answer in answers {
        if let Ok(Enqueued::Stored { deliveries, .. }) = answer {
            ids.extend(deliveries.iter().map(|stored| stored.id));
        }
    }
    assert!(ids.is_sorted(), "Q48 row numbers in order");
    let mut names = Vec::new();
    for id in ids {
        let row = store.log.delivery(id).await.unwrap().unwrap();
        names.push(row.message_id.to_string());
    }
    assert_eq!(names, ["a", "b", "c", "d", "e"], "Q48 each its own");
    let none = store.queue.enqueue_all(Vec::new(), at(0)).await;
    assert!(none.is_empty(), "Q48 none");
}

/// Stored deliveries must be sent at least once by workers that die, release and retry. Each
/// settled attempt must be logged once, and no delivery may end unsent.
pub async fn q49_stored_deliveries_are_sent_at_least_once(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let batch = (0..40).map(|n| message(hook, &format!("m{n}"), at(0)));
    let stored = store.queue.enqueue(direct(batch.collect()), at(0)).await;
    assert!(stored.is_ok(), "Q49 stored");
    let (mut sent, mut tried) = (HashSet::new(), HashMap::<_, u32>::new());
    for round in 0..60_i64 {
        let now = round * 20;
        let given = claim(&store, hook, now).await;
        let mut settlements = Vec::new();
        for (n, one) in given.iter().enumerate() {
            let end = match (n * 7 + usize::try_from(round).unwrap() * 3) % 5 {
                // Its worker dies: once among others, then at most once by itself.
                0 if one.delivery.lost_claims == 0 => continue,
                1 => Disposition::Release { due: at(now + 1) },
                2 if round < 20 => Disposition::Retry { due: at(now + 1) },
                _ => Disposition::Sent,
            };
            if !matches!(end, Disposition::Release { .. }) {
                *tried.entry(one.delivery.id).or_default() += 1;
            }
            if end == Disposition::Sent {
                sent.insert(one.delivery.id);
            }
            settlements.push(settlement(one, end));
        }
        let done = store.queue.settle(settlements, at(now + 1)).await.unwrap();
        assert!(done.iter().all(|d| *d == Settled::Done), "Q49 done");
        let back = store.queue.reclaim(999, at(now + 10)).await.unwrap();
        assert_eq!(back.ended, 0, "Q49 none ends unsent");
        if sent.len() == 40 {
            break;
        }
    }
    assert_eq!(sent.len(), 40, "Q49 each was sent");
    for (id, attempts) in tried {
        let row = store.log.delivery(id).await.unwrap().unwrap();
        let found = (row.state, row.attempts);
        assert_eq!(found, (DeliveryState::Sent, attempts), "Q49 as it was");
        let logged = store.log.attempts(id, 99).await.unwrap();
        assert_eq!(logged.len(), attempts as usize, "Q49 each attempt once");
    }
}
