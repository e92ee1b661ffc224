//! Every field of an audit log entry.

use std::sync::Arc;

use gatepost_ids::{ObjectId, OwnerId};
use gatepost_storage::audit::{AuditEntry, AuditId, AuditQuery, AuditRow};
use gatepost_storage::{AuditStore, Page};

use crate::fields::{difference, of_audit_entry};
use crate::fixtures::at;
use crate::harness::Harness;
use crate::outcome::Outcome;

/// Every field of an entry is stored, separately and exactly, and every list must return the same,
/// also when the store is opened again.
pub async fn f09_every_field_of_an_entry_is_kept(
    place: Arc<dyn Harness<Arc<dyn AuditStore>>>,
) -> Outcome {
    let store = place.fresh().await;
    let mut rows: Vec<AuditRow> = Vec::new();
    for field in of_audit_entry(&base(0)) {
        for value in field.values() {
            let mut row = base(rows.len());
            field.copy(value, &mut row);
            let added = store.append_audit(&[row.entry.clone()], 99).await;
            added.expect("F9 an entry is added");
            let newest = list(&store, Page::newest(1)).await;
            row.id = newest.first().expect("F9 it is there").id;
            rows.push(row);
        }
    }
    is_kept(&store, &rows).await;
    if let Some(store) = place.reopen(store).await {
        is_kept(&store, &rows).await;
    }
    Outcome::Held
}

fn base(number: usize) -> AuditRow {
    let number = i64::try_from(number).unwrap();
    let who = OwnerId::try_from(number + 1).unwrap();
    AuditRow {
        id: AuditId(0),
        entry: AuditEntry {
            at: at(number),
            owner: who,
            tenant: None,
            actor: who,
            key: None,
            from: None,
            table: "tasks".to_owned(),
            row: ObjectId::from_number(number),
            name: "nightly".to_owned(),
            operation: "update".to_owned(),
            changes: "{}".to_owned(),
        },
    }
}

async fn list(store: &Arc<dyn AuditStore>, page: Page<AuditId>) -> Vec<AuditRow> {
    let found = store.list_audit(&AuditQuery::all(page)).await;
    found.expect("F9 listed")
}

async fn is_kept(store: &Arc<dyn AuditStore>, rows: &[AuditRow]) {
    let all = list(store, Page::first(999)).await;
    assert_eq!(all.len(), rows.len(), "F9 all are there");
    for (expected, found) in rows.iter().zip(&all) {
        let differs = difference(&of_audit_entry(expected), expected, found);
        assert!(differs.is_none(), "F9 {}", differs.unwrap_or_default());
    }
    let numbers = all.windows(2).all(|pair| pair[0].id < pair[1].id);
    assert!(numbers, "F9 numbers rise");
}
