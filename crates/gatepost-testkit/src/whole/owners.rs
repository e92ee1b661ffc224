//! Every field of an owner's row.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::{OwnerFilter, OwnerRow};

use super::home::Home;
use crate::fields::{difference, of_owner};
use crate::fixtures::at;
use crate::harness::Webhooks;
use crate::outcome::Outcome;

/// Every field of an owner's row is kept. Assigning a realm must change only the realm, a
/// suspension only whether the owner is suspended, and no other owner's row may change. Every read
/// must return the same, also when the store is opened again.
pub async fn f05_every_field_of_an_owner_is_kept(place: Home) -> Outcome {
    let store = place.fresh().await;
    let mut rows: Vec<OwnerRow> = Vec::new();
    for number in 1..=2 {
        let mut row = OwnerRow {
            owner: OwnerId::try_from(number).unwrap(),
            realm: Realm::Shared,
            suspended: number == 2,
        };
        hold(&store, row).await;
        is_read(&store, row, &rows).await;
        for field in of_owner(&row) {
            for value in field.values() {
                if field.name() == "row.realm" {
                    row.realm = value.realm;
                    let placed = store.records.assign_realm(row.owner, row.realm, at(number));
                    placed.await.expect("F5 an owner is placed");
                    is_read(&store, row, &rows).await;
                } else if field.name() == "row.suspended" {
                    row.suspended = value.suspended;
                    hold(&store, row).await;
                    is_read(&store, row, &rows).await;
                }
            }
        }
        row.suspended = number == 2;
        hold(&store, row).await;
        rows.push(row);
    }
    all(&store, &rows).await;
    if let Some(store) = place.reopen(store).await {
        all(&store, &rows).await;
    }
    Outcome::Held
}

async fn hold(store: &Webhooks, row: OwnerRow) {
    let held = store
        .records
        .hold_owner(row.owner, row.suspended, at(0))
        .await;
    held.expect("F5 an owner is held");
}

async fn all(store: &Webhooks, rows: &[OwnerRow]) {
    for row in rows {
        is_read(store, *row, rows).await;
    }
}

async fn is_read(store: &Webhooks, row: OwnerRow, others: &[OwnerRow]) {
    for expected in others.iter().chain([&row]) {
        let found = store.records.owner(expected.owner).await;
        let found = found.expect("F5 by number").expect("F5 it has a row");
        let differs = difference(&of_owner(expected), expected, &found);
        assert!(
            differs.is_none(),
            "F5 by number: {}",
            differs.unwrap_or_default()
        );
        let held = store.records.list_owners(OwnerFilter::Suspended, None, 99);
        let held = held.await.expect("F5 held");
        let held = held.into_iter().find(|found| found.owner == expected.owner);
        assert_eq!(
            held.is_some(),
            expected.suspended,
            "F5 in the list of those held"
        );
        let differs = held.and_then(|found| difference(&of_owner(expected), expected, &found));
        assert!(
            differs.is_none(),
            "F5 among those held: {}",
            differs.unwrap_or_default()
        );
    }
}
