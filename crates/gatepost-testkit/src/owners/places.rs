//! The realms of owners, and the effects of a move.

use std::collections::HashSet;

use gatepost_storage::webhooks::RoutesVersion;

use crate::fixtures::{UNLIMITED, at, place, tenant, version, webhook_of};
use crate::harness::Webhooks;
use crate::runtime::racing;

/// No version may be given twice, not even to two realms, and not by concurrent changes.
pub async fn p02_no_version_is_given_twice(store: Webhooks) {
    let writers = (1..=8).map(|owner| {
        let store = store.clone();
        async move {
            place(&store, owner, tenant(owner)).await;
            let mut seen = vec![version(&store, tenant(owner)).await];
            for n in 0..8 {
                let hook = webhook_of(owner, &format!("w{n}"));
                let stored = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
                assert!(stored.is_ok(), "P2 stored");
                seen.push(version(&store, tenant(owner)).await);
            }
            seen
        }
    });
    let mut all = Vec::new();
    for seen in racing(writers).await {
        assert!(seen.is_sorted_by(|a, b| a < b), "P2 a version rises");
        all.extend(seen);
    }
    let different: HashSet<RoutesVersion> = all.iter().copied().collect();
    assert_eq!(different.len(), all.len(), "P2");
}
