//! API keys.

mod row;

use apikey_core::{ApiKey, Expiration, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::{
    ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeyStore, Login,
};

use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

/// How many changes are remembered. Whoever asks for older ones has to forget all keys.
const CHANGES_KEPT: i64 = 10_000;

#[async_trait]
impl KeyStore for PostgresStore {
    async fn insert_key(&self, key: &ApiKey) -> Answer<KeyRow> {
        let scheme = key.digest.scheme.to_string();
        let row = self
            .db()
            .query_opt(
                include_str!("../sql/keys/insert.sql"),
                &[
                    &key.owner.0,
                    &key.lookup.as_str(),
                    &key.hint.as_str(),
                    &scheme,
                    &key.digest.bytes.as_slice(),
                    &key.name.as_str(),
                    &key.description.as_str(),
                    &expires(key.expiration),
                    &key.ip.allow.to_string(),
                    &key.ip.deny.to_string(),
                    &key.created,
                    &key.last_login.map(|l| l.at),
                    &key.last_login.map(|l| l.from.to_string()),
                ],
            )
            .await?;
        let row = row.ok_or_else(|| Failure::unavailable("no row came back"))?;
        Ok(row::key(&row)?)
    }

    async fn key(&self, id: KeyId) -> Answer<Option<KeyRow>> {
        let sql = format!("SELECT {} WHERE id = $1", row::COLUMNS);
        let row = self.db().query_opt(&sql, &[&id.0]).await?;
        Ok(row.as_ref().map(row::key).transpose()?)
    }

    async fn key_by_lookup(&self, lookup: LookupId) -> Answer<Option<KeyRow>> {
        let sql = format!("SELECT {} WHERE lookup = $1", row::COLUMNS);
        let row = self.db().query_opt(&sql, &[&lookup.as_str()]).await?;
        Ok(row.as_ref().map(row::key).transpose()?)
    }

    async fn list_keys(&self, query: &KeyQuery) -> Answer<Vec<KeyRow>> {
        let list = List::of(row::COLUMNS)
            .filter("owner =", query.owner.map(|o| o.0))
            .filter("name =", query.name.clone());
        let rows = list.page(self.db(), &query.page, |id| id.0).await?;
        Ok(rows.iter().map(row::key).collect::<Result<_>>()?)
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Answer<KeyRow> {
        let (row, generation) = self.change_key(row).await?;
        self.node().wait_for_all(self.db(), generation).await;
        Ok(row)
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Answer<()> {
        let generation = self.remove_key(id).await?;
        self.node().wait_for_all(self.db(), generation).await;
        Ok(())
    }

    async fn record_logins(&self, logins: &[Login]) -> Answer<()> {
        let keys: Vec<i64> = logins.iter().map(|l| l.key.0).collect();
        let at: Vec<DateTime<Utc>> = logins.iter().map(|l| l.login.at).collect();
        let from: Vec<String> = logins.iter().map(|l| l.login.from.to_string()).collect();
        self.db()
            .execute(
                include_str!("../sql/keys/record_logins.sql"),
                &[&keys, &at, &from],
            )
            .await?;
        Ok(())
    }

    fn key_generation(&self) -> Option<KeyGeneration> {
        self.node().generation()
    }

    async fn key_changes(&self, since: KeyGeneration) -> Answer<KeyChanges> {
        let node = self.node();
        let known = node.since(since.0);
        let after = known.unwrap_or(i64::MAX);
        let rows = self
            .db()
            .query(include_str!("../sql/keys/changes.sql"), &[&after])
            .await?;
        let generation: i64 = rows
            .first()
            .ok_or_else(|| Failure::corrupt("key generation", "the row is missing"))?
            .try_get(0)
            .map_err(Failure::from)?;
        let mut changed = Vec::new();
        for row in &rows {
            changed.extend(row::lookup(row)?);
        }
        Ok(KeyChanges {
            generation: KeyGeneration(node.number(generation)),
            changed: known.map_or(ChangedKeys::All, |then| {
                ChangedKeys::logged(changed, KeyGeneration(then), KeyGeneration(generation))
            }),
        })
    }
}

impl PostgresStore {
    async fn change_key(&self, row: &KeyRow) -> Result<(KeyRow, i64)> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        let lookup: Option<tokio_postgres::Row> = tx
            .query_opt(
                "SELECT lookup FROM gatepost_key WHERE id = $1 FOR UPDATE",
                &[&row.id.0],
            )
            .await?;
        let lookup: String = lookup
            .ok_or_else(|| Failure::not_found("key"))?
            .try_get(0)?;
        let scheme = row.key.digest.scheme.to_string();
        let stored = tx
            .query_opt(
                include_str!("../sql/keys/update.sql"),
                &[
                    &row.id.0,
                    &row.revision.0,
                    &row.key.name.as_str(),
                    &row.key.description.as_str(),
                    &expires(row.key.expiration),
                    &row.key.ip.allow.to_string(),
                    &row.key.ip.deny.to_string(),
                    &scheme,
                    &row.key.digest.bytes.as_slice(),
                ],
            )
            .await?;
        let stored = row::key(&stored.ok_or_else(|| Failure::new(ErrorKind::Stale, "key"))?)?;
        let generation = changed(&tx, &lookup).await?;
        tx.commit().await?;
        Ok((stored, generation))
    }

    async fn remove_key(&self, id: KeyId) -> Result<i64> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        let gone = tx
            .query_opt(
                "DELETE FROM gatepost_key WHERE id = $1 RETURNING lookup",
                &[&id.0],
            )
            .await?;
        let lookup: String = gone.ok_or_else(|| Failure::not_found("key"))?.try_get(0)?;
        let generation = changed(&tx, &lookup).await?;
        tx.commit().await?;
        Ok(generation)
    }
}

async fn changed(tx: &Transaction<'_>, lookup: &str) -> Result<i64> {
    Ok(tx
        .query_one(
            include_str!("../sql/keys/changed.sql"),
            &[&lookup, &CHANGES_KEPT],
        )
        .await?
        .try_get(0)?)
}

fn expires(expiration: Expiration) -> Option<DateTime<Utc>> {
    match expiration {
        Expiration::At(at) => Some(at),
        Expiration::Never => None,
    }
}
