//! The tests specific to this backend: the changes that its handles see, and the rows that it
//! keeps.
use gatepost_ids::TenantId;
use gatepost_sqlite::{SqliteConfig, SqliteStore, Synchronous};
use gatepost_storage::keys::{KeyShard, KeyStore as _};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, key, message, settlement_of, stored_webhook, task, webhook,
};
use rusqlite::Connection;
use webhook_model::{Audience, Authorization, TaskId, WebhookId};

use crate::common::fresh;

#[tokio::test]
async fn stored_records_survive_a_reopen() {
    let (store, config, _folder) = fresh().await;
    let key = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    let hook = store
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let batch = direct(vec![message(hook.id, "m1", at(0))]);
    store.enqueue(batch, at(0)).await.unwrap();
    store.close().await;
    assert_eq!(
        store.key(key.id).await.unwrap_err().kind(),
        ErrorKind::Unavailable
    );
    assert_eq!(
        store.key_generation(KeyShard(0)),
        None,
        "a closed store vouches for no cache"
    );

    let store = SqliteStore::open(config).await.unwrap();
    assert_eq!(store.key(key.id).await.unwrap(), Some(key));
    assert_eq!(store.webhook(hook.id).await.unwrap(), Some(hook));
    assert_eq!(store.count_queue(at(0)).await.unwrap().queued, 1);
}

/// With a sync of the disk for each command, all would wait for syncs.
#[tokio::test]
async fn concurrent_commands_share_commits_single_one_does_not() {
    let (store, _, _folder) = fresh().await;
    let before = store.commits();
    let hook = stored_webhook(&store, "w").await;
    let one = store.commits();
    assert_eq!(one.commits - before.commits, one.commands - before.commands);
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..200 {
        let (store, batch) = (
            store.clone(),
            direct(vec![message(hook, &format!("m{n}"), at(0))]),
        );
        calls.spawn(async move { store.enqueue(batch, at(0)).await });
    }
    assert!(calls.join_all().await.iter().all(Result::is_ok));
    let all = store.commits();
    assert_eq!(all.commands - one.commands, 200);
    assert!(all.commits - one.commits < 20, "{all:?}");
}

