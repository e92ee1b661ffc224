//! Row numbers that were given after the backup.

use chrono::TimeDelta;
use gatepost_storage::audit::AuditQuery;
use gatepost_storage::webhooks::DeliveryId;
use gatepost_storage::{AtMost, Clock as _, SystemClock};
use gatepost_testkit::fixtures::{direct, entry, message};

use super::*;

/// A key, a webhook with a task and an event, a delivery, and an entry of the audit log.
struct Made {
    key: (KeyId, String),
    webhook: WebhookId,
    rows: [i64; 6],
}

async fn make(store: &Store, name: &str) -> Made {
    let (now, limit) = (SystemClock.now(), AtMost::UNLIMITED);
    let keys = service(store);
    let (key, header) = make_key(&keys, name).await;
    keys.shutdown().await;
    let webhooks = store.webhooks();
    let hook = webhook(name, "https://example.com/");
    let hook = webhooks.insert_webhook(&hook, limit, now).await.unwrap();
    let made = webhooks.insert_task(&task(hook.id, "m"), limit, now).await;
    let made = made.unwrap();
    let on = webhooks.insert_event(&event(made.id), limit, now).await;
    let stored = direct(vec![message(hook.id, &format!("msg_{name}"), now)]);
    webhooks.enqueue(stored, now).await.unwrap();
    let last = newest(&webhooks).await;
    let noted = added_entry(&store.audit()).await;
    let rows = [
        key.id.0,
        hook.id.0,
        made.id.0,
        on.unwrap().id.0,
        last.0,
        noted,
    ];
    Made {
        key: (key.id, header),
        webhook: hook.id,
        rows,
    }
}

async fn newest(store: &Arc<dyn WebhookStore>) -> DeliveryId {
    let newest = gatepost_storage::Page::newest(1);
    let query = gatepost_storage::webhooks::DeliveryQuery::all(newest);
    store.list_deliveries(&query).await.unwrap()[0].id
}

/// Adds an entry and returns its number.
async fn added_entry(audit: &Arc<dyn AuditStore>) -> i64 {
    audit.append_audit(&[entry(1, 1, 1)], 99).await.unwrap();
    let newest = AuditQuery::all(gatepost_storage::Page::newest(1));
    audit.list_audit(&newest).await.unwrap()[0].id.0
}

/// Returns the row numbers made after the backup, and those made then in the restored store.
async fn across_a_restore(place: &Place, restored: bool) -> (Made, Made) {
    let store = place.open().await;
    let before = make(&store, "before").await;
    let backup = place.back_up(&store).await;
    let lost = make(&store, "lost").await;
    store.close().await;
    place.put_back(&backup);

    let store = place.open().await;
    if restored {
        store.keys().restored(SystemClock.now()).await.unwrap();
    }
    let keys = service(&store);
    let (id, header) = &before.key;
    assert_eq!(admitted(&keys, header).await, Some(*id), "it stays good");
    assert_eq!(admitted(&keys, &lost.key.1).await, None, "it is unknown");
    assert_eq!(store.webhooks().webhook(lost.webhook).await.unwrap(), None);
    let new = make(&store, "new").await;
    let (id, header) = &new.key;
    assert_eq!(admitted(&keys, header).await, Some(*id));
    assert_eq!(admitted(&keys, &lost.key.1).await, None, "it stays unknown");
    keys.shutdown().await;
    store.close().await;
    (lost, new)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_numbers_from_before_restore_are_not_reused() {
    for place in Place::all() {
        let (lost, new) = across_a_restore(&place, true).await;
        for (new, lost) in new.rows.into_iter().zip(lost.rows) {
            assert!(new > lost + 1_000_000, "{new} after {lost}");
        }
    }
}

/// The first restore failed, or was followed by another: the rows made after it are not in the
/// backup either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn second_restore_of_backup_assigns_other_numbers() {
    for place in Place::all() {
        let store = place.open().await;
        make(&store, "before").await;
        let backup = place.back_up(&store).await;
        store.close().await;
        let mut made = Vec::new();
        for minutes in [0, 1] {
            place.put_back(&backup);
            let store = place.open().await;
            let now = SystemClock.now() + TimeDelta::minutes(minutes);
            store.keys().restored(now).await.unwrap();
            made.push(make(&store, "after").await);
            store.close().await;
        }
        for (second, first) in made[1].rows.into_iter().zip(made[0].rows) {
            assert!(second > first, "{second} after {first}");
        }
    }
}

/// The control: without the call, a key number in a script may name another user's key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_call_numbers_are_given_again() {
    for place in Place::all() {
        let (lost, new) = across_a_restore(&place, false).await;
        assert_eq!(new.rows, lost.rows);
    }
}
