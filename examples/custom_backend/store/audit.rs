//! Who changed what: rows by number, and two indexes.

use async_trait::async_trait;
use gatepost_ids::OwnerId;
use gatepost_storage::audit::{
    AuditEntry, AuditId, AuditQuery, AuditRemoval, AuditRow, AuditStore,
};
use redb::ReadableTable as _;
use serde_json::Value;

use super::codec::{decode, encode, micros};
use super::error::{Answer, failed};
use super::redb_store::RedbStore;
use super::tables::{AUDIT, AUDIT_AT, AUDIT_OF_OWNER, Tx, page};

#[async_trait]
impl AuditStore for RedbStore {
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Answer<()> {
        let entries: Vec<_> = AuditEntry::admitted(entries, most)?
            .into_iter()
            .cloned()
            .collect();
        self.write(move |tx| append(tx, &entries, most)).await
    }

    async fn list_audit(&self, query: &AuditQuery) -> Answer<Vec<AuditRow>> {
        let query = query.clone();
        self.read(move |tx, _| {
            let rows = tx.open_table(AUDIT).map_err(failed)?;
            let is_wanted = |row: &Value| Ok(query.matches(&decode::<AuditRow>(row)?.entry));
            let decoded = |_, row: Value| decode(&row).map(Some);
            page(&rows, &query.page.numbered(|id| id.0), is_wanted, decoded)
        })
        .await
    }

    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Answer<u64> {
        self.write(move |tx| {
            let some = match which {
                AuditRemoval::Before(time) => {
                    let at = tx.open(AUDIT_AT)?;
                    let range = at.range(..(micros(time), 0)).map_err(failed)?;
                    let ids = range.take(limit as usize);
                    ids.map(|row| Ok(row.map_err(failed)?.0.value().1))
                        .collect::<Answer<Vec<i64>>>()?
                }
                AuditRemoval::OfOwner(owner) => oldest_of(tx, owner, limit as usize)?,
            };
            remove(tx, &some)
        })
        .await
    }
}

fn append(tx: &Tx, entries: &[AuditEntry], most: u64) -> Answer<()> {
    for entry in entries {
        let id = tx.count("audit")?;
        let entry = entry.clone();
        let row = AuditRow {
            id: AuditId(id),
            entry,
        };
        tx.put(AUDIT, id, &encode(&row)?)?;
        let entry = row.entry;
        let (owner, at) = ((entry.owner.0, id), (micros(entry.at), id));
        tx.open(AUDIT_OF_OWNER)?.insert(owner, ()).map_err(failed)?;
        tx.open(AUDIT_AT)?.insert(at, ()).map_err(failed)?;
    }
    let named: Vec<&AuditEntry> = entries.iter().collect();
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    for (owner, _) in AuditEntry::by_owner(&named) {
        let all = oldest_of(tx, owner, usize::MAX)?;
        let over = all.len().saturating_sub(most);
        remove(tx, &all[..over])?;
    }
    Ok(())
}

fn oldest_of(tx: &Tx, owner: OwnerId, most: usize) -> Answer<Vec<i64>> {
    let index = tx.open(AUDIT_OF_OWNER)?;
    let range = index.range((owner.0, i64::MIN)..=(owner.0, i64::MAX));
    let ids = range.map_err(failed)?.take(most);
    ids.map(|row| Ok(row.map_err(failed)?.0.value().1))
        .collect()
}

fn remove(tx: &Tx, ids: &[i64]) -> Answer<u64> {
    for id in ids {
        if let Some(row) = tx.row(AUDIT, *id)? {
            let entry = decode::<AuditRow>(&row)?.entry;
            let (owner, at) = ((entry.owner.0, *id), (micros(entry.at), *id));
            tx.open(AUDIT_OF_OWNER)?.remove(owner).map_err(failed)?;
            tx.open(AUDIT_AT)?.remove(at).map_err(failed)?;
            tx.remove(AUDIT, *id)?;
        }
    }
    Ok(ids.len() as u64)
}
