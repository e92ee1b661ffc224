//! Changes of keys, and the notification of caches.

use apikey_core::{ApiKey, KeyId, LookupId};
use gatepost_storage::keys::{KeyRow, KeyShard, Rolled};
use tokio_postgres::Row;
use uuid::Uuid;

use super::row::{self, SQL};
use crate::change::{KNOW, REVIVE, Words, most};
use crate::db::{Param, Tx};
use crate::error::{Failure, Result};
use crate::node::Moved;
use crate::records::table::params;
use crate::store::PostgresStore;

pub(super) const HOLD: &str = sql!("keys/hold");
const DELETE: &str = sql!("keys/delete");
pub(super) const CHANGED: &str = sql!("keys/changed");
pub(super) const WORDS: Words = Words {
    what: "key",
    taken: "the owner has a key of that name",
    reference: "key",
};
/// The number of changes of a shard that are remembered. A caller that asks for older changes must
/// drop all keys of the shard.
const CHANGES_KEPT: i64 = 64;

impl PostgresStore {
    pub(super) async fn add_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow> {
        let (id, at_most) = (Uuid::from(key.owner), most(at_most));
        let row = KeyRow::inserted(KeyId(0), key, Rolled::default());
        let fields = row::written(&row)?;
        let params = params(&[&id, &at_most], &fields);
        let owner: [Param<'_>; 1] = [&id];
        let mut found = self.insert_as(KNOW, &owner, &params).await?;
        if found.try_get::<_, &str>("verdict")? == "gone" {
            found = self.insert_as(REVIVE, &owner, &params).await?;
        }
        WORDS.check(found.try_get("verdict")?)?;
        row::key(&found)
    }

    /// Counts and inserts while nobody else adds a key of that owner.
    async fn insert_as(
        &self,
        before: &str,
        owner: &[Param<'_>],
        params: &[Param<'_>],
    ) -> Result<Row> {
        let statements = [(before, owner), (HOLD, owner), (&SQL.insert, params)];
        self.db().last_row(&statements).await
    }

    pub(super) async fn change_key(&self, new: &KeyRow) -> Result<(KeyRow, Moved)> {
        let fields = row::edited(new)?;
        let params = params(&[&new.id.0, &new.revision.0], &fields);
        let (stored, moved) = self.moving(new.id, &SQL.update, &params).await?;
        Ok((row::key(&stored)?, moved))
    }

    pub(super) async fn remove_key(&self, id: KeyId) -> Result<Moved> {
        let (_, moved) = self.moving(id, DELETE, &[&id.0]).await?;
        Ok(moved)
    }

    /// Changes a key and moves the generation of its shard, in one round trip. Its lookup id, which
    /// determines the shard, never changes.
    async fn moving(&self, id: KeyId, sql: &str, params: &[Param<'_>]) -> Result<(Row, Moved)> {
        let keys = Keys::of(vec![self.lookup_of(id).await?])?;
        let statements = [(sql, params), (CHANGED, &keys.params())];
        let mut answers = self.db().pipeline("BEGIN", &statements).await?.into_iter();
        let stored = answers.next().and_then(|rows| rows.into_iter().next());
        let stored = stored.ok_or_else(Failure::nothing)?;
        WORDS.check(stored.try_get("verdict")?)?;
        let shard = answers.next().unwrap_or_default();
        Ok((stored, moved(shard.first().ok_or_else(Failure::nothing)?)?))
    }

    /// Returns the lookup id of a key, which never changes.
    pub(super) async fn lookup_of(&self, id: KeyId) -> Result<String> {
        let sql = "SELECT lookup FROM :schema.gatepost_key WHERE id = $1";
        let found = self.db().query_opt(sql, &[&id.0]).await?;
        let found = found.ok_or_else(|| Failure::not_found("key"))?;
        Ok(found.try_get(0)?)
    }
}

/// Moves the shards of all keys of these owners, within the transaction that marks the owners as
/// deleted.
pub(crate) async fn keys_removed(tx: &Tx, owners: &[Uuid]) -> Result<Vec<Moved>> {
    let sql = "SELECT lookup FROM :schema.gatepost_key WHERE owner = ANY ($1)";
    let rows = tx.query(sql, &[&owners]).await?;
    let lookups = rows.iter().map(|row| Ok(row.try_get(0)?));
    let keys = Keys::of(lookups.collect::<Result<_>>()?)?;
    if keys.lookups.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.query(CHANGED, &keys.params()).await?;
    rows.iter().map(moved).collect()
}

/// Changed keys, and their shards.
pub(super) struct Keys {
    shards: Vec<i16>,
    lookups: Vec<String>,
}

impl Keys {
    pub(super) fn of(lookups: Vec<String>) -> Result<Self> {
        let shard = |lookup: &String| {
            let lookup: LookupId = lookup.parse().map_err(|e| Failure::corrupt("lookup", e))?;
            Ok(i16::from(KeyShard::of(lookup).0))
        };
        Ok(Self {
            shards: lookups.iter().map(shard).collect::<Result<_>>()?,
            lookups,
        })
    }

    /// Returns the parameters of [`CHANGED`].
    pub(super) fn params(&self) -> [Param<'_>; 3] {
        [&self.shards, &self.lookups, &CHANGES_KEPT]
    }
}

/// Reads a row of [`CHANGED`].
pub(super) fn moved(row: &Row) -> Result<Moved> {
    let shard = u8::try_from(row.try_get::<_, i16>("shard")?);
    Ok(Moved {
        shard: KeyShard(shard.map_err(|e| Failure::corrupt("shard", e))?),
        generation: row.try_get("generation")?,
    })
}
