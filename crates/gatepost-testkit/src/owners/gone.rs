//! Removed owners, tenants and webhooks.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::owners::{RecordUsage, Removal};
use gatepost_storage::webhooks::{
    Cascade, DeliveryQuery, Disposition, LogUsage, RecordId, UsageDelta,
};
use gatepost_storage::{Page, Scope};

use crate::fixtures::{
    UNLIMITED, at, claim, due_queues, end, place, routes, settlement, tenant, webhook_of,
};
use crate::harness::Webhooks;
use crate::world::{Set, enqueue, events_in, remove_all_gone, set, tasks_in, webhooks_in};

/// Returns the numbers of listed webhooks, tasks, events and deliveries.
async fn listed(store: &Webhooks, scope: Scope) -> [usize; 4] {
    let records = &store.records;
    let webhooks = webhooks_in(scope, Page::first(99));
    let tasks = tasks_in(scope, Page::first(99));
    let events = events_in(scope, Page::first(99));
    let deliveries = DeliveryQuery {
        scope,
        ..DeliveryQuery::all(Page::first(99))
    };
    [
        records.list_webhooks(&webhooks).await.unwrap().len(),
        records.list_tasks(&tasks).await.unwrap().len(),
        records.list_events(&events).await.unwrap().len(),
        store.log.list_deliveries(&deliveries).await.unwrap().len(),
    ]
}

/// Returns whether nothing of a set is found in any way.
async fn is_gone(store: &Webhooks, of: Set) -> bool {
    let records = &store.records;
    let ids = [
        RecordId::Webhook(of.webhook),
        RecordId::Task(of.task),
        RecordId::Event(of.event),
    ];
    let mut found = false;
    for id in ids {
        found |= records.owner_of(id).await.unwrap().is_some();
    }
    found |= records.webhook(of.webhook).await.unwrap().is_some();
    found |= records.task(of.task).await.unwrap().is_some();
    found |= records.event(of.event).await.unwrap().is_some();
    found |= !records.webhooks(&[of.webhook]).await.unwrap().is_empty();
    found |= !records.tasks(&[of.task]).await.unwrap().is_empty();
    !found
}

/// From the commit that deletes an owner, nothing of the owner's may be found, listed, matched,
/// counted or claimed, before and after the rows are removed; others must lose nothing. Records
/// that were deleted before must stay deleted and must not be counted twice.
pub async fn p15_a_removed_owner_has_nothing(store: Webhooks) {
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    place(&store, 1, tenant(1)).await;
    let before = set(&store, 1, "before").await.webhook;
    enqueue(&store, before, &["a", "b"]).await;
    let deleted = store.records.delete_webhook(before, Cascade::Tasks, at(1));
    deleted.await.unwrap();
    let ended = enqueue(&store, mine.webhook, &["ended"]).await;
    end(&store, mine.webhook, Disposition::Retry { due: at(0) }, 0).await;
    enqueue(&store, mine.webhook, &["running"]).await;
    let running = claim(&store, mine.webhook, 0).await;
    enqueue(&store, mine.webhook, &["waits"]).await;
    enqueue(&store, other.webhook, &["other"]).await;
    let used = UsageDelta {
        owner: OwnerId(1),
        waiting: 3,
        waiting_bytes: 6,
        log_bytes: 6,
    };
    store.log.add_usage(&[used]).await.unwrap();
    for _ in 0..2 {
        let gone = Removal::Owner(OwnerId(1));
        store.records.mark_gone(gone, at(1)).await.unwrap();
    }
    for when in ["marked", "removed"] {
        assert_eq!(
            store.records.owner(OwnerId(1)).await.unwrap(),
            None,
            "P15 {when}"
        );
        assert!(is_gone(&store, mine).await, "P15 {when}: records");
        assert_eq!(
            listed(&store, Scope::Owner(OwnerId(1))).await,
            [0; 4],
            "P15 {when}"
        );
        assert_eq!(
            listed(&store, Scope::Tenant(TenantId(1))).await,
            [0; 4],
            "P15 {when}"
        );
        assert_eq!(
            listed(&store, Scope::All).await,
            [1; 4],
            "P15 {when}: the other's"
        );
        let usage = store.records.record_usage(OwnerId(1)).await.unwrap();
        assert_eq!(usage, RecordUsage::default(), "P15 {when}: usage");
        let usage = store.log.log_usage(&[OwnerId(1)]).await.unwrap();
        assert_eq!(usage, [LogUsage::default()], "P15 {when}: log");
        let matched = routes(&store, tenant(1)).await;
        assert_eq!(matched.tasks, [], "P15 {when}: matched");
        let found = store.log.delivery(ended[0]).await.unwrap();
        assert_eq!(found, None, "P15 {when}: delivery");
        assert_eq!(
            store.log.attempts(ended[0], 99).await.unwrap(),
            [],
            "P15 {when}"
        );
        assert!(
            claim(&store, mine.webhook, 9).await.is_empty(),
            "P15 {when}: claim"
        );
        let retry = Disposition::Retry { due: at(9) };
        let again = settlement(&running[0], retry);
        let settled = store.queue.settle(vec![again], at(9)).await;
        assert!(settled.is_ok(), "P15 {when}: settlement");
        let found = store.log.delivery(running[0].delivery.id).await.unwrap();
        assert_eq!(found, None, "P15 {when}: settled");
        assert!(
            claim(&store, mine.webhook, 10).await.is_empty(),
            "P15 {when}: claim of what was settled"
        );
        let back = store.queue.reclaim(9, at(99)).await.unwrap();
        assert_eq!((back.requeued, back.ended), (0, 0), "P15 {when}: reclaim");
        let stats = store.log.count_queue(at(9)).await.unwrap();
        assert_eq!(
            (stats.queued, stats.running),
            (1, 0),
            "P15 {when}: statistics"
        );
        let due = due_queues(&store, 9).await;
        assert_eq!(due.len(), 1, "P15 {when}: due queues");
        remove_all_gone(&store).await;
    }
    assert!(!is_gone(&store, other).await, "P15 the other's records");
}

