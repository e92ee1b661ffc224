//! The model finds a store that returns other results, and no other.

use std::sync::Arc;

use gatepost_kv::MemoryStore;
use gatepost_storage::KeyStore;
use gatepost_testkit::{Webhooks, model};

use super::machine::{broken_keys, broken_webhooks};
use super::mutants::{key_mutant, webhook_mutant};

/// The number of sequences; a run stops at the first difference, usually within some hundred.
const UNTIL_FOUND: u32 = 100_000;

/// Faults that show only after several calls.
const FAULTS: [&str; 15] = [
    "p06", "p10", "p13", "r30", "r38", "q26", "q28", "q33", "q46", "q48", "l14", "l24", "l26",
    "o10", "o14",
];

async fn webhooks() -> Webhooks {
    Webhooks::of(Arc::new(MemoryStore::new()))
}

async fn keys() -> Arc<dyn KeyStore> {
    Arc::new(MemoryStore::new())
}

#[test]
fn the_reference_store_answers_as_itself() {
    model::check_webhook_store(500, || webhooks);
    model::check_key_store(500, || keys);
}

#[test]
fn model_detects_every_webhook_store_fault() {
    for fault in FAULTS {
        let place = || move || async move { webhook_mutant(fault) };
        let checked = std::panic::catch_unwind(|| model::check_webhook_store(UNTIL_FOUND, place));
        assert!(checked.is_err(), "{fault} was not found");
    }
}

/// The contract permits this: a cache then forgets a whole shard.
#[test]
fn model_accepts_forgotten_key_changes_but_not_omitted() {
    model::check_key_store(200, || || async { key_mutant("forgets") });
    let place = || || async { key_mutant("k10") };
    let checked = std::panic::catch_unwind(|| model::check_key_store(UNTIL_FOUND, place));
    assert!(checked.is_err(), "a change that is not named was not found");
}

#[test]
fn model_detects_lost_edit_of_key() {
    for fault in [
        "update_key Stored Old row.key.ip.allow",
        "update_key Stored Old row.key.digest.bytes",
        "update_key Stored Caller row.key.created",
        "update_key Stored Caller row.key.last_login",
    ] {
        let place = || move || async move { broken_keys(fault) };
        let checked = std::panic::catch_unwind(|| model::check_key_store(UNTIL_FOUND, place));
        assert!(checked.is_err(), "{fault} was not found");
    }
}

#[test]
fn model_detects_lost_edit_of_record() {
    for fault in [
        "update_record Stored Old row.value.signing",
        "update_record Stored Old row.value.description",
        "update_record Stored Old row.value.context",
    ] {
        let place = || move || async move { broken_webhooks(fault) };
        let checked = std::panic::catch_unwind(|| model::check_webhook_store(UNTIL_FOUND, place));
        assert!(checked.is_err(), "{fault} was not found");
    }
}

/// Returns a store with the log of another store.
async fn forgetful() -> Webhooks {
    let mut webhooks = webhooks().await;
    webhooks.log = Arc::new(MemoryStore::new());
    webhooks
}

#[test]
#[should_panic(expected = "the store answers differently from the reference")]
fn a_store_that_logs_nothing_is_found_out() {
    model::check_webhook_store(500, || forgetful);
}
