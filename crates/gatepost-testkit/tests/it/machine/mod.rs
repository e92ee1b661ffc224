//! Mutants made by machine: the reference store with each field of each row broken, in each call
//! that stores or returns it, in each way. The test kit must find every one.

mod breaker;
mod faults;
mod records;
mod store;
mod work;

use std::io::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use breaker::{Breaker, Fault};
use gatepost_storage::{AuditStore, KeyStore};
use gatepost_testkit::{
    ContractTest, Finding, Harness, Webhooks, audit_contract, block_on, key_contract, run_all,
    webhook_contract,
};
use store::Broken;
use tokio::time::Instant;

/// Mutants that no caller can distinguish from the store, each with the reason.
const EQUIVALENT: [(&str, &str); 11] = [
    ("insert_key Returned Dropped row.revision", FIRST),
    ("roll_key, new Returned Dropped row.revision", FIRST),
    ("insert_records Returned Dropped row.revision", FIRST),
    ("insert_key Stored Dropped row.rolled.from", NONE_YET),
    ("insert_key Returned Dropped row.rolled.from", NONE_YET),
    ("insert_key Returned Dropped row.rolled.to", NONE_YET),
    ("roll_key, new Returned Dropped row.rolled.to", NONE_YET),
    (
        "cancel Stored Dropped row.lease_until",
        "what waits has no lease",
    ),
    ("cancel Stored Dropped row.due", ENDED),
    ("cancel Stored Swapped row.due", ENDED),
    ("cancel Stored Near row.due", ENDED),
];

const FIRST: &str = "a new row has the first revision, as a plain one";
const NONE_YET: &str = "a new row has none, as a plain one";
const ENDED: &str = "when it is due says nothing of what has ended";

/// The environment of a mutant, which stays while its handles are dropped.
struct Place<S>(Box<dyn Fn() -> S + Send + Sync>);

#[async_trait]
impl<S: Send + 'static> Harness<S> for Place<S> {
    async fn fresh(&self) -> S {
        (self.0)()
    }

    async fn reopen(&self, store: S) -> Option<S> {
        Some(store)
    }
}

/// Returns the names of the mutants that no contract test finds: the record's own test runs first.
async fn survivors<R: Send + Sync + 'static, S: Send + 'static>(
    own: &str,
    tests: &[ContractTest<S>],
    faults: Vec<Fault<R>>,
    mutant: fn(Arc<Fault<R>>) -> S,
) -> Vec<String> {
    let began = Instant::now();
    let (mut survivors, mut equivalent, all) = (Vec::new(), 0, faults.len());
    let first = tests.iter().position(|test| test.name.starts_with(own));
    let first = first.expect("the record's own test");
    for fault in faults.into_iter().map(Arc::new) {
        let place = || {
            let fault = fault.clone();
            Place(Box::new(move || mutant(fault.clone())))
        };
        let known = EQUIVALENT.iter().any(|(name, _)| *name == fault.name());
        let order = std::iter::once(first).chain((0..tests.len()).filter(|n| *n != first));
        let mut found = false;
        for test in order {
            if known && test != first {
                break;
            }
            let report = run_all(&tests[test..=test], place).await;
            found = matches!(report.findings[0].1, Finding::Broken(_));
            if found {
                break;
            }
        }
        equivalent += usize::from(known);
        // A mutant that is found is not equivalent.
        if known == found {
            survivors.push(fault.name());
        }
    }
    let caught = all - equivalent - survivors.len();
    let time = began.elapsed().as_secs_f32();
    // A passing test's output is hidden; the number of caught mutants must be visible.
    let line = format!(
        "{own}: {caught} of {} mutants caught in {time:.1} s, {equivalent} equivalent\n",
        all - equivalent
    );
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    survivors
}

fn keys(broken: Broken) -> Arc<dyn KeyStore> {
    Arc::new(broken)
}

fn webhooks(broken: Broken) -> Webhooks {
    Webhooks::of(Arc::new(broken))
}

fn audit(broken: Broken) -> Arc<dyn AuditStore> {
    Arc::new(broken)
}

/// Returns a store of keys with the fault of this name.
pub(crate) fn broken_keys(name: &str) -> Arc<dyn KeyStore> {
    let fault = faults::of_keys().into_iter().find(|f| f.name() == name);
    keys(Broken {
        keys: Breaker::of(Arc::new(fault.expect("a fault"))),
        ..Broken::default()
    })
}

/// Returns a store of webhooks with the fault of this name.
pub(crate) fn broken_webhooks(name: &str) -> Webhooks {
    fn of<R>(faults: Vec<Fault<R>>, name: &str) -> Breaker<R>
    where
        R: Clone,
    {
        let fault = faults.into_iter().find(|f| f.name() == name);
        fault.map_or_else(Breaker::default, |fault| Breaker::of(Arc::new(fault)))
    }
    webhooks(Broken {
        webhooks: of(faults::of_webhooks(), name),
        tasks: of(faults::of_tasks(), name),
        events: of(faults::of_events(), name),
        ..Broken::default()
    })
}

/// Defines one test for each record: its contract test, all contract tests that may find a mutant
/// of it, its faults, and the part of the store that they break.
macro_rules! every_mutant_is_caught {
    ($($test:ident: $own:literal, $tests:ident, $faults:ident, $store:ident, $part:ident;)*) => {$(
        #[test]
        fn $test() {
            let tests = $tests();
            let mutant = |fault| {
                $store(Broken {
                    $part: Breaker::of(fault),
                    ..Broken::default()
                })
            };
            let survivors = survivors($own, &tests, faults::$faults(), mutant);
            assert_eq!(block_on(survivors), [""; 0]);
        }
    )*};
}

every_mutant_is_caught! {
    every_broken_field_of_a_key_is_found: "f01", key_contract, of_keys, keys, keys;
    every_broken_field_of_a_webhook_is_found:
        "f02", webhook_contract, of_webhooks, webhooks, webhooks;
    every_broken_field_of_a_task_is_found: "f03", webhook_contract, of_tasks, webhooks, tasks;
    every_broken_field_of_an_event_is_found: "f04", webhook_contract, of_events, webhooks, events;
    every_broken_field_of_an_owner_is_found: "f05", webhook_contract, of_owners, webhooks, owners;
    every_broken_field_of_a_delivery_is_found:
        "f06", webhook_contract, of_deliveries, webhooks, deliveries;
    every_broken_field_of_an_attempt_is_found:
        "f07", webhook_contract, of_attempts, webhooks, attempts;
    every_broken_field_of_a_row_of_the_outbox_is_found:
        "f08", webhook_contract, of_outbox, webhooks, outbox;
    every_broken_field_of_an_entry_is_found: "f09", audit_contract, of_audit, audit, audit;
}

#[test]
fn store_without_broken_field_passes_every_contract_test() {
    let report = block_on(async {
        let place = || Place(Box::new(|| keys(Broken::default())));
        let report = run_all(&key_contract(), place).await;
        let place = || Place(Box::new(|| audit(Broken::default())));
        let report = report.and(run_all(&audit_contract(), place).await);
        let place = || Place(Box::new(|| webhooks(Broken::default())));
        report.and(run_all(&webhook_contract(), place).await)
    });
    assert!(report.is_sound(), "{report}");
}
