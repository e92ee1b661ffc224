//! A store to which an earlier state was restored.

use gatepost_ids::Realm;
use gatepost_storage::owners::SkippedIds;
use gatepost_storage::webhooks::{DeliveryState, Disposition, OutboxId, RoutesVersion};

use crate::fixtures::{at, claim, occurrence, place, settlement, tenant, version};
use crate::harness::Webhooks;
use crate::world::{Held, Set, enqueue, set};

/// After the caller reports that the store was restored, it must not give a row number, revision,
/// version or token that may have been given since the backup, and a caller with another version of
/// a realm must have to read all of it. Stored rows must stay, and waiting deliveries must be sent.
pub async fn p19_a_restored_store_gives_no_number_twice(store: Webhooks) {
    let places = [tenant(1), Realm::Shared];
    place(&store, 1, places[0]).await;
    let (old, other) = (set(&store, 1, "old").await, set(&store, 2, "other").await);
    let rows = old.rows(&store).await;
    let sent = enqueue(&store, old.webhook, &["m1", "m2"]).await;
    let claimed = claim(&store, old.webhook, 1).await;
    let row = push(&store).await;
    let mut versions = Vec::new();
    for place in places {
        versions.push(version(&store, place).await);
    }
    store.records.restored(at(9)).await.unwrap();

    let numbers = SkippedIds::of_records(at(9));
    let passed = |new: i64, old: i64| new >= numbers.beyond(old);
    let now = old.rows(&store).await;
    assert_eq!(
        (&now.0.value, &now.1.value, &now.2.value),
        (&rows.0.value, &rows.1.value, &rows.2.value),
        "P19 they stay"
    );
    assert!(passed(now.0.revision.0, rows.0.revision.0), "P19 webhook");
    assert!(passed(now.1.revision.0, rows.1.revision.0), "P19 task");
    assert!(passed(now.2.revision.0, rows.2.revision.0), "P19 event");
    let mut seen = Vec::new();
    for (realm, before) in places.into_iter().zip(versions) {
        let now = version(&store, realm).await;
        assert!(passed(now.0, before.0), "P19 {now:?} of {realm}");
        seen.push(now);
        // A version of a lost change that other processes saw, and the last one of the backup.
        for since in [RoutesVersion(before.0 + 7), before] {
            let changes = store.records.route_changes(realm, since).await.unwrap();
            assert_eq!(changes, None, "P19 {since:?}");
        }
        let mut held = Held::read(&store, realm).await;
        assert!(held.catch_up(&store, realm).await, "P19 from now on");
    }
    assert_ne!(seen[0], seen[1], "P19 a version belongs to one realm");
    let new = set(&store, 2, "new").await;
    let [before, after] = [other, new].map(rows_of);
    for (new, old) in after.into_iter().zip(before) {
        assert!(passed(new, old), "P19 {new} is near {old}");
    }

    // A running delivery still ends by its claim, and later claims get a token far from it.
    let numbers = SkippedIds::of_log(at(9));
    let log = |new: i64, old: i64| new >= numbers.beyond(old);
    let done = settlement(&claimed[0], Disposition::Sent);
    store.queue.settle(vec![done], at(2)).await.unwrap();
    let found = store.log.delivery(sent[0]).await.unwrap();
    let state = found.map(|delivery| delivery.state);
    assert_eq!(state, Some(DeliveryState::Sent), "P19 settled");
    let late = enqueue(&store, new.webhook, &["m3"]).await;
    assert!(log(late[0].0, sent[1].0), "P19 {:?} is near", late[0]);
    let token = claim(&store, new.webhook, 2).await[0].token;
    assert!(log(token.0, claimed[0].token.0), "P19 {token:?} is near");
    let next = push(&store).await;
    assert!(log(next.0, row.0), "P19 {next:?} is near {row:?}");
}

async fn push(store: &Webhooks) -> OutboxId {
    let pushed = store.outbox.push_outbox(&occurrence("on"), at(0)).await;
    pushed.unwrap()
}

fn rows_of(set: Set) -> [i64; 3] {
    [set.webhook.0, set.task.0, set.event.0]
}
