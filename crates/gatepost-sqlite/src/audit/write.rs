//! Insertion of entries, and their removal.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::audit::AuditEntry;
use rusqlite::{Connection, params};

use crate::column::micros;
use crate::error::Result;
use crate::sql::{Sql as _, value};

pub(super) fn append(c: &Connection, entries: &[AuditEntry], most: u64) -> Result<()> {
    let mut insert = c.prepare_cached(sql!("audit/append"))?;
    for entry in entries {
        insert.execute(params![
            micros(entry.at),
            entry.owner.to_bytes(),
            entry.tenant.map(TenantId::to_bytes),
            entry.actor.to_bytes(),
            entry.key.map(|key| key.0),
            entry.from.map(|from| from.to_string()),
            entry.table,
            entry.row.as_str(),
            entry.name,
            entry.operation,
            entry.changes,
        ])?;
    }
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let named: Vec<&AuditEntry> = entries.iter().collect();
    for (owner, added) in AuditEntry::by_owner(&named) {
        let over = counted(c, &owner.to_bytes(), added)? - most;
        if over > 0 {
            remove_oldest(c, owner, over)?;
        }
    }
    Ok(())
}

pub(super) fn trim(c: &Connection, before: DateTime<Utc>, limit: u32) -> Result<u64> {
    // Owners as their bytes, even if these are no valid id.
    let mut left: HashMap<Vec<u8>, i64> = HashMap::new();
    let removed = c.all(sql!("audit/trim"), params![micros(before), limit], |row| {
        *left.entry(row.get(0)?).or_default() += 1;
        Ok(())
    })?;
    for (owner, count) in left {
        counted(c, &owner, -count)?;
    }
    Ok(removed.len() as u64)
}

pub(super) fn forget(c: &Connection, owner: OwnerId, limit: u32) -> Result<u64> {
    let removed = remove_oldest(c, owner, limit.into())?;
    Ok(removed.unsigned_abs())
}

fn remove_oldest(c: &Connection, owner: OwnerId, count: i64) -> Result<i64> {
    let removed = c.changed(
        sql!("audit/remove_oldest"),
        params![owner.to_bytes(), count],
    )?;
    let removed = i64::from(removed);
    if counted(c, &owner.to_bytes(), -removed)? <= 0 {
        let sql = "DELETE FROM gatepost_audit_owner WHERE owner = ?1";
        c.run(sql, [owner.to_bytes()])?;
    }
    Ok(removed)
}

/// Changes the count of entries about this owner's records, and returns it.
fn counted(c: &Connection, owner: &[u8], more: i64) -> Result<i64> {
    c.one(sql!("audit/count"), params![owner, more], value)
}
