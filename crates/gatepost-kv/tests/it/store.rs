//! The storage contract on the store over the adapter in memory.

use std::sync::Arc;

use apikey_core::{ApiKey, KeyName};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_kv::{
    Change, Kv, KvError, KvExt as _, KvStore, MemoryKv, Reading, Table, Writing, number_key,
};
use gatepost_storage::keys::{ChangedKeys, KeyQuery, KeyShard};
use gatepost_storage::webhooks::{
    AttemptRecord, DeliveryQuery, DeliveryState, Disposition, NewDelivery, PurgeBounds, QueueClaim,
    QueueClass, QueueStore as _, RecordStore as _, Settled, Settlement,
};
use gatepost_storage::{AuditStore, ErrorKind, KeyStore, OwnerStore as _, Page};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, claim, direct, keep_all, key, message, purge, queue_claim, queued, settlement,
    stored_webhook, webhook,
};
use gatepost_testkit::{Harness, Webhooks};
use webhook_model::{Webhook, WebhookName};

fn open() -> Arc<KvStore> {
    Arc::new(KvStore::open(MemoryKv::default()).unwrap())
}

async fn keys() -> Arc<dyn KeyStore> {
    open()
}

async fn webhooks() -> Webhooks {
    Webhooks::of(open())
}

/// An audit log in a store that can be restored.
struct Log(Arc<KvStore>);

#[async_trait]
impl Harness<Arc<dyn AuditStore>> for Log {
    async fn fresh(&self) -> Arc<dyn AuditStore> {
        self.0.clone()
    }

    async fn restored(
        &self,
        store: Arc<dyn AuditStore>,
        now: DateTime<Utc>,
    ) -> Option<Arc<dyn AuditStore>> {
        self.0.restored(now).await.unwrap();
        Some(store)
    }
}

/// A store in memory that the test holds, too.
struct Held(Arc<MemoryKv>);

impl Kv for Held {
    fn prepare(&self, tables: &[Table]) -> Result<(), KvError> {
        self.0.prepare(tables)
    }

    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        self.0.view(f)
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        self.0.change(f)
    }
}

