//! The tests specific to this backend about owners, realms and deletions.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::{ChangedKeys, KeyQuery, KeyShard, KeyStore as _};
use gatepost_storage::owners::Removal;
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _, Page, Scope};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, event, key, message, queue_claim, settlement, stored_webhook, task,
    webhook, webhook_of,
};
use rusqlite::Connection;
use webhook_model::{DeliveryOrder, WebhookId};

use crate::common::fresh;

async fn queue(store: &SqliteStore, hook: WebhookId, count: usize) {
    let all = (0..count).map(|n| message(hook, &format!("{hook}-{n}"), at(0)));
    let all: Vec<_> = all.collect();
    for bite in all.chunks(500) {
        store.enqueue(direct(bite.to_vec()), at(0)).await.unwrap();
    }
}

fn count(folder: &tempfile::TempDir, table: &str) -> i64 {
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let sql = format!("SELECT count(*) FROM gatepost_{table}");
    file.query_row(&sql, [], |r| r.get(0)).unwrap()
}

async fn all_webhooks(store: &SqliteStore, limit: u32) -> Vec<i64> {
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page::first(limit),
    };
    let rows = store.list_webhooks(&query).await.unwrap();
    rows.iter().map(|row| row.id.0).collect()
}

#[tokio::test]
async fn removed_owner_frees_names_and_lookup_ids_immediately() {
    let (store, _, folder) = fresh().await;
    let owner = OwnerId(1);
    let old_key = store.insert_key(&key(1, "a"), 9).await.unwrap();
    let old_hook = stored_webhook(&store, "w").await;
    store.mark_gone(Removal::Owner(owner), at(1)).await.unwrap();
    assert_eq!(
        (count(&folder, "key"), count(&folder, "webhook")),
        (1, 1),
        "marked only"
    );

    store
        .assign_realm(owner, Realm::Tenant(TenantId(4)), at(2))
        .await
        .unwrap();
    let new_key = store.insert_key(&old_key.key, 1).await.unwrap();
    let new_hook = store
        .insert_webhook(&webhook("w"), UNLIMITED, at(2))
        .await
        .unwrap();
    assert!(store.remove_gone(9, at(3)).await.unwrap() < 9);
    assert_eq!(
        store.key_by_lookup(old_key.key.lookup).await.unwrap(),
        Some(new_key)
    );
    assert_eq!(store.webhook(new_hook.id).await.unwrap(), Some(new_hook));
    assert_eq!(store.webhook(old_hook).await.unwrap(), None);
    assert_eq!((count(&folder, "key"), count(&folder, "webhook")), (1, 1));
}

#[tokio::test]
async fn removal_of_too_many_keys_reports_all_changed() {
    let (store, _, _folder) = fresh().await;
    let other = store.insert_key(&key(2, "other"), 9).await.unwrap();
    for n in 0..300 {
        store
            .insert_key(&key(1, &format!("k{n}")), 300)
            .await
            .unwrap();
    }
    let full = store.insert_key(&key(1, "more"), 300).await.unwrap_err();
    assert_eq!((full.kind(), full.context()), (ErrorKind::Full, "rows"));
    let shards = || (0..=u8::MAX).map(|n| store.key_generation(KeyShard(n)).unwrap());
    let before: Vec<_> = shards().collect();
    store
        .mark_gone(Removal::Owner(OwnerId(1)), at(0))
        .await
        .unwrap();
    assert!(shards().zip(&before).all(|(now, before)| now > *before));
    let changes = store.key_changes(KeyShard(9), before[9]).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::All);
    let left = store
        .list_keys(&KeyQuery::all(Page::first(999)))
        .await
        .unwrap();
    assert_eq!(left, [other]);
    assert_eq!(store.count_keys(OwnerId(1)).await.unwrap(), 0);
}

