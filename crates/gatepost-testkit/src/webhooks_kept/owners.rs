//! Owners, turns and counts when the store is opened again.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::owners::{OwnerRow, RecordUsage, Removal};
use gatepost_storage::webhooks::{
    Disposition, DropReason, Dropped, Enqueue, Origin, RemainingTasks, UsageDelta,
};
use gatepost_storage::{ErrorKind, Scope};
use webhook_model::TaskId;

use super::home::{Home, NOT_DURABLE};
use crate::fixtures::{
    UNLIMITED, at, claim, direct, due_lanes, end, occurrence, outbox, place, routes, tenant,
    version, webhook_of,
};
use crate::outcome::Outcome;
use crate::world::{enqueue, hold, remove_all_gone, set};

/// Owners are where they were and held as they were, what is gone stays gone and is removed, what
/// moves goes on moving, leases hold, and versions go on.
pub async fn d07_owners_outlive_the_store(home: Home) -> Outcome {
    let store = home.fresh().await;
    place(&store, 1, tenant(1)).await;
    let (mine, moves) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    hold(&store, 1, true).await;
    place(&store, 2, tenant(1)).await;
    enqueue(&store, moves.webhook, &["waits"]).await;
    place(&store, 2, tenant(2)).await;
    let gone = set(&store, 3, "w").await;
    let lost = enqueue(&store, gone.webhook, &["lost"]).await;
    store
        .records
        .mark_gone(Removal::Owner(OwnerId(3)), at(1))
        .await
        .unwrap();
    let lease = store.records.lease("a", 1, at(99), at(1)).await.unwrap();
    assert!(lease, "D7 leased");
    let before = version(&store, tenant(2)).await;
    let seen = routes(&store, tenant(2)).await;
    let Some(store) = home.reopen(store).await else {
        return NOT_DURABLE;
    };
    let records = &store.records;
    let row = records.owner(OwnerId(1)).await.unwrap();
    let wanted = OwnerRow {
        owner: OwnerId(1),
        place: tenant(1),
        held: true,
    };
    assert_eq!(row, Some(wanted), "D7 held in its place");
    assert_eq!(routes(&store, tenant(1)).await.tasks, [], "D7 held");
    assert!(
        records.task(mine.task).await.unwrap().is_some(),
        "D7 and kept"
    );
    let by_another = records.lease("a", 2, at(99), at(98)).await.unwrap();
    assert!(!by_another, "D7 the lease holds");
    assert!(
        claim(&store, moves.webhook, 5).await.is_empty(),
        "D7 moving"
    );
    let found = store.log.delivery(lost[0]).await.unwrap();
    assert_eq!(found, None, "D7 gone");
    remove_all_gone(&store).await;
    let usage = records.record_usage(OwnerId(3)).await.unwrap();
    assert_eq!(usage, RecordUsage::default(), "D7 gone for good");
    let new = enqueue(&store, moves.webhook, &["new"]).await;
    let claimed = claim(&store, moves.webhook, 6).await;
    let claimed: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
    assert_eq!(claimed, new, "D7 moved");
    assert_eq!(
        routes(&store, tenant(2)).await,
        seen,
        "D7 matched as before"
    );
    set(&store, 2, "later").await;
    let all = [tenant(1), tenant(2), Realm::Shared];
    let versions = records.routes_versions(&all).await.unwrap();
    assert!(versions[1] > before, "D7 the version goes on");
    let highest = versions[0].max(versions[2]);
    assert!(versions[1] > highest, "D7 and is given once");
    Outcome::Held
}

/// Rows of the outbox wait at their turn, with what is left; what owners use, what was dropped, and
/// what lost a claim is known; limits count what was stored before.
pub async fn d08_turns_and_counts_outlive_the_store(home: Home) -> Outcome {
    let store = home.fresh().await;
    let mine = set(&store, 1, "w").await;
    let row = store.outbox.push_outbox(&occurrence("on"), at(0)).await;
    let left = RemainingTasks::Tasks(vec![TaskId(7)]);
    let batch = Enqueue {
        origin: Origin::Outbox {
            row: row.unwrap(),
            turn: 0,
            occurrence: None,
            left: Some((left.clone(), at(5))),
        },
        ..direct(Vec::new())
    };
    store.queue.enqueue(batch, at(0)).await.unwrap();
    enqueue(&store, mine.webhook, &["ended"]).await;
    end(&store, mine.webhook, Disposition::Sent, 0).await;
    enqueue(&store, mine.webhook, &["lost"]).await;
    assert_eq!(claim(&store, mine.webhook, 0).await.len(), 1, "D8 claimed");
    store.queue.reclaim(9, at(10)).await.unwrap();
    let used = UsageDelta {
        owner: OwnerId(1),
        waiting: 1,
        waiting_bytes: 2,
        log_bytes: 3,
    };
    store.log.add_usage(&[used]).await.unwrap();
    let dropped = Dropped {
        webhook: mine.webhook,
        reason: DropReason::Occurrence,
        minute: at(60),
        count: 4,
    };
    store.log.count_dropped(&[dropped]).await.unwrap();
    let waiting = outbox(&store, 5).await;
    let usage = store.log.log_usage(&[OwnerId(1)]).await.unwrap();
    let rows = store.records.record_usage(OwnerId(1)).await.unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].turn, &waiting[0].left),
        (1, 1, &left),
        "D8"
    );
    let Some(store) = home.reopen(store).await else {
        return NOT_DURABLE;
    };
    assert_eq!(outbox(&store, 4).await, [], "D8 not due");
    assert_eq!(outbox(&store, 5).await, waiting, "D8 outbox");
    let found = store.log.log_usage(&[OwnerId(1)]).await.unwrap();
    assert_eq!(found, usage, "D8 usage");
    let found = store
        .log
        .dropped(Scope::Tenant(TenantId(1)), 9)
        .await
        .unwrap();
    assert_eq!(found, [], "D8 dropped, of a tenant");
    let found = store.log.dropped(Scope::All, 9).await.unwrap();
    assert_eq!(found, [dropped], "D8 dropped");
    let due = due_lanes(&store, 10).await;
    let due: Vec<_> = due.iter().map(|d| d.lane.class).collect();
    assert_eq!(
        due,
        [gatepost_storage::webhooks::QueueClass::Lost],
        "D8 lost"
    );
    let found = store.records.record_usage(OwnerId(1)).await.unwrap();
    assert_eq!(found, rows, "D8 records");
    let limit = gatepost_storage::AtMost {
        rows: 1,
        ..UNLIMITED
    };
    let full = store
        .records
        .insert_webhook(&webhook_of(1, "x"), limit, at(9))
        .await;
    assert_eq!(
        full.err().map(|e| e.kind()),
        Some(ErrorKind::Full),
        "D8 full"
    );
    Outcome::Held
}
