//! The audit log.

use std::net::IpAddr;

use async_trait::async_trait;
use gatepost_ids::KeyId;
use gatepost_storage::audit::{
    AuditEntry, AuditId, AuditQuery, AuditRemoval, AuditRow, AuditStore,
};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::change::most as limited;
use crate::column::{column, owner, params, parse, scope_ids, tenant};
use crate::db::Param;
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

const COUNT: &str = sql!("audit/count");
const APPEND: &str = sql!("audit/append");
const TRIM: &str = sql!("audit/trim");
const FORGET: &str = sql!("audit/forget");
const SELECT: &str = "r.id, r.at, r.owner, r.tenant, r.actor, r.key, r.address, r.record_table, r.record, r.name, \
                      r.operation, r.changes FROM :schema.gatepost_audit r WHERE true";

#[async_trait]
impl AuditStore for PostgresStore {
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Answer<()> {
        let entries = AuditEntry::admitted(entries, most)?;
        if entries.is_empty() {
            return Ok(());
        }
        Ok(self.add_entries(&entries, limited(most)).await?)
    }

    async fn list_audit(&self, query: &AuditQuery) -> Answer<Vec<AuditRow>> {
        let (owner, tenant) = scope_ids(query.scope);
        let record = query.record.as_ref();
        let list = List::of(SELECT)
            .filter("r.record =", record.map(|(_, row)| row.to_string()))
            .filter("r.record_table =", record.map(|(table, _)| table.clone()))
            .filter("r.owner =", owner)
            .filter("r.tenant =", tenant)
            .filter("r.actor =", query.actor.map(Uuid::from))
            .filter("r.at >=", query.from)
            .filter("r.at <", query.before);
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        Ok(rows.iter().map(entry).collect::<Result<_>>()?)
    }

    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Answer<u64> {
        let limit = i64::from(limit);
        let removed = match which {
            AuditRemoval::Before(time) => self.count_gone(TRIM, &[&time, &limit]).await,
            AuditRemoval::OfOwner(owner) => {
                self.count_gone(FORGET, &[&Uuid::from(owner), &limit]).await
            }
        };
        Ok(removed?)
    }
}

impl PostgresStore {
    /// Adds entries. The first statement takes the owners' locks; the second sees the entries
    /// committed until then.
    async fn add_entries(&self, entries: &[&AuditEntry], most: i64) -> Result<()> {
        let (owners, added): (Vec<Uuid>, Vec<i64>) = AuditEntry::by_owner(entries)
            .into_iter()
            .map(|(owner, count)| (Uuid::from(owner), count))
            .unzip();
        let rows = || entries.iter().copied();
        let columns = [
            column(rows(), |e| e.at),
            column(rows(), |e| Uuid::from(e.owner)),
            column(rows(), |e| e.tenant.map(Uuid::from)),
            column(rows(), |e| Uuid::from(e.actor)),
            column(rows(), |e| e.key.map(|key| key.0)),
            column(rows(), |e| e.from.map(|from| from.to_string())),
            column(rows(), |e| e.table.as_str()),
            column(rows(), |e| e.row.as_str()),
            column(rows(), |e| e.name.as_str()),
            column(rows(), |e| e.operation.as_str()),
            column(rows(), |e| e.changes.as_str()),
        ];
        let count: [Param<'_>; 2] = [&owners, &added];
        let mut append: Vec<Param<'_>> = vec![&most, &owners];
        append.extend(params(&columns));
        let statements = [(COUNT, &count[..]), (APPEND, &append[..])];
        self.db().pipeline("BEGIN", &statements).await?;
        Ok(())
    }

    async fn count_gone(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let count: i64 = self.db().row(sql, params).await?.try_get(0)?;
        Ok(count.unsigned_abs())
    }
}

fn entry(row: &Row) -> Result<AuditRow> {
    let from: Option<&str> = row.try_get("address")?;
    let from = from.map(str::parse::<IpAddr>).transpose();
    Ok(AuditRow {
        id: AuditId(row.try_get("id")?),
        entry: AuditEntry {
            at: row.try_get("at")?,
            owner: owner(row, "owner")?,
            tenant: tenant(row)?,
            actor: owner(row, "actor")?,
            key: row.try_get::<_, Option<i64>>("key")?.map(KeyId),
            from: from.map_err(|e| Failure::corrupt("address", e))?,
            table: row.try_get("record_table")?,
            row: parse(row, "record")?,
            name: row.try_get("name")?,
            operation: row.try_get("operation")?,
            changes: row.try_get("changes")?,
        },
    })
}
