//! Two concurrent statements, one of which waits for the lock of the other: it must act on the data
//! at the time when it gets the lock, and not on the data at its beginning.

use std::time::Duration;

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_postgres::PostgresStore;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, settlement_of, webhook};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_postgres::Client;

use crate::common::{claim_all, fresh_at, raw, rows};

/// Returns the claims of two deliveries that are leased together.
async fn two_leased(store: &PostgresStore) -> Vec<Claim> {
    let hook = webhook("w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let new = ["m1", "m2"].map(|id| NewDelivery {
        lease_until: Some(at(10)),
        ..message(hook.id, id, at(0))
    });
    let stored = store.enqueue(direct(new.into()), at(0)).await.unwrap();
    let Enqueued::Stored { deliveries, .. } = stored else {
        panic!("{stored:?}")
    };
    let claims = deliveries.into_iter().map(|stored| Claim {
        delivery: stored.id,
        token: stored.token.unwrap(),
    });
    claims.collect()
}

/// Returns when this call waits for a lock that `holder` has, or has ended without waiting.
async fn blocked<T>(look: &Client, holder: i32, call: &JoinHandle<T>) {
    let waiting = "SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
    while !call.is_finished() && look.query(waiting, &[&holder]).await.unwrap().is_empty() {
        sleep(Duration::from_millis(2)).await;
    }
}

/// Returns when this call queues behind one that waits for `holder`, or has ended without waiting.
async fn in_line<T>(look: &Client, holder: i32, call: &JoinHandle<T>) {
    let waiting = "SELECT FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0
        AND NOT pg_blocking_pids(pid) = ARRAY[$1::int]";
    while !call.is_finished() && look.query(waiting, &[&holder]).await.unwrap().is_empty() {
        sleep(Duration::from_millis(2)).await;
    }
}

async fn number(client: &Client) -> i32 {
    let row = client.query_one("SELECT pg_backend_pid()", &[]).await;
    row.unwrap().get(0)
}

/// Otherwise the claim of a delivery that was leased together with it is deleted, and that delivery
/// is never settled or reclaimed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deletion_during_settlement_keeps_claims_of_others() {
    let (store, _, place) = fresh_at().await;
    let (client, look) = (raw(&place).await, raw(&place).await);
    let claims = two_leased(&store).await;
    let (ended, other) = (claims[0], claims[1]);
    assert_eq!(ended.token, other.token, "leased together");
    let hold = "BEGIN; SELECT FROM gatepost_running FOR UPDATE";
    client.batch_execute(hold).await.unwrap();
    let holder = number(&client).await;
    let settles = store.clone();
    let settling = tokio::spawn(async move {
        let settlement = settlement_of(ended, Disposition::Sent);
        settles.settle(vec![settlement], at(1)).await
    });
    blocked(&look, holder, &settling).await;
    let deletes = store.clone();
    let deleting =
        tokio::spawn(async move { deletes.delete_delivery(ended.delivery, at(1)).await });
    in_line(&look, holder, &deleting).await;
    client.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(settling.await.unwrap().unwrap(), [Settled::Done]);
    deleting.await.unwrap().unwrap();
    assert!(store.delivery(ended.delivery).await.unwrap().is_none());
    let settlement = settlement_of(other, Disposition::Sent);
    let settled = store.settle(vec![settlement], at(2)).await.unwrap();
    assert_eq!(settled, [Settled::Done]);
}

/// Otherwise it waits for ever in a queue from which it cannot be claimed, and counts as waiting.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_requeued_during_webhook_removal_is_removed() {
    let (store, _, place) = fresh_at().await;
    let (client, look) = (raw(&place).await, raw(&place).await);
    let claims = two_leased(&store).await;
    let hook = store.delivery(claims[0].delivery).await.unwrap();
    let hook = hook.unwrap().webhook;
    let hold = "BEGIN; SELECT FROM gatepost_running FOR UPDATE";
    client.batch_execute(hold).await.unwrap();
    let holder = number(&client).await;
    let settles = store.clone();
    let settling = tokio::spawn(async move {
        let again = Disposition::Retry { due: at(2) };
        let settlement = settlement_of(claims[0], again);
        settles.settle(vec![settlement], at(1)).await
    });
    blocked(&look, holder, &settling).await;
    let deletes = store.clone();
    let deleting =
        tokio::spawn(async move { deletes.delete_webhook(hook, Cascade::Tasks, at(1)).await });
    let marked = "SELECT FROM gatepost_webhook WHERE gone";
    while look.query(marked, &[]).await.unwrap().is_empty() {
        assert!(!deleting.is_finished() || !settling.is_finished());
        tokio::task::yield_now().await;
    }
    let removes = store.clone();
    let removing = tokio::spawn(async move { removes.remove_gone(1_000, at(1)).await });
    in_line(&look, holder, &removing).await;
    client.batch_execute("ROLLBACK").await.unwrap();
    settling.await.unwrap().unwrap();
    deleting.await.unwrap().unwrap();
    removing.await.unwrap().unwrap();
    while store.remove_gone(1_000, at(2)).await.unwrap() > 0 {}
    for table in ["gatepost_queue", "gatepost_running", "gatepost_webhook"] {
        assert_eq!(rows(&look, table).await, 0, "{table}");
    }
}

/// Otherwise deliveries for the owner in the realm that they have just left are sent from the next
/// one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owner_move_stays_open_while_next_one_runs() {
    let (store, _, place) = fresh_at().await;
    let (client, look) = (raw(&place).await, raw(&place).await);
    let (owner, tenant) = (OwnerId(1), |n| Realm::Tenant(TenantId(n)));
    store.assign_realm(owner, tenant(1), at(0)).await.unwrap();
    let hook = webhook("w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let queue = async |id, now| {
        let new = direct(vec![message(hook.id, id, at(now))]);
        let stored = store.enqueue(new, at(now)).await.unwrap();
        assert!(matches!(stored, Enqueued::Stored { .. }), "{stored:?}");
    };
    queue("m1", 0).await;
    store.assign_realm(owner, tenant(2), at(1)).await.unwrap();
    let hold = "BEGIN; SELECT FROM gatepost_owner FOR NO KEY UPDATE";
    client.batch_execute(hold).await.unwrap();
    let removes = store.clone();
    let removing = tokio::spawn(async move { removes.remove_gone(1_000, at(2)).await });
    blocked(&look, number(&client).await, &removing).await;
    queue("m2", 3).await;
    let again = "UPDATE gatepost_owner SET place = 'tenant:3', tenant = gatepost_id('3'),
        moves = moves + 1, moving = moves + 1; COMMIT";
    client.batch_execute(again).await.unwrap();
    removing.await.unwrap().unwrap();
    let claimed = claim_all(&store, hook.id, 4).await;
    assert!(claimed.is_empty(), "of the place left: {claimed:?}");
    store.remove_gone(1_000, at(5)).await.unwrap();
    queue("m3", 6).await;
    let claimed = claim_all(&store, hook.id, 7).await;
    let claimed: Vec<&str> = claimed
        .iter()
        .map(|claimed| claimed.delivery.message_id.as_str())
        .collect();
    assert_eq!(claimed, ["m3"]);
}
