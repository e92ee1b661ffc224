//! Suspended owners.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::OwnerFilter;
use gatepost_storage::webhooks::{Basis, Enqueue, Enqueued, RecordId, Settled};
use webhook_model::Activity;

use crate::fixtures::{
    UNLIMITED, at, change, claim, direct, due_lanes, message, place, routes, settlement, tenant,
    under,
};
use crate::harness::Webhooks;
use crate::world::{enqueue, hold, set};

/// Of a held owner nothing is matched, claimed or named as due; records and log stay, and all is as
/// before once the owner is released.
pub async fn p06_a_held_owner_sends_nothing(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    place(&store, 2, tenant(1)).await;
    let before = routes(&store, tenant(1)).await;
    let ids = enqueue(&store, mine.webhook, &["running"]).await;
    let running = claim(&store, mine.webhook, 0).await;
    enqueue(&store, mine.webhook, &["a"]).await;
    let late = vec![message(mine.webhook, "later", at(50))];
    store.queue.enqueue(direct(late), at(0)).await.unwrap();
    enqueue(&store, other.webhook, &["b"]).await;
    hold(&store, 1, true).await;

    let matched = routes(&store, tenant(1)).await;
    let tasks: Vec<_> = matched.tasks.iter().map(|t| t.id).collect();
    assert_eq!(tasks, [other.task], "P6 matched");
    let events: Vec<_> = matched.events.iter().map(|e| e.id).collect();
    assert_eq!(events, [other.event], "P6 events matched");
    assert!(
        claim(&store, mine.webhook, 60).await.is_empty(),
        "P6 claimed"
    );
    let due = due_lanes(&store, 60).await;
    let due: Vec<_> = due.iter().map(|d| d.lane.webhook).collect();
    assert_eq!(due, [other.webhook], "P6 due lanes");
    let next = store.queue.next_due(at(10)).await.unwrap();
    assert_eq!(next, Some(at(50)), "P6 next due");
    let figures = store.log.count_queue(at(60)).await.unwrap();
    assert_eq!(figures.queued, 3, "P6 the figures count it as waiting");
    let sent = settlement(&running[0], gatepost_storage::webhooks::Disposition::Sent);
    let settled = store.queue.settle(vec![sent], at(2)).await.unwrap();
    assert_eq!(settled, [Settled::Done], "P6 what was being sent ends");
    change(&store, mine.webhook, |w| w.allow_insecure = true).await;
    assert!(
        store.log.delivery(ids[0]).await.unwrap().is_some(),
        "P6 log"
    );

    hold(&store, 1, false).await;
    let after = routes(&store, tenant(1)).await;
    assert_eq!(after.tasks, before.tasks, "P6 matched again");
    assert_eq!(after.events, before.events, "P6 events again");
    assert_eq!(claim(&store, mine.webhook, 60).await.len(), 2, "P6 sent");
}

/// What a held owner's webhook that is not active holds does not expire.
pub async fn p07_nothing_of_a_held_owner_expires(store: Webhooks) {
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    for hook in [mine.webhook, other.webhook] {
        enqueue(&store, hook, &[&format!("m{hook}")]).await;
        change(&store, hook, |w| w.activity = Activity::Paused).await;
    }
    hold(&store, 1, true).await;
    let expired = store.log.expire_held(at(10), 9, at(20)).await.unwrap();
    assert_eq!(expired, 1, "P7 the other's");
    hold(&store, 1, false).await;
    let expired = store.log.expire_held(at(10), 9, at(20)).await.unwrap();
    assert_eq!(expired, 1, "P7 once released");
}

/// Held owners are listed in order, in pages, with their realms; a hold outlasts a move.
pub async fn p08_held_owners_are_listed_in_order(store: Webhooks) {
    for owner in [3, 1, 4, 2] {
        hold(&store, owner, true).await;
    }
    place(&store, 2, tenant(7)).await;
    hold(&store, 4, false).await;
    place(&store, 5, tenant(7)).await;
    let found = async |after: Option<u128>, limit| {
        let after = after.map(OwnerId);
        let rows = store
            .records
            .list_owners(OwnerFilter::Suspended, after, limit);
        let rows = rows.await.unwrap();
        assert!(rows.iter().all(|row| row.held), "P8 held");
        rows.into_iter()
            .map(|r| (r.owner.0, r.place))
            .collect::<Vec<_>>()
    };
    let all = [(1, Realm::Shared), (2, tenant(7)), (3, Realm::Shared)];
    assert_eq!(found(None, 9).await, all, "P8 all");
    assert_eq!(found(None, 2).await, all[..2], "P8 a page");
    assert_eq!(found(Some(2), 2).await, all[2..], "P8 the next");
}

/// An enqueue that used a held owner's rows is not stored, by their realms nor by their revisions.
pub async fn p09_an_enqueue_that_a_hold_overtakes_is_not_stored(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let mine = set(&store, 1, "w").await;
    let task = store.records.task(mine.task).await.unwrap().unwrap();
    let row = (RecordId::Task(task.id), task.revision);
    let by_place = under(&store, &[tenant(1)]).await;
    hold(&store, 1, true).await;
    let on = |basis, id| Enqueue {
        basis,
        ..direct(vec![message(mine.webhook, id, at(0))])
    };
    let stored = store.queue.enqueue(on(by_place, "a"), at(0)).await.unwrap();
    assert_eq!(stored, Enqueued::RoutesChanged, "P9 places");
    let by_row = Basis::Rows(vec![row]);
    let stored = store.queue.enqueue(on(by_row.clone(), "b"), at(0)).await;
    assert_eq!(
        stored.unwrap(),
        Enqueued::RowsChanged(vec![row.0]),
        "P9 rows"
    );
    hold(&store, 1, false).await;
    let stored = store.queue.enqueue(on(by_row, "c"), at(0)).await.unwrap();
    assert!(matches!(stored, Enqueued::Stored { .. }), "P9 released");
    let hook = store.records.webhook(mine.webhook).await.unwrap().unwrap();
    let edited = store.records.update_webhook(&hook, UNLIMITED, at(1)).await;
    assert!(edited.is_ok(), "P9 records are changed as before");
}
