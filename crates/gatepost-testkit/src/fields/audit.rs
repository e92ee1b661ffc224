//! The fields of an audit log entry.

use chrono::TimeDelta;
use gatepost_ids::{KeyId, ObjectId, OwnerId, TenantId};
use gatepost_storage::audit::{AuditEntry, AuditId, AuditRow};

use super::field::{Field, fields};
use crate::fixtures::at;

/// Returns every field of a row of the audit log, which nothing edits.
#[must_use]
pub fn of_audit_entry(base: &AuditRow) -> Vec<Field<AuditRow>> {
    fields! { base.clone(), row =>
        row, AuditRow {
            id: Shown [AuditId(7_001), AuditId(7_002)],
            entry: Own [],
        };
        row.entry, AuditEntry {
            at: Kept [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            owner: Kept [OwnerId(7_001), OwnerId(7_002)],
            tenant: Kept [Some(TenantId(7)), Some(TenantId(u128::MAX))],
            actor: Kept [OwnerId(7_001), OwnerId(u128::MAX)],
            key: Kept [Some(KeyId(7)), Some(KeyId(i64::MAX))],
            from: Kept [Some("192.0.2.1".parse().unwrap()), Some("2001:db8::1".parse().unwrap())],
            table: Kept ["task_events".to_owned(), "task_event".to_owned()],
            row: Kept [ObjectId::from(7_001), "~".repeat(ObjectId::MAX_LENGTH).parse().unwrap()],
            name: Kept ["é 'name'".to_owned(), "é 'name' ".to_owned()],
            operation: Kept ["delete".to_owned(), "deleted".to_owned()],
            changes: Kept ["{\"a\":1}".to_owned(), "{\"a\":2}".to_owned()],
        };
    }
}
