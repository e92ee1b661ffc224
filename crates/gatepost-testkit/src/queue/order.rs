//! Concurrent enqueues.

use std::collections::BTreeSet;

use gatepost_ids::Realm;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryQuery, Enqueue, Enqueued, Precondition, RoutesVersion,
};
use webhook_model::{DeliveryOrder, WebhookId};

use crate::fixtures::{at, change, claim, direct, message, queued, tenant};
use crate::harness::Webhooks;
use crate::runtime::racing;

/// Row numbers of a webhook in order must rise in the order of commit: a reader who has seen one
/// must never see a smaller one appear, even with concurrent enqueues.
pub async fn q35_row_numbers_rise_in_order_of_commit(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    change(&store, hook, |w| w.order = DeliveryOrder::InOrder).await;
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let queue = store.queue.clone();
            tokio::spawn(async move {
                for n in 0..12 {
                    let names = ["x", "y"].map(|part| format!("{part}-{writer}-{n}"));
                    let batch = names.iter().map(|id| message(hook, id, at(0)));
                    let stored = queue.enqueue(direct(batch.collect()), at(0)).await;
                    assert!(stored.is_ok(), "Q35 stored");
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let query = DeliveryQuery {
        webhook: Some(hook),
        ..DeliveryQuery::all(Page::first(999))
    };
    let mut seen: BTreeSet<DeliveryId> = BTreeSet::new();
    loop {
        tokio::task::yield_now().await;
        let done = writers.iter().all(tokio::task::JoinHandle::is_finished);
        let rows = store.log.list_deliveries(&query).await.unwrap();
        let last = seen.last().copied();
        let new: Vec<_> = rows
            .iter()
            .map(|d| d.id)
            .filter(|id| !seen.contains(id))
            .collect();
        let late = new.iter().find(|id| last.is_some_and(|last| **id < last));
        assert_eq!(late, None, "Q35 it appeared after {last:?}");
        seen.extend(new);
        if done {
            break;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(seen.len(), 192, "Q35 all of them");
}

/// Concurrent enqueues must be checked separately: an error in one must not fail another.
pub async fn q36_no_enqueue_fails_by_another(store: Webhooks) {
    let hook = queued(&store, &["known"]).await;
    let old = Precondition::Realms(vec![(tenant(1), RoutesVersion(i64::MAX))]);
    let racers = (0..40).map(|n| {
        let id = format!("m{n}");
        let good = direct(vec![message(hook, &id, at(0))]);
        let batch = match n % 5 {
            1 => direct(vec![
                message(hook, &id, at(0)),
                message(WebhookId(hook.0 + 1000), "x", at(0)),
            ]),
            2 => direct(vec![message(WebhookId(hook.0 + 1000), &id, at(0))]),
            3 => Enqueue {
                precondition: old.clone(),
                ..good
            },
            4 => Enqueue {
                precondition: Precondition::Realms(vec![(Realm::Shared, RoutesVersion(-1))]),
                ..good
            },
            _ => good,
        };
        let queue = store.queue.clone();
        let ends_well = n % 5 == 0;
        async move { (ends_well, queue.enqueue(batch, at(0)).await) }
    });
    for racer in racing(racers).await {
        let (ends_well, stored) = racer;
        let is_stored = matches!(stored, Ok(Enqueued::Stored { .. }));
        assert_eq!(is_stored, ends_well, "Q36 {stored:?}");
    }
    assert_eq!(
        claim(&store, hook, 1).await.len(),
        9,
        "Q36 all that are right"
    );
}
