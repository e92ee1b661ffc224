//! The failure of a contract test shows the sentence of the contract, and the store's behaviour.

use std::panic::catch_unwind;
use std::sync::Arc;

use gatepost_storage::KeyStore;
use gatepost_testkit::{block_on, key_contract, prove, run_all, webhook_contract};

use super::mutants::{Mutant, webhook_mutant};

async fn knows_all_changes() -> Arc<dyn KeyStore> {
    Arc::new(Mutant::new("k10"))
}

fn said(proof: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = catch_unwind(proof).expect_err("a broken test");
    panic.downcast_ref::<String>().expect("a text").clone()
}

#[test]
fn failed_contract_test_reports_sentence_and_finding() {
    let test = "k10_changes_name_the_changed_keys";
    let said = said(|| prove(&key_contract(), test, knows_all_changes));
    let sentence = "The changes since a generation name what was edited; since one never seen, \
                    everything.";
    assert!(
        said.starts_with(&format!("{test} is broken: {sentence}\n")),
        "{said}"
    );
    assert!(said.contains("\nK10 named"), "{said}");
    let report = block_on(run_all(&key_contract(), || knows_all_changes));
    let shown = report.to_string();
    assert!(
        shown.contains(&format!("{test}: BROKEN: {sentence}\nK10 ")),
        "{shown}"
    );
}

#[test]
fn lost_field_is_named_with_expected_and_found() {
    let lost = || async { webhook_mutant("order") };
    let test = "f02_every_field_of_a_webhook_is_kept";
    let said = said(|| prove(&webhook_contract(), test, lost));
    let field = "row.value.order: expected InOrder, found Unordered";
    assert!(
        said.contains("F2 inserted: row.value.order, returned: "),
        "{said}"
    );
    assert!(said.contains(field), "{said}");
    assert!(
        said.contains("Every field of a webhook is stored with it"),
        "{said}"
    );
}

#[test]
fn contract_tests_all_have_a_sentence() {
    let keys = key_contract().into_iter().map(|c| (c.name, c.sentence()));
    let webhooks = webhook_contract()
        .into_iter()
        .map(|c| (c.name, c.sentence()));
    let without = keys
        .chain(webhooks)
        .find(|(_, sentence)| !sentence.ends_with('.'));
    assert_eq!(without, None);
}