#[tokio::test]
async fn process_of_older_version_stops_at_next_commit() {
    let kv = Arc::new(MemoryKv::default());
    let store = KvStore::open(Held(kv.clone())).unwrap();
    let webhook = webhook("w");
    let insert = || store.insert_webhook(&webhook, UNLIMITED, at(0));
    insert().await.unwrap();
    let meta = Table::bytes("meta");
    let later = |change: &mut dyn Change| change.put(meta, b"version\0\x01", &2_i64.to_be_bytes());
    kv.write(later).unwrap();
    let stopped = insert().await.unwrap_err();
    assert_eq!(stopped.kind(), ErrorKind::Unsupported);
    let refused = KvStore::open(Held(kv)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
}

#[tokio::test]
async fn key_changes_are_remembered_and_generations_never_fall() {
    let kv = Arc::new(MemoryKv::default());
    let store = KvStore::open(Held(kv.clone())).unwrap();
    let row = store.insert_key(&key(1, "k"), u64::MAX).await.unwrap();
    let shard = KeyShard::of(row.key.lookup);
    let before = store.key_generation(shard).unwrap();
    let row = store.update_key(&row, at(1)).await.unwrap();
    store.delete_key(row.id, at(2)).await.unwrap();
    let changes = store.key_changes(shard, before).await.unwrap();
    assert_eq!(changes.changed, ChangedKeys::These(vec![row.key.lookup; 2]));
    assert!(changes.generation > before);
    drop(store);
    let store = KvStore::open(Held(kv)).unwrap();
    assert_eq!(store.key_generation(shard), Some(changes.generation));
}

/// A key of the database has at most 480 bytes.
#[tokio::test]
async fn names_of_many_bytes_are_stored_and_found() {
    let store = KvStore::new();
    let longest = |fits: fn(&str) -> bool| {
        let names = (1..).map(|n| "\u{1f98a}".repeat(n));
        names.take_while(|name| fits(name)).last().unwrap()
    };
    let name = longest(|name| name.parse::<WebhookName>().is_ok());
    assert!(name.len() > 480, "{}", name.len());
    let hook = Webhook {
        name: name.parse().unwrap(),
        ..webhook("w")
    };
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let again = store.insert_webhook(&hook.value, UNLIMITED, at(0)).await;
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
    let name = longest(|name| name.parse::<KeyName>().is_ok());
    let kept = ApiKey {
        name: name.parse().unwrap(),
        ..key(1, "k")
    };
    store.insert_key(&kept, u64::MAX).await.unwrap();
    let query = KeyQuery {
        name: Some(name),
        ..KeyQuery::all(Page::first(9))
    };
    assert_eq!(store.list_keys(&query).await.unwrap().len(), 1);
}

#[tokio::test]
async fn log_over_byte_limit_drops_oldest_deliveries() {
    let store = Webhooks::of(Arc::new(KvStore::new()));
    let hook = stored_webhook(&*store.records, "w").await;
    for n in 0..10 {
        let new = NewDelivery {
            body: "x".repeat(1_000).into(),
            ..message(hook, &format!("m{n}"), at(n))
        };
        store.queue.enqueue(direct(vec![new]), at(n)).await.unwrap();
        let claimed = claim(&store, hook, n).await;
        let sent = settlement(&claimed[0], Disposition::Sent);
        store.queue.settle(vec![sent], at(n)).await.unwrap();
    }
    let bounds = PurgeBounds {
        bytes: Some(5_000),
        ..keep_all()
    };
    purge(&store, &bounds, 20).await;
    let all = DeliveryQuery::all(Page::first(99));
    let left = store.log.list_deliveries(&all).await.unwrap();
    let mut left: Vec<_> = left.iter().map(|one| one.created).collect();
    left.sort_unstable();
    assert!((1..=5).contains(&left.len()), "{left:?}");
    assert_eq!(left.last(), Some(&at(9)), "the newest stay");
    assert_eq!(left.first(), Some(&at(10 - left.len() as i64)));
}

/// A hundred concurrent responses of the maximum kept size are more than one change may write.
#[tokio::test]
async fn settlements_larger_than_a_change_are_all_stored() {
    let store = KvStore::new();
    let hook = webhook("w");
    let hook = store
        .insert_webhook(&hook, UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let new = (0..100).map(|n| message(hook, &format!("m{n}"), at(0)));
    store.enqueue(direct(new.collect()), at(0)).await.unwrap();
    let all = QueueClaim {
        limit: 100,
        ..queue_claim(hook, QueueClass::First)
    };
    let claimed = store.claim(&[all], at(60), at(1)).await.unwrap();
    let settlements = claimed.iter().map(|one| Settlement {
        attempt: Some(AttemptRecord {
            response_body: vec![b'x'; 256 * 1024],
            ..AttemptRecord::fetched(at(2))
        }),
        ..settlement(one, Disposition::Sent)
    });
    let settled = store.settle(settlements.collect(), at(2)).await.unwrap();
    assert_eq!(settled, [Settled::Done; 100]);
}

mod audit_contract {
    gatepost_testkit::audit_store_conformance!(super::Log(super::open()), not durable);
}

mod key_contract {
    gatepost_testkit::key_store_conformance!(super::keys, not durable);
}

mod webhook_contract {
    gatepost_testkit::webhook_store_conformance!(super::webhooks, not durable);
}

/// The contract of `claim`: such a delivery must end in `error` and must not delay the others.
#[tokio::test]
async fn delivery_with_lost_message_ends_others_are_claimed() {
    let kv = Arc::new(MemoryKv::default());
    let store = Webhooks::of(Arc::new(KvStore::open(Held(kv.clone())).unwrap()));
    let hook = queued(&store, &["a", "b"]).await;
    let log = store
        .log
        .list_deliveries(&DeliveryQuery::all(Page::first(9)))
        .await;
    let damaged = log.unwrap().iter().map(|row| row.id).min().unwrap();
    let bodies = Table::numbers("delivery_body");
    let lose =
        |change: &mut dyn Change| change.delete(bodies, &number_key(damaged.0.cast_unsigned()));
    kv.write(lose).unwrap();
    let claimed = claim(&store, hook, 0).await;
    assert_eq!(claimed.len(), 1);
    assert_ne!(claimed[0].delivery.id, damaged);
    let ended = store.log.delivery(damaged).await.unwrap().unwrap();
    assert_eq!(ended.state, DeliveryState::Error);
}
