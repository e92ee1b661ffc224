//! A contract test as a value, and how one is run.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use gatepost_storage::{AuditStore, KeyStore};

use crate::harness::{Harness, Webhooks};
use crate::list::for_each_contract_test;
use crate::outcome::{Finding, Outcome};
use crate::runtime::block_on;
use crate::sentence::sentence_of;
use crate::{audit, keys, log, outbox, owners, queue, records, scenario, webhooks_kept, whole};

impl<S: Send + 'static> fmt::Debug for ContractTest<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The future of a contract test.
pub type Run = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A contract test.
#[non_exhaustive]
pub struct ContractTest<S: Send + 'static> {
    /// Its name, which begins with its id: `q05_an_old_token_settles_nothing`.
    pub name: &'static str,
    /// Runs it on the store of a harness. It panics if the contract is broken. [`prove`] prepends
    /// its name and its sentence to the panic's message.
    pub run: fn(Arc<dyn Harness<S>>) -> Run,
}

impl<S: Send + 'static> ContractTest<S> {
    /// Returns the sentence of the contract that it tests.
    #[must_use]
    pub fn sentence(&self) -> &'static str {
        sentence_of(self.name)
    }
}

/// Returns all contract tests of keys.
#[must_use]
pub fn key_contract() -> Vec<ContractTest<Arc<dyn KeyStore>>> {
    let mut all = for_each_contract_test!(key [plain] keys);
    all.extend(for_each_contract_test!(kept_key [kept] keys));
    all.extend(for_each_contract_test!(whole_key [kept] whole));
    all
}

/// Returns all contract tests of the audit log.
#[must_use]
pub fn audit_contract() -> Vec<ContractTest<Arc<dyn AuditStore>>> {
    let mut all = for_each_contract_test!(audit [plain] audit);
    all.extend(for_each_contract_test!(kept_audit [kept] audit));
    all.extend(for_each_contract_test!(whole_audit [kept] whole));
    all
}

/// Returns all contract tests of webhooks, tasks, events, the queue, the log and the outbox.
#[must_use]
pub fn webhook_contract() -> Vec<ContractTest<Webhooks>> {
    let mut all = for_each_contract_test!(record [plain] records);
    all.extend(for_each_contract_test!(owner [plain] owners));
    all.extend(for_each_contract_test!(scenario[scenarios]));
    all.extend(for_each_contract_test!(queue [plain] queue));
    all.extend(for_each_contract_test!(log [plain] log));
    all.extend(for_each_contract_test!(outbox [plain] outbox));
    all.extend(for_each_contract_test!(kept_webhook [kept] webhooks_kept));
    all.extend(for_each_contract_test!(kept_scenario[scenarios]));
    all.extend(for_each_contract_test!(whole_webhook [kept] whole));
    all
}

/// Returns all contract tests of records that cannot be read; for a harness that can spoil one.
#[must_use]
pub fn unreadable_contract() -> Vec<ContractTest<Webhooks>> {
    for_each_contract_test!(unreadable [kept] webhooks_kept)
}

/// Runs the contract test of this name on the store of this harness; the body of a test.
///
/// # Panics
/// If the store breaks the contract, with its sentence and the observed result; if no contract test
/// has that name; and if the harness cannot show it: a test that was not run must not look as if it
/// had passed.
pub fn prove<S: Send + 'static>(tests: &[ContractTest<S>], name: &str, harness: impl Harness<S>) {
    let test = tests.iter().find(|c| c.name == name);
    let Some(test) = test else {
        panic!("there is no contract test {name}");
    };
    let sentence = test.sentence();
    match block_on(tried(test, harness)) {
        Finding::Held => {}
        Finding::Broken(what) => panic!("{name} is broken: {sentence}\n{what}"),
        Finding::Ignored(why) => {
            panic!("not tried: {why}; a store that keeps nothing says `not durable` in the macro")
        }
    }
}

/// Returns the result of a contract test on the store of this harness.
pub(crate) async fn tried<S: Send + 'static>(
    test: &ContractTest<S>,
    harness: impl Harness<S>,
) -> Finding {
    match tokio::spawn((test.run)(Arc::new(harness))).await {
        Ok(Outcome::Held) => Finding::Held,
        Ok(Outcome::Ignored(why)) => Finding::Ignored(why),
        Err(error) => Finding::Broken(said(error)),
    }
}

fn said(error: tokio::task::JoinError) -> String {
    let Ok(panic) = error.try_into_panic() else {
        return "it was cancelled".to_owned();
    };
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|&s| s.to_owned()))
        .unwrap_or_default()
}

/// Contract tests that take an empty store.
macro_rules! plain {
    ([$module:ident] $($test:ident)*) => {
        vec![$(ContractTest {
            name: stringify!($test),
            run: |harness| Box::pin(async move {
                $module::$test(harness.fresh().await).await;
                Outcome::Held
            }),
        }),*]
    };
}
use plain;

/// Contract tests that are scenarios.
macro_rules! scenarios {
    ([] $($test:ident)*) => {
        vec![$(ContractTest {
            name: stringify!($test),
            run: |harness| Box::pin(scenario::play(stringify!($test), harness)),
        }),*]
    };
}
use scenarios;

/// Contract tests that take the harness.
macro_rules! kept {
    ([$module:ident] $($test:ident)*) => {
        vec![$(ContractTest { name: stringify!($test), run: |harness| Box::pin($module::$test(harness)) }),*]
    };
}
use kept;