/// Deleting a tenant must delete all owners who are in it; an owner who left it before must stay,
/// with all records and deliveries made there.
pub async fn p16_a_tenant_goes_with_its_owners(store: Webhooks) {
    let mut sets = Vec::new();
    for owner in 1..=4 {
        place(&store, owner, tenant(if owner == 4 { 2 } else { 1 })).await;
        let of = set(&store, owner, "w").await;
        enqueue(&store, of.webhook, &[&format!("m{owner}")]).await;
        end(&store, of.webhook, Disposition::Sent, 0).await;
        sets.push(of);
    }
    place(&store, 3, Realm::Solo(OwnerId(3))).await;
    let gone = Removal::Tenant(TenantId(1));
    store.records.mark_gone(gone, at(1)).await.unwrap();
    for when in ["marked", "removed"] {
        for (of, owner) in sets.iter().zip(1..) {
            let stays = owner > 2;
            assert_eq!(is_gone(&store, *of).await, !stays, "P16 {when}: {owner}");
            let wanted = [usize::from(stays); 4];
            let found = listed(&store, Scope::Owner(OwnerId(owner))).await;
            assert_eq!(found, wanted, "P16 {when}: {owner}");
        }
        remove_all_gone(&store).await;
    }
}

/// A deleted owner may be placed again, and must then have nothing; new records must stay, also
/// under names used before.
pub async fn p17_a_removed_owner_comes_back_with_nothing(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let old = set(&store, 1, "w").await;
    enqueue(&store, old.webhook, &["a", "b"]).await;
    let gone = Removal::Owner(OwnerId(1));
    store.records.mark_gone(gone, at(1)).await.unwrap();
    place(&store, 1, tenant(2)).await;
    assert!(is_gone(&store, old).await, "P17 nothing comes back");
    assert_eq!(
        listed(&store, Scope::Owner(OwnerId(1))).await,
        [0; 4],
        "P17 lists"
    );
    let new = set(&store, 1, "w").await;
    enqueue(&store, new.webhook, &["c"]).await;
    remove_all_gone(&store).await;
    assert_eq!(
        listed(&store, Scope::Owner(OwnerId(1))).await,
        [1; 4],
        "P17 new"
    );
    assert!(!is_gone(&store, new).await, "P17 the new records stay");
    let row = store.records.owner(OwnerId(1)).await.unwrap();
    assert_eq!(row.map(|row| row.realm), Some(tenant(2)), "P17 placed");
    assert_eq!(claim(&store, new.webhook, 9).await.len(), 1, "P17 sent");
}

/// Deleted rows must be removed in batches of at most the limit; a batch below it is the last. A
/// deleted webhook's deliveries must not be found from the deletion on.
pub async fn p18_deleted_rows_are_removed_in_batches(store: Webhooks) {
    let mine = set(&store, 1, "w").await;
    let ids: Vec<String> = (0..20).map(|n| format!("m{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let made = enqueue(&store, mine.webhook, &ids).await;
    let hook = webhook_of(1, "other");
    let other = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
    let other = other.unwrap().id;
    enqueue(&store, other, &["stays"]).await;
    assert_eq!(
        store.records.remove_gone(3, at(0)).await.unwrap(),
        0,
        "P18 none"
    );
    let deleted = store
        .records
        .delete_webhook(mine.webhook, Cascade::Tasks, at(1));
    assert!(deleted.await.is_ok(), "P18 deleted");
    assert_eq!(
        store.log.delivery(made[0]).await.unwrap(),
        None,
        "P18 immediately"
    );
    let mut removed = 0;
    loop {
        let batch = store.records.remove_gone(3, at(2)).await.unwrap();
        assert!(batch <= 3, "P18 at most the limit, not {batch}");
        removed += batch;
        assert_eq!(
            listed(&store, Scope::All).await,
            [1, 0, 0, 1],
            "P18 the others"
        );
        if batch < 3 {
            break;
        }
    }
    assert!(removed >= 20, "P18 {removed} rows were removed");
    assert_eq!(
        store.records.remove_gone(3, at(3)).await.unwrap(),
        0,
        "P18 all"
    );
    assert_eq!(
        claim(&store, other, 9).await.len(),
        1,
        "P18 the other's is sent"
    );
}
