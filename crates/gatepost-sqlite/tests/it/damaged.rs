//! Damaged data affects nothing else in the file, and is not deleted.

use gatepost_sqlite::SqliteStore;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, stored_webhook, webhook};
use rusqlite::Connection;
use webhook_model::WebhookId;

use crate::common::fresh;

/// Claims these messages of a webhook, under one token, until second 10.
async fn claimed(store: &SqliteStore, hook: WebhookId, ids: &[&str]) -> Vec<Claimed> {
    let new = ids.iter().map(|id| message(hook, id, at(0))).collect();
    store.enqueue(direct(new), at(0)).await.unwrap();
    let first = QueueClaim {
        queue: WebhookQueue {
            webhook: hook,
            class: QueueClass::First,
        },
        limit: 9,
    };
    store.claim(&[first], at(10), at(0)).await.unwrap()
}

fn reclaimed(requeued: u64) -> Reclaimed {
    Reclaimed { requeued, ended: 0 }
}

#[tokio::test]
async fn damaged_batch_is_kept_by_reclaim() {
    let (store, _config, folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let lost = claimed(&store, hook, &["m1", "m2", "m3"]).await;
    let token = lost[0].token.0;
    let raw = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let read = "SELECT members FROM gatepost_running WHERE token = ?1";
    let members: Vec<u8> = raw.query_row(read, [token], |row| row.get(0)).unwrap();
    let write = |to: Vec<u8>| {
        let sql = "UPDATE gatepost_running SET members = ?2 WHERE token = ?1";
        assert_eq!(raw.execute(sql, rusqlite::params![token, to]).unwrap(), 1);
    };
    let one = members.len() / 3;
    let damaged = [
        ("empty", Vec::new()),
        ("cut", members[1..].to_vec()),
        ("one is missing", members[one..].to_vec()),
    ];
    for (round, (what, to)) in damaged.into_iter().enumerate() {
        write(to);
        let healthy = claimed(&store, hook, &[&format!("h{round}")]).await;
        assert_eq!(healthy.len(), 1, "{what}: another batch");
        // Its own delivery is reclaimed; those of the earlier rounds have been, too.
        let back = store.reclaim(1, at(20)).await.unwrap();
        assert_eq!(back, reclaimed(1), "{what}: the healthy one comes back");
        assert_eq!(store.reclaim(9, at(20)).await.unwrap(), reclaimed(0));
        let kept: i64 = raw
            .query_row("SELECT count(*) FROM gatepost_running", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(kept, 1, "{what}: kept");
    }
    write(members);
    assert_eq!(store.reclaim(9, at(30)).await.unwrap(), reclaimed(3));
}

#[tokio::test]
async fn damaged_batch_leaves_lists_and_deletion() {
    let (store, _config, folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let lost = claimed(&store, hook, &["m1"]).await;
    let raw = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let empty = "UPDATE gatepost_running SET members = x''";
    raw.execute(empty, []).unwrap();
    let id = lost[0].delivery.id;
    let shown = store.delivery(id).await.unwrap().unwrap();
    assert_eq!(shown.state, DeliveryState::Running);
    assert_eq!(store.count_queue(at(1)).await.unwrap().running, 1);
    store.delete_delivery(id, at(1)).await.unwrap();
    assert_eq!(store.delivery(id).await.unwrap(), None);
    store
        .delete_webhook(hook, Cascade::Refuse, at(1))
        .await
        .unwrap();
    let next = store.insert_webhook(&webhook("w"), UNLIMITED, at(2)).await;
    assert!(next.is_ok());
}
