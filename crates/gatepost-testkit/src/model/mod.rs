//! Comparison of a backend with the reference store: the same calls must have the same results.
//!
//! Sequences of calls are made at random and carried out on a [`MemoryStore`] and on the store of a
//! harness, result by result. A sequence with different results is shortened to the smallest that
//! still has them, and printed. The variable `PROPTEST_CASES` sets their number, for a longer
//! manual run.

mod carry_out;
mod fetched;
mod fields;
mod keys;
mod look;
mod owners;
mod queue;
mod records;
mod side;
mod step;
mod turns;
mod whole;

use std::sync::Arc;

use gatepost_kv::MemoryStore;
use gatepost_storage::KeyStore;
use proptest::collection::vec;
use proptest::test_runner::{Config, TestCaseError, TestCaseResult, TestRunner};

use crate::harness::{Harness, Webhooks};
use crate::runtime::block_on;

const LONGEST: usize = 60;

/// Runs this many sequences of calls on the webhook store of these harnesses and on the reference
/// store.
///
/// # Panics
/// If the two return different results.
pub fn check_webhook_store<H: Harness<Webhooks>>(sequences: u32, harness: impl Fn() -> H) {
    check(sequences, vec(step::steps(), 1..LONGEST), |steps| {
        block_on(async {
            let place = harness();
            let reference = Webhooks::of(Arc::new(MemoryStore::new()));
            let mut reference = side::Side::new(reference).await;
            let mut backend = side::Side::new(place.fresh().await).await;
            let mut now = 0;
            for (number, step) in steps.iter().enumerate() {
                now += i64::from(step.after);
                let wanted = reference.carry_out(&step.call, now).await;
                let found = backend.carry_out(&step.call, now).await;
                same(&of_call(number, &step.call), &wanted, &found)?;
                reference.retain(now).await;
                backend.retain(now).await;
            }
            let (wanted, found) = (reference.everything().await, backend.everything().await);
            same("all that is stored after the last call", &wanted, &found)
        })
    });
}

/// Runs this many sequences of calls on the key store of these harnesses and on the reference
/// store.
///
/// # Panics
/// If the two return different results. A store may forget which keys changed and name all.
pub fn check_key_store<H: Harness<Arc<dyn KeyStore>>>(sequences: u32, harness: impl Fn() -> H) {
    check(sequences, vec(keys::calls(), 1..LONGEST), |calls| {
        block_on(async {
            let place = harness();
            let mut reference = keys::Side::new(Arc::new(MemoryStore::new()));
            let mut backend = keys::Side::new(place.fresh().await);
            for (number, call) in calls.iter().enumerate() {
                let wanted = reference.carry_out(call).await;
                let found = backend.carry_out(call).await;
                let forgot = matches!(call, keys::Call::Changes(_)) && found == keys::ALL_CHANGED;
                if !forgot {
                    same(&of_call(number, call), &wanted, &found)?;
                }
            }
            Ok(())
        })
    });
}

fn check<S: proptest::strategy::Strategy>(
    sequences: u32,
    strategy: S,
    mut carry_out: impl FnMut(S::Value) -> TestCaseResult,
) {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = sequences;
    }
    let mut runner = TestRunner::new(config);
    // `TestRunner::run` requires a closure that may be called by reference.
    let carry_out = std::cell::RefCell::new(&mut carry_out);
    if let Err(error) = runner.run(&strategy, |steps| carry_out.borrow_mut()(steps)) {
        panic!("the store answers differently from the reference: {error}");
    }
}

/// Returns a text for a call of a sequence, counted from 1.
fn of_call(number: usize, call: &impl std::fmt::Debug) -> String {
    format!("call {}, {call:?}", number + 1)
}

fn same(what: &str, wanted: &str, found: &str) -> TestCaseResult {
    if wanted == found {
        return Ok(());
    }
    let text = format!("{what}\nreference: {wanted}\nbackend:   {found}");
    Err(TestCaseError::fail(text))
}
