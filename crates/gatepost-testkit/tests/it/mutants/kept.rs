//! Harnesses that lose something when they open their store again, named by the contract test that
//! finds it.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryQuery, PurgeBounds, WebhookQuery};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _, Page, Scope};
use gatepost_testkit::fixtures::keep_all;
use gatepost_testkit::{Harness, Webhooks};

use super::mutant::Mutant;

/// Keeps a store in memory while its handles are dropped.
pub(crate) struct Forgetful {
    pub(crate) made: Arc<Mutant>,
}

impl Forgetful {
    pub(crate) fn new(fault: &str) -> Self {
        Self {
            made: Arc::new(Mutant::new(fault)),
        }
    }
}

#[async_trait]
impl Harness<Arc<dyn KeyStore>> for Forgetful {
    async fn fresh(&self) -> Arc<dyn KeyStore> {
        Arc::new(MemoryStore::new())
    }

    async fn reopen(&self, store: Arc<dyn KeyStore>) -> Option<Arc<dyn KeyStore>> {
        match self.made.fault() {
            "k18" => Some(Arc::new(MemoryStore::new())),
            "k33" => Some(Arc::new(Mutant::new("k33"))),
            _ => Some(store),
        }
    }
}

#[async_trait]
impl Harness<Arc<dyn AuditStore>> for Forgetful {
    async fn fresh(&self) -> Arc<dyn AuditStore> {
        Arc::new(MemoryStore::new())
    }

    async fn reopen(&self, store: Arc<dyn AuditStore>) -> Option<Arc<dyn AuditStore>> {
        match self.made.fault() {
            "a10" => Some(Arc::new(MemoryStore::new())),
            _ => Some(store),
        }
    }

    async fn restored(
        &self,
        store: Arc<dyn AuditStore>,
        now: DateTime<Utc>,
    ) -> Option<Arc<dyn AuditStore>> {
        self.made.restored(now).await.unwrap();
        Some(store)
    }
}

#[async_trait]
impl Harness<Webhooks> for Forgetful {
    async fn fresh(&self) -> Webhooks {
        Webhooks::of(Arc::new(MemoryStore::new()))
    }

    async fn reopen(&self, store: Webhooks) -> Option<Webhooks> {
        match self.made.fault() {
            "d01" | "d02" | "d03" | "d04" | "d07" | "d08" | "d10" => {
                return Some(self.fresh().await);
            }
            "d05" => {
                let keep = PurgeBounds {
                    occurrences_before: DateTime::<Utc>::MAX_UTC,
                    ..keep_all()
                };
                let now = DateTime::UNIX_EPOCH;
                store.log.purge(&keep, u32::MAX, now).await.unwrap();
            }
            _ => {}
        }
        Some(store)
    }

    async fn dump(&self, store: &Webhooks) -> Option<Vec<u8>> {
        let mut dump = String::new();
        let all = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(99),
        };
        for row in store.records.list_webhooks(&all).await.unwrap() {
            dump += row.value.name.as_str();
            if self.made.is(&["d06"]) {
                dump += row.value.url.as_str();
            }
        }
        let all = DeliveryQuery::all(Page::first(99));
        for delivery in store.log.list_deliveries(&all).await.unwrap() {
            dump += delivery.message_id.as_str();
            for attempt in store.log.attempts(delivery.id, 99).await.unwrap() {
                if self.made.is(&["d11"]) {
                    dump += &String::from_utf8_lossy(&attempt.request_head);
                }
            }
        }
        Some(dump.into_bytes())
    }
}
