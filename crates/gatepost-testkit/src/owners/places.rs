//! The realms of owners, and the effects of a move.

use std::collections::HashSet;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::OwnerFilter;
use gatepost_storage::webhooks::{Cascade, RoutesVersion};

use crate::fixtures::{UNLIMITED, at, place, tenant, version, webhook_of};
use crate::harness::Webhooks;
use crate::world::{hold, set};

/// An owner is where it was placed last; one that was never placed has no row.
pub async fn p01_an_owner_is_where_it_was_placed(store: Webhooks) {
    let owner = OwnerId(u128::MAX);
    let found = store.records.owner(owner).await.unwrap();
    assert_eq!(found, None, "P1 never placed");
    let places = [
        tenant(u128::MAX),
        Realm::Solo(owner),
        Realm::System,
        Realm::Shared,
        tenant(7),
    ];
    for to in places {
        store.records.assign_realm(owner, to, at(0)).await.unwrap();
        let found = store.records.owner(owner).await.unwrap();
        let found = found.map(|row| (row.owner, row.place, row.held));
        assert_eq!(found, Some((owner, to, false)), "P1");
    }
    let other = store.records.owner(OwnerId(1)).await.unwrap();
    assert_eq!(other, None, "P1 another owner");
}

/// No version is given twice, also not to two realms, however many change at once.
pub async fn p02_no_version_is_given_twice(store: Webhooks) {
    let writers: Vec<_> = (1..=8)
        .map(|owner| {
            let store = store.clone();
            tokio::spawn(async move {
                place(&store, owner, tenant(owner)).await;
                let mut seen = vec![version(&store, tenant(owner)).await];
                for n in 0..8 {
                    let hook = webhook_of(owner, &format!("w{n}"));
                    let stored = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
                    assert!(stored.is_ok(), "P2 stored");
                    seen.push(version(&store, tenant(owner)).await);
                }
                seen
            })
        })
        .collect();
    let mut all = Vec::new();
    for writer in writers {
        let seen = writer.await.unwrap();
        assert!(seen.is_sorted_by(|a, b| a < b), "P2 a version rises");
        all.extend(seen);
    }
    let different: HashSet<RoutesVersion> = all.iter().copied().collect();
    assert_eq!(different.len(), all.len(), "P2");
}

/// Placing, holding, releasing and removing an owner moves the version of the realm, or of both,
/// and of no other.
pub async fn p03_what_is_done_to_an_owner_moves_its_place(store: Webhooks) {
    set(&store, 1, "w").await;
    set(&store, 2, "w").await;
    let places = [Realm::Shared, tenant(1), tenant(2), Realm::System];
    let mut last = store.records.routes_versions(&places).await.unwrap();
    let mut moved = async |what: &str, wanted: &[Realm]| {
        let now = store.records.routes_versions(&places).await.unwrap();
        let pairs = places.iter().zip(now.iter().zip(&last));
        let changed = pairs.filter(|(_, (now, last))| now > last);
        let changed: Vec<Realm> = changed.map(|(place, _)| *place).collect();
        assert_eq!(changed, wanted, "P3 {what}");
        last = now;
    };
    place(&store, 1, tenant(1)).await;
    moved("placed", &[Realm::Shared, tenant(1)]).await;
    place(&store, 1, tenant(2)).await;
    moved("moved", &[tenant(1), tenant(2)]).await;
    hold(&store, 1, true).await;
    moved("held", &[tenant(2)]).await;
    hold(&store, 1, false).await;
    moved("released", &[tenant(2)]).await;
    hold(&store, 2, true).await;
    moved("held without a row", &[Realm::Shared]).await;
    let gone = gatepost_storage::owners::Removal::Owner(OwnerId(1));
    store.records.mark_gone(gone, at(1)).await.unwrap();
    moved("removed", &[tenant(2)]).await;
}

/// Owners who have something and no row are found in order, in pages; those who were placed, or
/// have nothing, are not.
pub async fn p04_owners_without_a_row_are_found(store: Webhooks) {
    let last = set(&store, 30, "w").await;
    for owner in [10, 20, 40] {
        set(&store, owner, "w").await;
    }
    place(&store, 20, tenant(1)).await;
    place(&store, 50, tenant(1)).await;
    hold(&store, 40, true).await;
    let found = async |after: Option<u128>, limit| {
        let after = after.map(OwnerId);
        let owners = store
            .records
            .list_owners(OwnerFilter::Unplaced, after, limit);
        let owners = owners.await.unwrap();
        owners
            .into_iter()
            .map(|row| row.owner.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(None, 9).await, [10, 30], "P4 all");
    assert_eq!(found(None, 1).await, [10], "P4 a page");
    assert_eq!(found(Some(10), 1).await, [30], "P4 the next");
    assert_eq!(found(Some(30), 9).await, [0; 0], "P4 no more");
    place(&store, 10, Realm::Solo(OwnerId(10))).await;
    assert_eq!(found(None, 9).await, [30], "P4 placed");
    let delete = store
        .records
        .delete_webhook(last.webhook, Cascade::Tasks, at(1));
    delete.await.unwrap();
    assert_eq!(found(None, 9).await, [0; 0], "P4 has nothing any more");
}

/// A lease of a name has one holder, who may extend it, until its end; of sixteen that ask at once
/// one gets it.
pub async fn p05_a_lease_has_one_holder(store: Webhooks) {
    let lease = async |name, holder, until, now| {
        let records = &store.records;
        records
            .lease(name, holder, at(until), at(now))
            .await
            .unwrap()
    };
    assert!(lease("a", 1, 10, 0).await, "P5 free");
    assert!(!lease("a", 2, 20, 9).await, "P5 held");
    assert!(lease("b", 2, 20, 9).await, "P5 another name");
    assert!(lease("a", 1, 15, 9).await, "P5 extended");
    assert!(!lease("a", 2, 30, 14).await, "P5 held for longer");
    assert!(lease("a", u128::MAX, 30, 15).await, "P5 at its end");
    assert!(!lease("a", 1, 40, 16).await, "P5 lost");
    let racers: Vec<_> = (0..16)
        .map(|holder| {
            let records = store.records.clone();
            tokio::spawn(async move { records.lease("c", holder, at(9), at(0)).await.unwrap() })
        })
        .collect();
    let mut won = 0;
    for racer in racers {
        won += u32::from(racer.await.unwrap());
    }
    assert_eq!(won, 1, "P5 racers");
}
