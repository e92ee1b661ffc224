//! The reference store keeps the contract. It keeps nothing else: the contract tests of durable
//! stores are ignored.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_kv::MemoryStore;
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _, SealedMessages};
use gatepost_testkit::{
    Finding, Harness, Webhooks, audit_contract, key_contract, prove, run_all, webhook_contract,
};

async fn keys() -> Arc<dyn KeyStore> {
    Arc::new(MemoryStore::new())
}

/// An audit log in a store that can be restored.
#[derive(Default)]
struct Log(Arc<MemoryStore>);

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

async fn webhooks() -> Webhooks {
    Webhooks::of(Arc::new(MemoryStore::new()))
}

mod key_contract {
    gatepost_testkit::key_store_conformance!(super::keys, not durable);
}

mod audit_contract {
    gatepost_testkit::audit_store_conformance!(super::Log::default(), not durable);
}

mod webhook_contract {
    gatepost_testkit::webhook_store_conformance!(super::webhooks, not durable);
}

/// The log is not durable, but must skip numbers all the same.
#[test]
fn memory_audit_log_reuses_no_number_after_restore() {
    let test = "a11_a_restored_log_gives_no_number_twice";
    prove(&audit_contract(), test, Log::default());
}

/// The same store, behind one that seals messages and responses.
async fn sealed() -> Webhooks {
    let keys = SealingKeys::new(SealingKey::new(1, [1; 32]));
    Webhooks::of(Arc::new(SealedMessages::new(
        Arc::new(MemoryStore::new()),
        keys,
    )))
}

#[tokio::test(flavor = "multi_thread")]
async fn report_lists_every_contract_test_untried_as_ignored() {
    let report = run_all(&key_contract(), || keys).await;
    let report = report.and(run_all(&webhook_contract(), || webhooks).await);
    let tests = key_contract().len() + webhook_contract().len();
    assert_eq!(report.findings.len(), tests);
    assert!(report.is_sound(), "{report}");
    let ignored = |f: &&(&str, Finding)| matches!(f.1, Finding::Ignored(_));
    assert_eq!(report.findings.iter().filter(ignored).count(), 12);
    assert!(
        report
            .to_string()
            .contains("d06_secrets_lie_sealed: ignored: the harness shows no dump")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sealing_store_passes_contract_except_byte_counts() {
    let report = run_all(&webhook_contract(), || sealed).await;
    let broken = |f: &&(&'static str, Finding)| matches!(f.1, Finding::Broken(_));
    let broken: Vec<_> = report.findings.iter().filter(broken).collect();
    let names: Vec<_> = broken.iter().map(|finding| finding.0).collect();
    // These tests count stored bytes, and sealed values are longer.
    let counting = [
        "l17_usage_of_an_owner_is_counted",
        "l30_a_list_reads_the_requested_messages",
    ];
    assert_eq!(names, counting, "{report}");
}
