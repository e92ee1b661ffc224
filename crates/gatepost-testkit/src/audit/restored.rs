//! The audit log of a store to which an earlier state was restored. Takes the harness.

use std::sync::Arc;

use gatepost_storage::AuditStore;
use gatepost_storage::owners::SkippedIds;

use super::entries::{list, newest};
use crate::fixtures::{at, entry};
use crate::harness::Harness;
use crate::outcome::Outcome;

/// After the caller reports that the store was restored, it must not give an entry a number that
/// may have been given since the backup, also if the backup had no entry; stored entries must stay.
pub async fn a11_a_restored_log_gives_no_number_twice(
    place: Arc<dyn Harness<Arc<dyn AuditStore>>>,
) -> Outcome {
    let numbers = SkippedIds::of_log(at(9));
    let mut store = place.fresh().await;
    let (mut there, mut last) = (Vec::new(), 0);
    for time in ["empty", "then", "again"] {
        let Some(restored) = place.restored(store, at(9)).await else {
            return Outcome::Ignored("the harness restores nothing");
        };
        store = restored;
        assert_eq!(
            list(&store, &newest()).await,
            there,
            "A11 {time}: they stay"
        );
        store.append_audit(&[entry(1, 1, 1)], 99).await.unwrap();
        there = list(&store, &newest()).await;
        let id = there[0].id;
        assert!(id.0 >= numbers.beyond(last), "A11 {time}: {id:?} is near");
        last = id.0;
    }
    Outcome::Held
}
