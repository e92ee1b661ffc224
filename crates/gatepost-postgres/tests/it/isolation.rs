//! A lock in one realm costs callers of another no lock, connection or permit.

use std::time::Duration;

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _};
use gatepost_testkit::fixtures::{UNLIMITED, at, queue_claim, task, webhook_of};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::locks::{SOON, Two, one, two, two_where};

/// Returns the condition for a tenant whose realm has the hash of one that every emit shares.
fn as_by_hash(of: Realm) -> String {
    format!("hashtext('tenant:' || n) & 63 = hashtext('{of}') & 63")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tenant_change_does_not_lock_shared_realms() {
    for shared in [Realm::System, Realm::Shared] {
        let two = two_where(&as_by_hash(shared)).await;
        let precondition = two.precondition_of(&[two.other, shared]).await;
        let change = two.change_that_hangs().await;
        let emit = Enqueue {
            precondition,
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

/// Starts this number of changes of the first webhook, from the row as it was read before them.
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
async fn changes_waiting_for_one_realm_leave_connections_free() {
    let two = two().await;
    let config = two.config.clone().with_max_connections(5);
    let store = PostgresStore::connect(config).await.unwrap();
    let change = two.change_that_hangs().await;
    let waiting = changes(&two, &store, 50).await;
    sleep(Duration::from_millis(100)).await;
    let others = async {
        store.enqueue(one(two.of_other, "m"), at(0)).await.unwrap();
        let queue = queue_claim(two.of_other, QueueClass::First);
        assert_eq!(store.claim(&[queue], at(60), at(1)).await.unwrap().len(), 1);
        let row = store.webhook(two.of_other).await.unwrap().unwrap();
        store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
        let gone = gatepost_storage::owners::Removal::Owner(OwnerId(2));
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
async fn change_of_locked_realm_is_unavailable_after_timeout() {
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

/// Returns enqueues of the first tenant, of the other, and of the first again.
fn set(two: &Two, name: &str) -> Vec<Enqueue> {
    let hooks = [two.of_one, two.of_other, two.of_one];
    let items = (1..).zip(hooks);
    items
        .map(|(n, hook)| one(hook, &format!("{name}-{n}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn enqueue_sets_and_one_time_tasks_never_wait() {
    let two = two().await;
    let third = Realm::Tenant(TenantId(u128::MAX));
    two.a.assign_realm(OwnerId(3), third, at(0)).await.unwrap();
    let hook = webhook_of(3, "w");
    let hook = two.a.insert_webhook(&hook, UNLIMITED, at(0)).await;
    let hook = hook.unwrap().id;
    let once = two.a.insert_task(&task(hook), UNLIMITED, at(0)).await;
    let consume = Enqueue {
        precondition: two.precondition_of(&[third]).await,
        consume: vec![once.unwrap().id],
        ..one(hook, "once")
    };
    let change = two.change_that_hangs().await;
    let sets = (0..40).map(|n| {
        let (store, set) = (two.a.clone(), set(&two, &format!("s{n}")));
        tokio::spawn(async move { store.enqueue_all(set, at(0)).await })
    });
    let sets: Vec<_> = sets.collect();
    let stored = timeout(SOON, two.a.enqueue(consume, at(0))).await;
    let stored = stored.expect("held up").unwrap();
    assert!(matches!(stored, Enqueued::Stored { .. }), "{stored:?}");
    for call in sets {
        let answers = timeout(SOON, call).await.expect("forgotten").unwrap();
        let ids = answers.into_iter().map(|answer| match answer.unwrap() {
            Enqueued::Stored { deliveries, .. } => deliveries[0].id,
            other => panic!("{other:?}"),
        });
        let ids: Vec<_> = ids.collect();
        assert!(ids[0] < ids[2], "{ids:?}");
    }
    assert!(!change.is_finished(), "the change still holds its lock");
    two.let_go().await;
    change.await.unwrap().unwrap();
}