#[tokio::test]
async fn writes_proceed_between_two_removal_batches() {
    let (store, _, folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let other = store
        .insert_webhook(&webhook_of(2, "o"), UNLIMITED, at(0))
        .await
        .unwrap();
    queue(&store, hook, 2_000).await;
    store
        .delete_webhook(hook, Cascade::Refuse, at(1))
        .await
        .unwrap();
    assert_eq!(count(&folder, "delivery"), 2_000, "marked only");
    let write = async {
        queue(&store, other.id, 1).await;
        count(&folder, "delivery")
    };
    let (removed, left) = tokio::join!(store.remove_gone(u32::MAX, at(2)), write);
    assert!(left > 1_000, "the write waited for the removal: {left}");
    assert_eq!(removed.unwrap(), 2_001);
    assert_eq!(count(&folder, "delivery"), 1);
}

#[tokio::test]
async fn lost_key_rows_are_skipped_listed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let under = |id: u32| {
        let keys = SealingKeys::new(SealingKey::new(id, [u8::try_from(id).unwrap(); 32]));
        SqliteStore::open(config.clone().with_sealing(keys))
    };
    let store = under(1).await.unwrap();
    for n in 0..3 {
        let lost = webhook_of(7, &format!("lost {n}"));
        let lost = store.insert_webhook(&lost, UNLIMITED, at(n)).await.unwrap();
        store
            .insert_task(&task(lost.id), UNLIMITED, at(n))
            .await
            .unwrap();
    }
    queue(&store, WebhookId(1), 1).await;
    store.close().await;

    let store = under(2).await.unwrap();
    let good = store
        .insert_webhook(&webhook("good"), UNLIMITED, at(9))
        .await
        .unwrap();
    store
        .insert_task(&task(good.id), UNLIMITED, at(9))
        .await
        .unwrap();
    assert_eq!(
        all_webhooks(&store, 1).await,
        [good.id.0],
        "the page is filled"
    );
    let alone = store.webhook(WebhookId(1)).await.unwrap_err();
    assert_eq!(alone.kind(), ErrorKind::Corrupt);
    let routes = store.routes(Realm::Shared, 99).await.unwrap().unwrap();
    assert_eq!(routes.webhooks.len(), 1);
    assert!(routes.tasks.iter().all(|task| task.webhook == good.id));

    let found = store.unreadable(Scope::Owner(OwnerId(7)), 2).await.unwrap();
    let ids: Vec<_> = found.iter().map(|row| (row.record, row.owner.0)).collect();
    let webhook = |id| (RecordId::Webhook(WebhookId(id)), 7);
    assert_eq!(ids, [webhook(1), webhook(2)], "the oldest");
    assert!(found[0].reason.contains("key 1"), "{}", found[0].reason);
    assert_eq!(
        store.unreadable(Scope::Owner(OwnerId(1)), 9).await.unwrap(),
        []
    );
    assert_eq!(
        store.owner_of(found[0].record).await.unwrap(),
        Some(OwnerId(7))
    );

    // Waiting deliveries are claimed, because claims do not read the webhook, until it is deleted.
    let claimed = store
        .claim(
            &[queue_claim(WebhookId(1), QueueClass::First)],
            at(99),
            at(9),
        )
        .await;
    assert_eq!(claimed.unwrap().len(), 1);
    store
        .delete_webhook(WebhookId(1), Cascade::Tasks, at(9))
        .await
        .unwrap();
    assert_eq!(store.unreadable(Scope::All, 9).await.unwrap().len(), 2);

    // A client that stores it again has its task back.
    let mut edited = webhook_of(7, "lost 1");
    edited.allow_insecure = true;
    let row = gatepost_storage::Row {
        id: WebhookId(2),
        value: edited,
        ..good
    };
    store.update_webhook(&row, UNLIMITED, at(10)).await.unwrap();
    let changes = store
        .route_changes(Realm::Shared, routes.version)
        .await
        .unwrap();
    assert!(
        changes
            .unwrap()
            .tasks
            .iter()
            .any(|(_, task)| task.is_some_and(|t| t.webhook == row.id))
    );
}

#[tokio::test]
async fn webhook_switched_to_in_order_awaits_earlier_claims() {
    let (store, _, _folder) = fresh().await;
    let hook = store
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    let other = store
        .insert_webhook(&webhook_of(2, "o"), UNLIMITED, at(0))
        .await
        .unwrap();
    queue(&store, hook.id, 1_300).await;
    queue(&store, other.id, 1).await;
    let claim = |limit| {
        let store = store.clone();
        let claim = |webhook| QueueClaim {
            limit,
            ..queue_claim(webhook, QueueClass::First)
        };
        let queues = [claim(hook.id), claim(other.id)];
        async move { store.claim(&queues, at(60), at(1)).await.unwrap() }
    };
    let together = claim(1).await;
    assert_eq!(together.len(), 2);
    assert_eq!(together[0].token, together[1].token, "one batch");
    let mut row = hook.clone();
    row.value.order = DeliveryOrder::InOrder;
    let row = store.update_webhook(&row, UNLIMITED, at(0)).await.unwrap();
    assert!(claim(9).await.is_empty());
    let due = async || store.queues_of(&[row.id], at(1)).await;
    assert_eq!(due().await.unwrap(), []);
    assert_eq!(store.remove_gone(1, at(1)).await.unwrap(), 0);
    let settle = |n: usize| {
        let settlement = settlement(&together[n], Disposition::Sent);
        store.settle(vec![settlement], at(1))
    };
    assert_eq!(settle(1).await.unwrap(), [Settled::Done]);
    assert!(claim(9).await.is_empty(), "the other one does not count");
    assert_eq!(settle(0).await.unwrap(), [Settled::Done]);
    assert_eq!(due().await.unwrap().len(), 1);
    let head: Vec<i64> = claim(9).await.iter().map(|c| c.delivery.id.0).collect();
    assert_eq!(head, [2], "the head alone");
    assert!(claim(9).await.is_empty());
    assert_eq!(
        store.remove_gone(1, at(1)).await.unwrap(),
        0,
        "nothing is removed"
    );
    assert!(claim(9).await.is_empty());

    let mut row = row;
    row.value.order = DeliveryOrder::Unordered;
    store.update_webhook(&row, UNLIMITED, at(0)).await.unwrap();
    assert_eq!(claim(100).await.len(), 100);
}

#[tokio::test]
async fn deleted_task_disappears_immediately_event_rows_later() {
    let (store, _, folder) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let of = store
        .insert_task(&task(hook), UNLIMITED, at(0))
        .await
        .unwrap();
    for _ in 0..70 {
        store
            .insert_event(&event(of.id), UNLIMITED, at(0))
            .await
            .unwrap();
    }
    store.delete_task(of.id, at(1)).await.unwrap();
    assert_eq!(
        (count(&folder, "task"), count(&folder, "event")),
        (1, 70),
        "marked only"
    );
    let query = EventQuery {
        scope: Scope::All,
        task: None,
        event_type: None,
        page: Page::first(9),
    };
    assert_eq!(store.list_events(&query).await.unwrap(), []);
    let usage = store.record_usage(OwnerId(1)).await.unwrap();
    assert_eq!((usage.webhooks, usage.tasks, usage.events), (1, 0, 0));
    assert_eq!(usage.bytes, webhook("w").stored_bytes());
    assert_eq!(store.remove_gone(999, at(2)).await.unwrap(), 71);
    assert_eq!((count(&folder, "task"), count(&folder, "event")), (0, 0));
}
