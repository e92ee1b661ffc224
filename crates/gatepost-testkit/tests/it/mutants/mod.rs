//! Every contract test catches a store that breaks it: one mutant each, named by the contract test
//! that it must fail.
mod audit;
mod kept;
mod keys;
mod log;
mod mutant;
mod outbox;
mod owners;
mod queue;
mod records;
mod routes;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::{AuditStore, KeyStore};
use gatepost_testkit::{
    ContractTest, Finding, Harness, Webhooks, audit_contract, block_on, key_contract, run_all,
    webhook_contract,
};
pub(crate) use mutant::Mutant;

/// Further mutants of contract tests that have more than one.
const MORE: [&str; 35] = [
    "a01-name",
    "a03-scope",
    "a04-bound",
    "a11-empty",
    "a11-floor",
    "k22-changes",
    "k22-generation",
    "k23-nothing",
    "k24-both",
    "k24-lost",
    "k28-edit",
    "k28-enabled",
    "k30-edit",
    "k31-edit",
    "k34-floor",
    "l18-apart",
    "l18-webhook",
    "l26-last",
    "l26-sums",
    "l33-data",
    "l33-trace",
    "o08-cut",
    "o08-early",
    "o10-by",
    "o16-trace",
    "o18-before",
    "p04-nothing",
    "p11-count",
    "p19-floor",
    "q33-untried",
    "q38-cancelled",
    "r01-identity",
    "r01-scope",
    "r29-moved",
    "r41-enabled",
];

/// The environment of a mutant; its store keeps the same as that of `Forgetful`.
struct Place<S>(kept::Forgetful, fn(Arc<Mutant>) -> S);

impl<S> Place<S> {
    fn new(fault: &str, as_store: fn(Arc<Mutant>) -> S) -> Self {
        Self(kept::Forgetful::new(fault), as_store)
    }
}

#[async_trait]
impl<S: Send + Sync + 'static> Harness<S> for Place<S>
where
    kept::Forgetful: Harness<S>,
    Self: Sync,
{
    async fn fresh(&self) -> S {
        self.1(self.0.made.clone())
    }

    async fn reopen(&self, store: S) -> Option<S> {
        self.0.reopen(store).await
    }

    async fn restored(&self, store: S, now: DateTime<Utc>) -> Option<S> {
        self.0.restored(store, now).await
    }

    async fn dump(&self, store: &S) -> Option<Vec<u8>> {
        self.0.dump(store).await
    }
}

fn keys(mutant: Arc<Mutant>) -> Arc<dyn KeyStore> {
    mutant
}

fn audit(mutant: Arc<Mutant>) -> Arc<dyn AuditStore> {
    mutant
}

pub(crate) fn key_mutant(fault: &str) -> Arc<dyn KeyStore> {
    keys(Arc::new(Mutant::new(fault)))
}

pub(crate) fn webhook_mutant(fault: &str) -> Webhooks {
    Webhooks::of(Arc::new(Mutant::new(fault)))
}

/// Returns the fault and the report if the contract test does not find a mutant with this fault.
fn survives<S: Send + Sync + 'static>(
    test: &ContractTest<S>,
    fault: &str,
    as_store: fn(Arc<Mutant>) -> S,
) -> Option<String>
where
    kept::Forgetful: Harness<S>,
    Place<S>: Sync,
{
    let place = || Place::new(fault, as_store);
    let report = block_on(run_all(std::slice::from_ref(test), place));
    let number: u32 = test.name[1..3].parse().unwrap();
    let id = format!("{}{number}", test.name[..1].to_uppercase());
    let caught = match &report.findings[0].1 {
        Finding::Broken(text) => text.split([' ', '\n']).any(|word| word == id),
        _ => false,
    };
    (!caught).then(|| format!("{fault}: {report}"))
}

/// Returns the reports of the mutants that their contract test does not find by its own assertion.
fn survivors<S: Send + Sync + 'static>(
    tests: &[ContractTest<S>],
    as_store: fn(Arc<Mutant>) -> S,
) -> Vec<String>
where
    kept::Forgetful: Harness<S>,
    Place<S>: Sync,
{
    let mut survivors = Vec::new();
    // The contract tests of every field have machine-made mutants.
    let tests = tests.iter().filter(|test| !test.name.starts_with('f'));
    for test in tests {
        let own = &test.name[..3];
        let more = MORE.iter().filter(|fault| fault.starts_with(own));
        for fault in std::iter::once(&own).chain(more) {
            survivors.extend(survives(test, fault, as_store));
        }
    }
    survivors
}

#[test]
fn key_contract_tests_catch_their_mutants() {
    assert_eq!(survivors(&key_contract(), keys), [""; 0]);
}

#[test]
fn audit_contract_tests_catch_their_mutants() {
    assert_eq!(survivors(&audit_contract(), audit), [""; 0]);
}

#[test]
fn webhook_contract_tests_catch_their_mutants() {
    assert_eq!(survivors(&webhook_contract(), Webhooks::of), [""; 0]);
}

#[test]
fn mutant_without_fault_passes_every_contract_test() {
    let keys = || Place::new("", keys);
    let audit = || Place::new("", audit);
    let webhooks = || Place::new("", Webhooks::of);
    let report = block_on(async {
        let report = run_all(&key_contract(), keys).await;
        let report = report.and(run_all(&audit_contract(), audit).await);
        report.and(run_all(&webhook_contract(), webhooks).await)
    });
    let held = report.findings.iter().filter(|f| f.1 == Finding::Held);
    assert_eq!(held.count(), report.findings.len(), "{report}");
}
