//! Every clause catches a store that breaks it: one mutant each, named by the clause it must fail.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod keys;
mod queue;

use std::sync::Arc;

use storage::MemoryStore;
use storage_testkit::{Clause, Webhooks, block_on, key_clauses, queue_clauses};

/// The clauses, of those given, that do not fail by an assertion of their own on the store built for each.
fn survivors<S: 'static>(clauses: &[Clause<S>], mutant: impl Fn(&str) -> S) -> Vec<&'static str> {
    let caught = |(name, run): &Clause<S>| {
        let future = run(mutant(name));
        let Err(error) = block_on(async { tokio::spawn(future).await }) else {
            return false;
        };
        let panic = error.into_panic();
        let number: u32 = name[1..3].parse().unwrap();
        let id = format!("{}{number}", name[..1].to_uppercase());
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        said.is_some_and(|text| text.split([' ', '\n']).any(|word| word == id))
    };
    let survive = clauses.iter().filter(|c| !caught(c));
    survive.map(|c| c.0).collect()
}

#[test]
fn every_clause_about_keys_catches_its_mutant() {
    let mutant =
        |name: &str| -> Arc<dyn storage::KeyStore> { Arc::new(keys::Mutant::new(&name[..3])) };
    assert_eq!(survivors(&key_clauses(), mutant), [""; 0]);
}

#[test]
fn every_clause_about_the_queue_catches_its_mutant() {
    let mutant = |name: &str| {
        let store = Arc::new(MemoryStore::new());
        let queue = Arc::new(queue::Mutant::new(store.clone(), &name[..3]));
        Webhooks {
            queue,
            ..Webhooks::of(store)
        }
    };
    assert_eq!(survivors(&queue_clauses(), mutant), [""; 0]);
}

#[test]
fn a_mutant_without_a_fault_passes_every_clause() {
    let sound = |_: &str| -> Arc<dyn storage::KeyStore> { Arc::new(keys::Mutant::new("")) };
    assert_eq!(survivors(&key_clauses(), sound).len(), key_clauses().len());
    let sound = |_: &str| {
        let store = Arc::new(MemoryStore::new());
        let queue = Arc::new(queue::Mutant::new(store.clone(), ""));
        Webhooks {
            queue,
            ..Webhooks::of(store)
        }
    };
    assert_eq!(
        survivors(&queue_clauses(), sound).len(),
        queue_clauses().len()
    );
}
