//! The reference store keeps the contract. It keeps nothing else: the clauses about durable stores
//! are ignored.

use std::sync::Arc;

use gatepost_storage::{KeyStore, MemoryStore};
use gatepost_testkit::{Finding, Webhooks, key_clauses, run_all, webhook_clauses};

async fn keys() -> Arc<dyn KeyStore> {
    Arc::new(MemoryStore::new())
}

async fn webhooks() -> Webhooks {
    Webhooks::of(Arc::new(MemoryStore::new()))
}

mod key_clauses {
    gatepost_testkit::key_store_conformance!(super::keys, not durable);
}

mod webhook_clauses {
    gatepost_testkit::webhook_store_conformance!(super::webhooks, not durable);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_names_every_clause_and_calls_none_held_that_was_not_tried() {
    let report = run_all(&key_clauses(), || keys).await;
    let report = report.and(run_all(&webhook_clauses(), || webhooks).await);
    let clauses = key_clauses().len() + webhook_clauses().len();
    assert_eq!(report.findings.len(), clauses);
    assert!(report.is_sound(), "{report}");
    let ignored = |f: &&(&str, Finding)| matches!(f.1, Finding::Ignored(_));
    assert_eq!(report.findings.iter().filter(ignored).count(), 10);
    assert!(
        report
            .to_string()
            .contains("d06_secrets_lie_sealed: ignored: the harness shows no dump")
    );
}