#[tokio::test]
async fn row_numbers_are_not_reused_after_reopen() {
    let (store, config, _folder) = fresh().await;
    let first = store.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
    store.delete_key(first.id, at(0)).await.unwrap();
    store.close().await;
    let store = SqliteStore::open(config).await.unwrap();
    assert!(store.insert_key(&key(1, "a"), u64::MAX).await.unwrap().id > first.id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_commands_do_not_affect_others_in_commit() {
    let (store, _, _folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let calls = (0..200).map(|n| {
        let store = store.clone();
        // Every second one is refused: its first delivery would be valid, its second has no
        // webhook.
        let mut deliveries = vec![message(hook, &format!("m{n}"), at(0))];
        match n % 4 {
            1 | 3 => deliveries.push(message(WebhookId(99), &format!("x{n}"), at(0))),
            _ => {}
        }
        tokio::spawn(async move { store.enqueue(direct(deliveries), at(0)).await })
    });
    for (n, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        let answer = call.await.unwrap();
        match n % 4 {
            1 | 3 => assert_eq!(answer.unwrap_err().kind(), ErrorKind::Invalid),
            _ => assert!(matches!(answer.unwrap(), Enqueued::Stored { .. })),
        }
    }
    assert_eq!(store.count_queue(at(0)).await.unwrap().queued, 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_handles_claim_no_delivery_twice() {
    let (one, config, _folder) = fresh().await;
    let two = SqliteStore::open(config).await.unwrap();
    let hook = one
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let deliveries = (0..300).map(|n| message(hook.id, &format!("m{n}"), at(0)));
    one.enqueue(direct(deliveries.collect()), at(0))
        .await
        .unwrap();
    let claimer = |store: SqliteStore| async move {
        let queue = WebhookQueue {
            webhook: WebhookId(1),
            class: QueueClass::First,
        };
        let mut ids = Vec::new();
        loop {
            let claimed = store
                .claim(&[QueueClaim { queue, limit: 7 }], at(60), at(0))
                .await
                .unwrap();
            if claimed.is_empty() {
                return ids;
            }
            ids.extend(claimed.iter().map(|c| c.delivery.id.0));
        }
    };
    let (a, b) = tokio::join!(tokio::spawn(claimer(one)), tokio::spawn(claimer(two)));
    let mut all = [a.unwrap(), b.unwrap()].concat();
    all.sort_unstable();
    assert_eq!(all, (1..=300).collect::<Vec<_>>());
}

#[tokio::test]
async fn unreadable_delivery_ends_and_blocks_no_other() {
    let (store, _, folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let deliveries = vec![message(hook, "m1", at(0)), message(hook, "m2", at(0))];
    store.enqueue(direct(deliveries), at(0)).await.unwrap();
    let host = Connection::open(folder.path().join("gatepost.db")).unwrap();
    host.execute_batch("UPDATE gatepost_delivery SET body = CAST(x'FF' AS TEXT) WHERE id = 1")
        .unwrap();
    let queue = WebhookQueue {
        webhook: hook,
        class: QueueClass::First,
    };
    let claimed = store
        .claim(&[QueueClaim { queue, limit: 5 }], at(60), at(0))
        .await
        .unwrap();
    assert_eq!(
        claimed.iter().map(|c| c.delivery.id.0).collect::<Vec<_>>(),
        [2]
    );
    let state: (i64, String) = host
        .query_row(
            "SELECT state, status_info FROM gatepost_outcome WHERE delivery = 1",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
        .unwrap();
    assert_eq!(state.0, 3);
    assert!(state.1.contains("body"), "{}", state.1);
}

#[tokio::test]
async fn secrets_are_sealed_and_resealed_under_new_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let old = || SealingKey::new(1, [1; 32]);
    let config = SqliteConfig::file(&path);
    let store = SqliteStore::open(config.clone().with_sealing(SealingKeys::new(old())))
        .await
        .unwrap();
    let mut hook = webhook("w");
    hook.url = "https://chat.example/services/canary".parse().unwrap();
    hook.authorization = Authorization::bearer("hunter2-canary").unwrap();
    hook.headers = webhook_model::Headers::parse_lines("X-Token: header-canary").unwrap();
    let row = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    store.close().await;
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|w| w == b"canary"));
    }
    let both = SealingKeys::new(SealingKey::new(2, [2; 32])).with_old(old());
    let store = SqliteStore::open(config.clone().with_sealing(both))
        .await
        .unwrap();
    assert_eq!(store.reseal().await.unwrap().changed, 1);
    assert_eq!(store.reseal().await.unwrap().changed, 0);
    store.close().await;
    let new = SealingKeys::new(SealingKey::new(2, [2; 32]));
    let store = SqliteStore::open(config.with_sealing(new)).await.unwrap();
    assert_eq!(store.webhook(row.id).await.unwrap(), Some(row));
}

#[tokio::test]
async fn plaintext_url_is_sealed_on_write_or_reseal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let store = SqliteStore::open(SqliteConfig::file(&path)).await.unwrap();
    let (mut rows, count) = (Vec::new(), 1_001);
    for n in 0..count {
        let mut hook = webhook(&format!("w{n}"));
        hook.url = format!("https://example.com/canary-{n}").parse().unwrap();
        rows.push(store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap());
    }
    store.close().await;
    let keys = SealingKeys::new(SealingKey::new(1, [1; 32]));
    let config = SqliteConfig::file(&path).with_sealing(keys);
    let store = SqliteStore::open(config).await.unwrap();
    let plain = || -> i64 {
        let sql =
            "SELECT count(*) FROM gatepost_webhook WHERE substr(url, 2, 4) = CAST('http' AS BLOB)";
        Connection::open(&path)
            .unwrap()
            .query_row(sql, [], |row| row.get(0))
            .unwrap()
    };
    let read = store.webhook(rows[0].id).await.unwrap();
    assert_eq!((read.as_ref(), plain()), (Some(&rows[0]), count));
    store
        .update_webhook(&rows[0], UNLIMITED, at(1))
        .await
        .unwrap();
    assert_eq!(plain(), count - 1);
    assert_eq!(store.reseal().await.unwrap().changed, 1_000);
    assert_eq!(plain(), 0);
    assert_eq!(
        store.webhook(rows[1].id).await.unwrap().as_ref(),
        Some(&rows[1])
    );
    store.close().await;
    let platform = Connection::open(&path).unwrap();
    platform.execute_batch("VACUUM").unwrap();
    drop(platform);
    let file = std::fs::read(&path).unwrap();
    for row in rows.iter().skip(1).step_by(100) {
        let url = row.value.url.as_str().as_bytes();
        assert!(!file.windows(url.len()).any(|bytes| bytes == url));
    }
}

#[tokio::test]
async fn host_inserts_into_outbox_with_plain_sql() {
    let (store, _, folder) = fresh().await;
    let host = Connection::open(folder.path().join("gatepost.db")).unwrap();
    host.execute_batch(
        r#"INSERT INTO gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, data, tenant)
         VALUES ('vms', 'poweron', 4711, 'web-1', '[3, 8]', '{"ZONE": "b"}', '{"cores": 4}', 12);
         INSERT INTO gatepost_occurrence (event_type, event, tags) VALUES ('vms', 'poweron', 'no json');
         INSERT INTO gatepost_occurrence (event_type, event) VALUES (CAST(x'FF' AS TEXT), 'poweron')"#,
    )
    .unwrap();
    let first = store
        .take_outbox(1, 10, at(9), at(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        first.audience,
        OutboxAudience {
            tenant: 0,
            owner: 0
        }
    );
    let second = store
        .take_outbox(1, 10, at(9), at(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        second.audience,
        OutboxAudience {
            tenant: 12,
            owner: 0
        }
    );
    assert_eq!(store.take_outbox(2, 10, at(9), at(0)).await.unwrap(), None);
    let rows = [second.rows, first.rows].concat();
    let good = rows[0].occurrence.clone().unwrap();
    assert_eq!(good.data, Some(r#"{"cores":4}"#.parse().unwrap()));
    assert_eq!(good.object.unwrap().name, "web-1");
    assert_eq!(good.audience, Audience::Tenant(TenantId(12)));
    assert_eq!(
        (rows[0].turn, &rows[0].left),
        (0, &RemainingTasks::After(TaskId(0)))
    );
    assert!(
        rows[1]
            .occurrence
            .clone()
            .unwrap_err()
            .0
            .starts_with("tags")
    );
    assert!(
        rows[2]
            .occurrence
            .clone()
            .unwrap_err()
            .0
            .starts_with("event_type")
    );
    let aside = PutBack::Aside("no".to_owned());
    store.put_back(rows[1].id, 0, aside).await.unwrap();
    store.give_back_outbox(first.audience, 1).await.unwrap();
    let left = store
        .take_outbox(2, 10, at(9), at(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(left.rows.len(), 1);
}

#[tokio::test]
async fn deleting_a_webhook_takes_its_log_along() {
    let (store, _, folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let sender = store
        .insert_task(&task(hook), UNLIMITED, at(0))
        .await
        .unwrap();
    let mut delivery = message(hook, "m1", at(0));
    delivery.lease_until = Some(at(60));
    let Enqueued::Stored { deliveries, .. } =
        store.enqueue(direct(vec![delivery]), at(0)).await.unwrap()
    else {
        panic!("not stored")
    };
    let claim = Claim {
        delivery: deliveries[0].id,
        token: deliveries[0].token.unwrap(),
    };
    assert_eq!(
        store
            .settle(vec![settlement_of(claim, Disposition::Sent)], at(1))
            .await
            .unwrap(),
        [Settled::Done]
    );
    let refused = store
        .delete_webhook(hook, Cascade::Refuse, at(2))
        .await
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InUse);
    store
        .delete_webhook(hook, Cascade::Tasks, at(2))
        .await
        .unwrap();
    assert_eq!(store.task(sender.id).await.unwrap(), None);
    assert_eq!(store.attempts(deliveries[0].id, 99).await.unwrap(), []);
    let host = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let left = || -> i64 {
        let tables = ["webhook", "task", "delivery", "outcome"];
        let counts = tables.map(|t| format!("(SELECT count(*) FROM gatepost_{t})"));
        let sql = format!("SELECT {}", counts.join(" + "));
        host.query_row(&sql, [], |r| r.get(0)).unwrap()
    };
    assert_eq!(left(), 4, "marked only");
    // At most as many rows as the limit.
    assert_eq!(store.remove_gone(3, at(3)).await.unwrap(), 3);
    assert_eq!(left(), 1);
    assert_eq!(store.remove_gone(3, at(3)).await.unwrap(), 1);
    assert_eq!(left(), 0);
    assert_eq!(store.remove_gone(3, at(3)).await.unwrap(), 0);
}

#[tokio::test]
async fn work_of_another_handle_is_noticed() {
    let (store, config, _folder) = fresh().await;
    let other = SqliteStore::open(config.with_synchronous(Synchronous::Off))
        .await
        .unwrap();
    let hook = other
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let waiting = tokio::spawn(async move { store.work_arrived().await });
    tokio::time::timeout(std::time::Duration::from_secs(20), async {
        for n in 0.. {
            if waiting.is_finished() {
                break;
            }
            other
                .enqueue(
                    direct(vec![message(hook.id, &format!("m{n}"), at(0))]),
                    at(0),
                )
                .await
                .unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    })
    .await
    .unwrap();
}

/// The platform writes these rows with its own SQL: an unreadable one is set aside, and the rows
/// behind it, and those of others, are processed.
#[tokio::test]
async fn invalid_time_or_turn_fails_only_that_row() {
    for bad in ["created = 9223372036854775807", "turn = -1"] {
        let (store, _, folder) = fresh().await;
        let host = Connection::open(folder.path().join("gatepost.db")).unwrap();
        for bad in ["", bad] {
            let insert =
                "INSERT INTO gatepost_occurrence (event_type, event, due) VALUES ('vms', 'on', 0)";
            host.execute_batch(insert).unwrap();
            if !bad.is_empty() {
                let update = format!("UPDATE gatepost_occurrence SET {bad} WHERE id = 1");
                host.execute_batch(&update).unwrap();
            }
        }
        let taken = store.take_outbox(1, 10, at(9), at(0)).await.unwrap();
        let rows = taken.unwrap().rows;
        let read: Vec<bool> = rows.iter().map(|row| row.occurrence.is_ok()).collect();
        assert_eq!(read, [false, true], "{bad}");
    }
}
