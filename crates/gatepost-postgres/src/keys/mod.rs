//! API keys.

mod change;
mod roll;
mod row;
mod uses;

use apikey_core::{ApiKey, KeyId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_storage::keys::{
    ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeyShard, KeyStore,
    KeyUse, Login,
};

pub(crate) use self::change::keys_removed;
use crate::db::Param;
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

#[async_trait]
impl KeyStore for PostgresStore {
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Answer<KeyRow> {
        let added = self.add_key(key, at_most).await;
        added.map_err(Failure::of_insertion)
    }

    async fn find_key(&self, selector: KeySelector) -> Answer<Option<KeyRow>> {
        let (column, value): (_, Param<'_>) = match &selector {
            KeySelector::Id(id) => ("id", &id.0),
            KeySelector::Lookup(lookup) => ("lookup", &lookup.as_str()),
        };
        let sql = format!("SELECT {} AND r.{column} = $1", row::SQL.select);
        let row = self.db().query_opt(&sql, &[value]).await?;
        Ok(row.as_ref().map(row::key).transpose()?)
    }

    async fn list_keys(&self, query: &KeyQuery) -> Answer<Vec<KeyRow>> {
        let list =
            List::scoped(&row::SQL.select, query.scope).filter("r.name =", query.name.clone());
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        Ok(rows.iter().map(row::key).collect::<Result<_>>()?)
    }

    async fn expiring_keys(
        &self,
        (at, id): (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Answer<Vec<KeyRow>> {
        let limit = i64::from(limit);
        let params: [Param<'_>; 4] = [&at, &id.0, &before, &limit];
        let from = sql!("keys/expiring");
        let sql = format!("SELECT {} {from}", row::SQL.columns);
        let rows = self.db().query(&sql, &params).await?;
        Ok(rows.iter().map(row::key).collect::<Result<_>>()?)
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Answer<KeyRow> {
        let (row, moved) = self.change_key(row).await?;
        self.node().wait_for_all(self.db(), &[moved]).await;
        Ok(row)
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        _now: DateTime<Utc>,
    ) -> Answer<(KeyRow, KeyRow)> {
        let replaced = self.replace_key(old, new, at_most).await;
        let (new, old, moved) = replaced.map_err(Failure::of_insertion)?;
        self.node().wait_for_all(self.db(), &[moved]).await;
        Ok((new, old))
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Answer<()> {
        let moved = self.remove_key(id).await?;
        self.node().wait_for_all(self.db(), &[moved]).await;
        Ok(())
    }

    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Answer<()> {
        Ok(self.add_activity(logins, uses).await?)
    }

    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Answer<Vec<KeyUse>> {
        Ok(self.uses(key, from, before, limit).await?)
    }

    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        self.node().generation(shard)
    }

    async fn key_changes(&self, shard: KeyShard, since: KeyGeneration) -> Answer<KeyChanges> {
        let node = self.node();
        if let Some(changes) = node.recent(shard, since) {
            return Ok(changes);
        }
        let since = node.since(since.0);
        let params: [Param<'_>; 2] = [&i16::from(shard.0), &since.unwrap_or(i64::MAX)];
        let sql = sql!("keys/changes");
        let rows = self.db().query(sql, &params).await?;
        let missing = || Failure::corrupt("key generation", "the row is missing");
        let first = rows.first().ok_or_else(missing)?;
        let generation: i64 = first.try_get("generation").map_err(Failure::from)?;
        let known: bool = first.try_get("known").map_err(Failure::from)?;
        let mut changed = Vec::new();
        for row in &rows {
            changed.extend(row::lookup(row)?);
        }
        Ok(KeyChanges {
            generation: KeyGeneration(node.number(generation)),
            changed: if known {
                ChangedKeys::These(changed)
            } else {
                ChangedKeys::All
            },
        })
    }
}
