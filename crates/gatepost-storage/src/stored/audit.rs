//! Entries of the audit log.

use gatepost_ids::{KeyId, ObjectId, OwnerId, TenantId};
use serde::{Deserialize, Serialize};

use super::field::{Wrong, parsed, stored_as, time};
use crate::audit::{AuditEntry, AuditId, AuditRow};

stored_as!(AuditRow, StoredAudit);

#[derive(Deserialize, Serialize)]
struct StoredAudit {
    id: i64,
    at: i64,
    owner: OwnerId,
    tenant: Option<TenantId>,
    actor: OwnerId,
    key: Option<i64>,
    from: Option<String>,
    table: String,
    row: ObjectId,
    name: String,
    operation: String,
    changes: String,
}

impl From<&AuditRow> for StoredAudit {
    fn from(AuditRow { id, entry }: &AuditRow) -> Self {
        Self {
            id: id.0,
            at: entry.at.timestamp_micros(),
            owner: entry.owner,
            tenant: entry.tenant,
            actor: entry.actor,
            key: entry.key.map(|key| key.0),
            from: entry.from.map(|from| from.to_string()),
            table: entry.table.clone(),
            row: entry.row,
            name: entry.name.clone(),
            operation: entry.operation.clone(),
            changes: entry.changes.clone(),
        }
    }
}

impl TryFrom<StoredAudit> for AuditRow {
    type Error = Wrong;

    fn try_from(row: StoredAudit) -> Result<Self, Wrong> {
        let from = row.from.map(|from| parsed("from", &from)).transpose()?;
        Ok(Self {
            id: AuditId(row.id),
            entry: AuditEntry {
                at: time("at", row.at)?,
                owner: row.owner,
                tenant: row.tenant,
                actor: row.actor,
                key: row.key.map(KeyId),
                from,
                table: row.table,
                row: row.row,
                name: row.name,
                operation: row.operation,
                changes: row.changes,
            },
        })
    }
}
