//! Contract tests of a durable audit log. Each takes the harness.

use std::sync::Arc;

use gatepost_storage::AuditStore;

use super::entries::{full_entry, list, newest};
use crate::fixtures::entry;
use crate::harness::Harness;
use crate::outcome::Outcome;

/// When the store is opened again, entries must be there, and their numbers and the count of what
/// is kept must continue.
pub async fn a10_entries_outlive_the_store(
    place: Arc<dyn Harness<Arc<dyn AuditStore>>>,
) -> Outcome {
    let store = place.fresh().await;
    let added = [full_entry(), entry(1, 1, 1)];
    store.append_audit(&added, 2).await.unwrap();
    let before = list(&store, &newest()).await;
    let Some(store) = place.reopen(store).await else {
        return Outcome::Ignored("the harness keeps nothing");
    };
    assert_eq!(list(&store, &newest()).await, before, "A10 as before");
    store.append_audit(&[entry(1, 2, 2)], 2).await.unwrap();
    let after = list(&store, &newest()).await;
    assert_eq!(after[1..], before[..1], "A10 the oldest left");
    assert!(after[0].id > before[0].id, "A10 numbers continue");
    Outcome::Held
}
