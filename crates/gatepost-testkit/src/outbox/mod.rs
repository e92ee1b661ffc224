//! The contract tests of the outbox. Each takes an empty store.

mod shared;
mod turns;

pub use shared::*;
pub use turns::*;

use crate::fixtures::{at, full_occurrence, outbox};
use crate::harness::Webhooks;

/// An occurrence waits in the outbox as it was pushed: variables in their order with duplicates,
/// tags in theirs.
pub async fn o01_an_occurrence_waits_as_it_was_pushed(store: Webhooks) {
    let id = store
        .outbox
        .push_outbox(&full_occurrence(), at(0))
        .await
        .unwrap();
    let rows = outbox(&store, 0).await;
    assert_eq!(rows.len(), 1, "O1 one row");
    assert_eq!(
        (rows[0].id, rows[0].occurrence.as_ref()),
        (id, Ok(&full_occurrence())),
        "O1"
    );
}
