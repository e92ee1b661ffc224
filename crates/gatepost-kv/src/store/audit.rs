//! The audit log.

use async_trait::async_trait;
use gatepost_ids::{ObjectId, OwnerId, TenantId};
use gatepost_storage::audit::{AuditEntry, AuditId, AuditQuery, AuditRemoval, AuditRow};
use gatepost_storage::{AuditStore, Page, Scope, StoreError};

use super::error::Outcome;
use super::key::{Key, last_number, micros};
use super::kv_store::KvStore;
use super::numbers;
use super::rows::{Index, Rows, Source};
use super::tables::{
    AUDIT, AUDIT_BY_ACTOR, AUDIT_BY_TIME, AUDIT_COUNT, AUDIT_OF_OWNER, AUDIT_OF_ROW,
    AUDIT_OF_TENANT,
};
use super::tx::{Tx, keys_in};
use crate::key_range::KeyRange;

const ROWS: Rows<AuditRow> = Rows {
    table: AUDIT,
    fixed: &[
        Index::of(AUDIT_OF_OWNER, |row| Some(of_user(row.entry.owner))),
        Index::of(AUDIT_OF_TENANT, |row| row.entry.tenant.map(of_tenant)),
        Index::of(AUDIT_OF_ROW, |row| {
            Some(of_row(&row.entry.table, row.entry.row))
        }),
        Index::of(AUDIT_BY_ACTOR, |row| Some(of_user(row.entry.actor))),
        Index::of(AUDIT_BY_TIME, |row| Some(Key::new().time(row.entry.at))),
    ],
    indexes: &[],
};

#[async_trait]
impl AuditStore for KvStore {
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Result<(), StoreError> {
        let admitted = AuditEntry::admitted(entries, most)?;
        let entries: Vec<AuditEntry> = admitted.into_iter().cloned().collect();
        self.write(move |tx| append(tx, &entries, most)).await
    }

    async fn list_audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let query = query.clone();
        let page = query.page.numbered(|id| id.0);
        self.read(move |view| {
            ROWS.page(view, &source(&query), &page, |row| {
                query.matches(&row.entry)
            })
        })
        .await
    }

    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Result<u64, StoreError> {
        self.write(move |tx| {
            let rows = match which {
                AuditRemoval::OfOwner(owner) => oldest_of(tx, owner, u64::from(limit))?,
                AuditRemoval::Before(time) => {
                    let range = KeyRange::between([], Key::new().time(time));
                    let old = keys_in(tx, AUDIT_BY_TIME, &range, limit as usize)?;
                    let rows = old.iter().map(|key| ROWS.get(tx, last_number(key)?));
                    let rows: Vec<Option<AuditRow>> = rows.collect::<Outcome<_>>()?;
                    rows.into_iter().flatten().collect()
                }
            };
            for row in &rows {
                remove(tx, row)?;
            }
            Ok(rows.len() as u64)
        })
        .await
    }
}

fn append(tx: &mut Tx<'_>, entries: &[AuditEntry], most: u64) -> Outcome<()> {
    for entry in entries {
        let id = AuditId(numbers::next(tx, "audit")?);
        let entry = AuditEntry {
            at: micros(entry.at),
            ..entry.clone()
        };
        let row = AuditRow { id, entry };
        ROWS.put(tx, id.0, &row, None)?;
        count(tx, row.entry.owner, 1)?;
    }
    let owners = AuditEntry::by_owner(&entries.iter().collect::<Vec<_>>());
    for (owner, _) in owners {
        let have = count(tx, owner, 0)?;
        let over = u64::try_from(have).unwrap_or(0).saturating_sub(most);
        for row in oldest_of(tx, owner, over)? {
            remove(tx, &row)?;
        }
    }
    Ok(())
}

fn remove(tx: &mut Tx<'_>, row: &AuditRow) -> Outcome<()> {
    ROWS.delete(tx, row.id.0, row)?;
    count(tx, row.entry.owner, -1)?;
    Ok(())
}

fn oldest_of(tx: &Tx<'_>, owner: OwnerId, limit: u64) -> Outcome<Vec<AuditRow>> {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let source = Source::Of(AUDIT_OF_OWNER, vec![of_user(owner)]);
    ROWS.page(tx, &source, &Page::<i64>::first(limit), |_| true)
}

fn count(tx: &mut Tx<'_>, owner: OwnerId, more: i64) -> Outcome<i64> {
    numbers::add(tx, AUDIT_COUNT, of_user(owner).bytes(), more)
}

/// Returns the index that finds the fewest entries for this query.
fn source(query: &AuditQuery) -> Source {
    match (&query.record, query.scope, query.actor) {
        (Some((table, row)), ..) => Source::Of(AUDIT_OF_ROW, vec![of_row(table, *row)]),
        (None, Scope::Owner(owner), _) => Source::Of(AUDIT_OF_OWNER, vec![of_user(owner)]),
        (None, Scope::Tenant(tenant), _) => Source::Of(AUDIT_OF_TENANT, vec![of_tenant(tenant)]),
        (None, Scope::All, Some(actor)) => Source::Of(AUDIT_BY_ACTOR, vec![of_user(actor)]),
        (None, Scope::All, None) => Source::All,
    }
}

fn of_user(user: OwnerId) -> Key {
    Key::new().owner(user)
}

fn of_tenant(tenant: TenantId) -> Key {
    Key::new().text(&tenant.to_string())
}

fn of_row(table: &str, row: ObjectId) -> Key {
    Key::new().text(table).text(&row.to_string())
}
