//! The contract tests of records that cannot be read: a store that has such records passes them,
//! each of its faults is found, and a harness that spoils nothing does not look as if it had shown
//! anything.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gatepost_storage::webhooks::RecordId;
use gatepost_testkit::{Finding, Harness, Webhooks, block_on, run_all, unreadable_contract};

use super::mutants::{Mutant, webhook_mutant};

/// Spoils records of the store that it made.
struct Spoiling {
    fault: &'static str,
    made: Mutex<Option<Arc<Mutant>>>,
}

#[async_trait]
impl Harness<Webhooks> for Spoiling {
    async fn fresh(&self) -> Webhooks {
        let mutant = Arc::new(Mutant::new(self.fault));
        *self.made.lock().unwrap() = Some(mutant.clone());
        Webhooks::of(mutant)
    }

    async fn spoil(&self, record: RecordId) -> bool {
        let made = self.made.lock().unwrap();
        made.as_ref().unwrap().inner.set_unreadable(record, true);
        true
    }
}

fn finding(fault: &'static str) -> Finding {
    let place = || Spoiling {
        fault,
        made: Mutex::default(),
    };
    let report = block_on(run_all(&unreadable_contract(), place));
    report.findings[0].1.clone()
}

#[test]
fn sound_store_tolerates_unreadable_records() {
    assert_eq!(finding(""), Finding::Held);
}

#[test]
fn each_way_to_stumble_over_it_is_found() {
    for fault in ["d09", "d09-list", "d09-order", "d09-routes"] {
        let Finding::Broken(text) = finding(fault) else {
            panic!("{fault} was not found");
        };
        assert!(text.contains("D9 "), "{fault}: {text}");
    }
}

#[test]
fn a_harness_that_spoils_nothing_shows_nothing() {
    let place = || || async { webhook_mutant("") };
    let report = block_on(run_all(&unreadable_contract(), place));
    assert!(matches!(report.findings[0].1, Finding::Ignored(_)));
}
