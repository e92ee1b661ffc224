//! What is locked in one place costs nobody of another a lock, a connection or a permit.

use std::time::Duration;

use gatepost_ids::{OwnerId, Place};
use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _};
use gatepost_testkit::fixtures::{UNLIMITED, at, lane};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::locks::{SOON, Two, one, two, two_where};

/// One of the tenants whose places have the hash of one that every emit shares.
fn as_by_hash(of: Place) -> String {
    format!("hashtext('tenant:' || n) & 63 = hashtext('{of}') & 63")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_every_emit_shares_is_locked_by_no_tenant() {
    for shared in [Place::Operators, Place::Common] {
        let two = two_where(&as_by_hash(shared)).await;
        let basis = two.basis_of(&[two.other, shared]).await;
        let change = two.change_that_hangs().await;
        let emit = Enqueue {
            basis,
            ..one(two.of_other, "m")
        };
        let stored = timeout(SOON, two.b.enqueue(emit, at(0))).await;
        let stored = stored.expect("held up").unwrap();
        assert!(matches!(stored, Enqueued::Stored { .. }), "{stored:?}");
        assert!(!change.is_finished(), "the change still holds its lock");
        two.let_go().await;
        change.await.unwrap().unwrap();
    }
}

/// This number of changes of the first webhook, as it was read before.
async fn changes(two: &Two, store: &PostgresStore, count: usize) -> Vec<JoinHandle<ErrorKind>> {
    let row = two.b.webhook(two.of_one).await.unwrap().unwrap();
    let changes = (0..count).map(|_| {
        let (store, row) = (store.clone(), row.clone());
        tokio::spawn(async move {
            let refused = store.update_webhook(&row, UNLIMITED, at(2)).await;
            refused.unwrap_err().kind()
        })
    });
    changes.collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_wait_for_one_place_leave_the_connections_to_others() {
    let two = two().await;
    let config = two.config.clone().with_max_connections(5);
    let store = PostgresStore::connect(config).await.unwrap();
    let change = two.change_that_hangs().await;
    let waiting = changes(&two, &store, 50).await;
    sleep(Duration::from_millis(100)).await;
    let others = async {
        store.enqueue(one(two.of_other, "m"), at(0)).await.unwrap();
        let lane = lane(two.of_other, LaneClass::First);
        assert_eq!(store.claim(&[lane], at(60), at(1)).await.unwrap().len(), 1);
        let row = store.webhook(two.of_other).await.unwrap().unwrap();
        store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
        let gone = gatepost_storage::owners::Gone::Owner(OwnerId(2));
        store.mark_gone(gone, at(1)).await.unwrap();
    };
    timeout(SOON, others).await.expect("held up");
    assert!(!change.is_finished(), "the change still holds its lock");
    assert!(!waiting.iter().any(JoinHandle::is_finished), "they wait");
    two.let_go().await;
    change.await.unwrap().unwrap();
    for call in waiting {
        let kind = timeout(SOON, call).await.expect("forgotten").unwrap();
        assert_eq!(kind, ErrorKind::Stale);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_a_place_that_stays_locked_is_refused_after_a_while() {
    let two = two().await;
    let config = two.config.clone();
    let config = config.with_lock_timeout(Duration::from_millis(400));
    let store = PostgresStore::connect(config).await.unwrap();
    let change = two.change_that_hangs().await;
    for call in changes(&two, &store, 20).await {
        let kind = timeout(SOON, call).await.expect("forgotten").unwrap();
        assert_eq!(kind, ErrorKind::Unavailable);
    }
    two.let_go().await;
    change.await.unwrap().unwrap();
}
