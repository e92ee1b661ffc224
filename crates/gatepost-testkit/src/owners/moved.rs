//! Owners who move.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{
    Basis, Cascade, DeliveryQuery, DeliveryState, Disposition, Enqueue, Enqueued, RecordId,
    Settled, TaskQuery, WebhookQuery,
};
use gatepost_storage::{Page, Scope};

use crate::fixtures::{
    at, claim, direct, due_lanes, end, message, place, routes, settlement, tenant,
};
use crate::harness::Webhooks;
use crate::world::{enqueue, remove_all_gone, set};

/// An owner who moved is matched and listed in the new realm, and in the old one no more.
pub async fn p10_records_move_with_their_owner(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let mine = set(&store, 1, "w").await;
    place(&store, 1, tenant(2)).await;
    for (number, wanted) in [(1, vec![]), (2, vec![mine.task])] {
        let matched = routes(&store, tenant(number)).await;
        let tasks: Vec<_> = matched.tasks.iter().map(|t| t.id).collect();
        assert_eq!(tasks, wanted, "P10 matched in {number}");
        assert_eq!(matched.events.len(), wanted.len(), "P10 events in {number}");
        let scope = Scope::Tenant(TenantId(number));
        let query = TaskQuery {
            scope,
            creator: None,
            webhook: None,
            name: None,
            page: Page::first(9),
        };
        let listed = store.records.list_tasks(&query).await.unwrap();
        assert_eq!(listed.len(), wanted.len(), "P10 tasks of {number}");
        let query = WebhookQuery {
            scope,
            name: None,
            page: Page::first(9),
        };
        let listed = store.records.list_webhooks(&query).await.unwrap();
        assert_eq!(listed.len(), wanted.len(), "P10 webhooks of {number}");
    }
}

/// What waited when its owner moved is never sent: it ends with that reason. Until it has ended,
/// and what was being sent too, nothing of the owner's is claimed. What came after is sent.
pub async fn p11_what_waited_ends_when_its_owner_moves(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let mine = set(&store, 1, "w").await;
    let other = set(&store, 2, "w").await;
    let old = enqueue(&store, mine.webhook, &["running", "sent"]).await;
    let claimed = claim(&store, mine.webhook, 0).await;
    let sent = settlement(&claimed[1], Disposition::Sent);
    store.queue.settle(vec![sent], at(1)).await.unwrap();
    let waits = enqueue(&store, mine.webhook, &["a", "b"]).await;
    enqueue(&store, other.webhook, &["other"]).await;
    place(&store, 1, tenant(2)).await;
    let new = enqueue(&store, mine.webhook, &["new"]).await;

    assert!(
        claim(&store, mine.webhook, 5).await.is_empty(),
        "P11 moving"
    );
    let due = due_lanes(&store, 5).await;
    let due: Vec<_> = due.iter().map(|d| d.lane.webhook).collect();
    assert_eq!(due, [other.webhook], "P11 due lanes");
    for ended in [1, 1, 0] {
        let count = store.records.remove_gone(1, at(5)).await.unwrap();
        assert_eq!(count, ended, "P11 it says how many ended");
    }
    for id in &waits {
        let row = store.log.delivery(*id).await.unwrap().unwrap();
        let found = (row.state, row.status_info.as_str(), row.tenant);
        let wanted = (DeliveryState::Error, "the owner moved", Some(TenantId(1)));
        assert_eq!(found, wanted, "P11 ended");
    }
    assert!(
        claim(&store, mine.webhook, 6).await.is_empty(),
        "P11 one is being sent"
    );
    let retry = settlement(&claimed[0], Disposition::Retry { due: at(7) });
    let settled = store.queue.settle(vec![retry], at(7)).await.unwrap();
    assert_eq!(settled, [Settled::Done], "P11 it settles");
    assert!(
        claim(&store, mine.webhook, 8).await.is_empty(),
        "P11 and waits"
    );
    remove_all_gone(&store).await;
    let row = store.log.delivery(old[0]).await.unwrap().unwrap();
    assert_eq!(row.state, DeliveryState::Error, "P11 and ends");
    let sent = store.log.delivery(old[1]).await.unwrap().unwrap();
    assert_eq!(sent.state, DeliveryState::Sent, "P11 what had ended stays");
    let claimed = claim(&store, mine.webhook, 9).await;
    let claimed: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
    assert_eq!(claimed, new, "P11 what came after is sent");
    assert_eq!(
        claim(&store, other.webhook, 9).await.len(),
        1,
        "P11 the other's"
    );
}

/// Deliveries are listed for the tenant in which they were made, also after their owner moved.
pub async fn p12_ended_deliveries_stay_with_their_tenant(store: Webhooks) {
    let mine = set(&store, 1, "w").await;
    let mut made = Vec::new();
    for (number, id) in [(0, "common"), (1, "one"), (2, "two")] {
        if number > 0 {
            place(&store, 1, tenant(number)).await;
            remove_all_gone(&store).await;
        }
        made.extend(enqueue(&store, mine.webhook, &[id]).await);
        end(&store, mine.webhook, Disposition::Sent, 0).await;
    }
    let listed = async |scope| {
        let query = DeliveryQuery {
            scope,
            ..DeliveryQuery::all(Page::first(9))
        };
        let rows = store.log.list_deliveries(&query).await.unwrap();
        rows.into_iter().map(|d| d.id).collect::<Vec<_>>()
    };
    assert_eq!(
        listed(Scope::Tenant(TenantId(1))).await,
        [made[1]],
        "P12 old"
    );
    assert_eq!(
        listed(Scope::Tenant(TenantId(2))).await,
        [made[2]],
        "P12 new"
    );
    assert_eq!(
        listed(Scope::Owner(OwnerId(1))).await,
        made,
        "P12 the owner's"
    );
}

/// Placing an owner for the first time, or again where it is, ends nothing.
pub async fn p13_a_first_placing_ends_nothing(store: Webhooks) {
    let mine = set(&store, 1, "w").await;
    enqueue(&store, mine.webhook, &["a"]).await;
    for _ in 0..2 {
        place(&store, 1, tenant(1)).await;
        remove_all_gone(&store).await;
    }
    assert_eq!(claim(&store, mine.webhook, 0).await.len(), 1, "P13");
}

/// An enqueue by the revisions of an owner's rows is not stored while the owner moves.
pub async fn p14_an_enqueue_that_a_move_overtakes_is_not_stored(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let mine = set(&store, 1, "w").await;
    let task = store.records.task(mine.task).await.unwrap().unwrap();
    enqueue(&store, mine.webhook, &["waits"]).await;
    place(&store, 1, tenant(2)).await;
    let row = RecordId::Task(task.id);
    let on = |id| Enqueue {
        basis: Basis::Rows(vec![(row, task.revision)]),
        ..direct(vec![message(mine.webhook, id, at(0))])
    };
    let stored = store.queue.enqueue(on("a"), at(0)).await.unwrap();
    assert_eq!(stored, Enqueued::RowsChanged(vec![row]), "P14");
    remove_all_gone(&store).await;
    let stored = store.queue.enqueue(on("b"), at(0)).await.unwrap();
    assert!(matches!(stored, Enqueued::Stored { .. }), "P14 once moved");
    let deleted = store
        .records
        .delete_webhook(mine.webhook, Cascade::Tasks, at(1));
    assert!(deleted.await.is_ok(), "P14 records are changed as before");
}
