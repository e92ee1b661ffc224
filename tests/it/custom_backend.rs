//! The example backend keeps the whole contract: what an integrator's proof looks like.

#[path = "../../examples/custom_backend/store/mod.rs"]
pub(crate) mod store;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::{DeliveryLog as _, Enqueued, QueueStore as _, RecordStore as _};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _};
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, webhook};
use gatepost_testkit::{Harness, Webhooks, model};
use store::RedbStore;
use webhook_model::{Activity, Webhook};

/// A file in a folder that goes with the test.
struct Place(tempfile::TempDir);

fn place() -> Place {
    Place(tempfile::tempdir().unwrap())
}

impl Place {
    fn path(&self) -> PathBuf {
        self.0.path().join("gatepost.redb")
    }

    async fn open(&self) -> Arc<RedbStore> {
        let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
        Arc::new(RedbStore::open(self.path(), sealing).await.unwrap())
    }
}

#[async_trait]
impl Harness<Arc<dyn KeyStore>> for Place {
    async fn fresh(&self) -> Arc<dyn KeyStore> {
        self.open().await
    }

    async fn reopen(&self, store: Arc<dyn KeyStore>) -> Option<Arc<dyn KeyStore>> {
        drop(store);
        Some(self.open().await)
    }
}

#[async_trait]
impl Harness<Arc<dyn AuditStore>> for Place {
    async fn fresh(&self) -> Arc<dyn AuditStore> {
        self.open().await
    }

    async fn reopen(&self, store: Arc<dyn AuditStore>) -> Option<Arc<dyn AuditStore>> {
        drop(store);
        Some(self.open().await)
    }

    async fn restored(
        &self,
        store: Arc<dyn AuditStore>,
        now: DateTime<Utc>,
    ) -> Option<Arc<dyn AuditStore>> {
        drop(store);
        let store = self.open().await;
        store.restored(now).await.unwrap();
        Some(store)
    }
}

#[async_trait]
impl Harness<Webhooks> for Place {
    async fn fresh(&self) -> Webhooks {
        Webhooks::of(self.open().await)
    }

    async fn reopen(&self, store: Webhooks) -> Option<Webhooks> {
        drop(store);
        Some(Webhooks::of(self.open().await))
    }

    async fn dump(&self, _: &Webhooks) -> Option<Vec<u8>> {
        Some(std::fs::read(self.path()).unwrap())
    }
}

mod keys {
    gatepost_testkit::key_store_conformance!(super::place());
}

mod audit {
    gatepost_testkit::audit_store_conformance!(super::place());
}

mod webhooks {
    gatepost_testkit::webhook_store_conformance!(super::place());
}

#[test]
fn random_calls_are_answered_as_by_the_reference_store() {
    model::check_key_store(30, place);
    model::check_webhook_store(60, place);
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let place = place();
    drop(place.open().await);
    let counters: redb::TableDefinition<'_, &str, i64> = redb::TableDefinition::new("counter");
    let db = redb::Database::open(place.path()).unwrap();
    let tx = db.begin_write().unwrap();
    tx.open_table(counters)
        .unwrap()
        .insert("schema", 1_000)
        .unwrap();
    tx.commit().unwrap();
    drop(db);
    let refused = RedbStore::open(place.path(), SealingKeys::none()).await;
    let kind = refused.err().map(|e| e.kind());
    assert_eq!(kind, Some(gatepost_storage::ErrorKind::Unsupported));
}

/// Expiry looks at the webhook and ends its deliveries in one transaction: what still waits when a
/// webhook is resumed is sent.
#[tokio::test(flavor = "multi_thread")]
async fn expiry_beside_resume_keeps_backlog() {
    for round in 0..5 {
        let place = place();
        let store = place.open().await;
        let paused = Webhook {
            activity: Activity::Paused,
            ..webhook("w")
        };
        let row = store.insert_webhook(&paused, UNLIMITED, at(0)).await;
        let mut row = row.unwrap();
        let waits = direct(vec![message(row.id, "m1", at(0))]);
        let Enqueued::Stored { deliveries, .. } = store.enqueue(waits, at(0)).await.unwrap() else {
            panic!("not stored");
        };
        let mut expiry = pin!(store.expire_held(at(50), 9, at(60)));
        let begun = std::future::poll_fn(|cx| Poll::Ready(expiry.as_mut().poll(cx))).await;
        assert!(begun.is_pending(), "round {round}");
        row.value.activity = Activity::Active;
        store.update_webhook(&row, UNLIMITED, at(60)).await.unwrap();
        let state = async || {
            let found = store.delivery(deliveries[0].id).await.unwrap();
            found.unwrap().state
        };
        let at_resume = state().await;
        expiry.await.unwrap();
        assert_eq!(state().await, at_resume, "round {round}");
    }
}
