//! The audit log.

mod write;

use std::net::IpAddr;

use async_trait::async_trait;
use gatepost_ids::KeyId;
#[cfg(test)]
use gatepost_ids::{OwnerId, TenantId};
#[cfg(test)]
use gatepost_storage::Page;
use gatepost_storage::Scope;
use gatepost_storage::audit::{
    AuditEntry, AuditId, AuditQuery, AuditRemoval, AuditRow, AuditStore,
};
use rusqlite::Row;

use crate::column::{maybe_tenant, micros, owner, parse, time};
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::named::Named;
use crate::store::SqliteStore;

const COLUMNS: &str = "id, at, owner, tenant, actor, key, address, record_table, record, name, operation, changes \
                       FROM gatepost_audit";

#[async_trait]
impl AuditStore for SqliteStore {
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Answer<()> {
        let entries: Vec<_> = AuditEntry::admitted(entries, most)?
            .into_iter()
            .cloned()
            .collect();
        self.write(move |c| write::append(c, &entries, most)).await
    }

    async fn list_audit(&self, query: &AuditQuery) -> Answer<Vec<AuditRow>> {
        let query = query.clone();
        self.read(move |c| list(&query).page(c, COLUMNS, &query.page, |id| id.0, row))
            .await
    }

    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Answer<u64> {
        self.write(move |c| match which {
            AuditRemoval::Before(time) => write::trim(c, time, limit),
            AuditRemoval::OfOwner(owner) => write::forget(c, owner, limit),
        })
        .await
    }
}

fn list(query: &AuditQuery) -> List {
    let index = match (&query.record, query.scope, query.actor) {
        (Some(_), ..) => "INDEXED BY gatepost_audit_of_record",
        (None, Scope::Owner(_), _) => "INDEXED BY gatepost_audit_of_owner",
        (None, Scope::Tenant(_), _) => "INDEXED BY gatepost_audit_of_tenant",
        (None, Scope::All, Some(_)) => "INDEXED BY gatepost_audit_of_actor",
        (None, Scope::All, None) => "",
    };
    let (owner, tenant) = match query.scope {
        Scope::All => (None, None),
        Scope::Owner(owner) => (Some(owner.to_bytes().to_vec()), None),
        Scope::Tenant(tenant) => (None, Some(tenant.to_bytes().to_vec())),
    };
    let record = query.record.as_ref();
    List::of(format!("gatepost_audit r {index}"))
        .maybe("r.record =", record.map(|(_, row)| row.to_string()))
        .maybe("r.record_table =", record.map(|(table, _)| table.clone()))
        .maybe("r.owner =", owner)
        .maybe("r.tenant =", tenant)
        .maybe(
            "r.actor =",
            query.actor.map(|actor| actor.to_bytes().to_vec()),
        )
        .maybe("r.at >=", query.from.map(micros))
        .maybe("r.at <", query.before.map(micros))
}

fn row(row: &Row<'_>) -> Result<AuditRow> {
    let row = &Named::of(row);
    let from: Option<String> = row.get("address")?;
    let from = from.map(|from| from.parse::<IpAddr>()).transpose();
    Ok(AuditRow {
        id: AuditId(row.get("id")?),
        entry: AuditEntry {
            at: time(row, "at")?,
            owner: owner(row, "owner")?,
            tenant: maybe_tenant(row, "tenant")?,
            actor: owner(row, "actor")?,
            key: row.get::<Option<i64>>("key")?.map(KeyId),
            from: from.map_err(|e| Failure::corrupt("address", e))?,
            table: row.get("record_table")?,
            row: parse(row, "record")?,
            name: row.get("name")?,
            operation: row.get("operation")?,
            changes: row.get("changes")?,
        },
    })
}

/// Returns the statements of lists, with the index that each must use.
#[cfg(test)]
pub(crate) fn plans(page: &Page<i64>) -> Vec<(&'static str, String, &'static str)> {
    let all = AuditQuery::all(Page::first(1));
    let in_scope = |scope| AuditQuery {
        scope,
        ..all.clone()
    };
    let record = AuditQuery {
        record: Some(("tasks".into(), gatepost_ids::ObjectId::from(1))),
        ..in_scope(Scope::Owner(OwnerId(1)))
    };
    let actor = AuditQuery {
        actor: Some(OwnerId(1)),
        ..all.clone()
    };
    let owner = in_scope(Scope::Owner(OwnerId(1)));
    let tenant = in_scope(Scope::Tenant(TenantId(1)));
    [
        (
            "changes of an owner",
            owner,
            "gatepost_audit_of_owner (owner=?",
        ),
        (
            "changes in a tenant",
            tenant,
            "gatepost_audit_of_tenant (tenant=?",
        ),
        (
            "changes of a record",
            record,
            "gatepost_audit_of_record (record=? AND record_table=?",
        ),
        (
            "changes by a user",
            actor,
            "gatepost_audit_of_actor (actor=?",
        ),
    ]
    .map(|(name, query, index)| (name, list(&query).plan(COLUMNS, page), index))
    .into()
}
