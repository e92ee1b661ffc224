//! Entries of the audit log.

use gatepost_ids::{KeyId, OwnerId, TenantId};
use serde::{Deserialize, Serialize};

use super::field::{Wrong, parsed, stored_as, time};
use crate::audit::{AuditEntry, AuditId, AuditRow};

stored_as!(AuditRow, StoredAudit);

#[derive(Deserialize, Serialize)]
struct StoredAudit {
    id: i64,
    at: i64,
    owner: i64,
    tenant: Option<i64>,
    actor: i64,
    key: Option<i64>,
    from: Option<String>,
    table: String,
    row: i64,
    name: String,
    operation: String,
    changes: String,
}

impl From<&AuditRow> for StoredAudit {
    fn from(AuditRow { id, entry }: &AuditRow) -> Self {
        Self {
            id: id.0,
            at: entry.at.timestamp_micros(),
            owner: entry.owner.0,
            tenant: entry.tenant.map(|tenant| tenant.0),
            actor: entry.actor.0,
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
                owner: OwnerId(row.owner),
                tenant: row.tenant.map(TenantId),
                actor: OwnerId(row.actor),
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
