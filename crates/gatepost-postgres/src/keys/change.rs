//! Changes of keys, and how caches learn of them.

use apikey_core::{ApiKey, KeyId, LookupId};
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::{KeyRow, KeySlice, Rolled};
use tokio_postgres::Row;
use uuid::Uuid;

use super::row::{self, SQL};
use crate::change::{KNOW, REVIVE, most};
use crate::db::{Param, Tx};
use crate::error::{Failure, Result};
use crate::node::Moved;
use crate::records::table::params;
use crate::store::PostgresStore;

pub(super) const HOLD: &str = include_str!("../sql/keys/hold.sql");
const DELETE: &str = include_str!("../sql/keys/delete.sql");
pub(super) const CHANGED: &str = include_str!("../sql/keys/changed.sql");
/// How many changes of a slice are remembered. Whoever asks for older ones has to forget all its
/// keys.
pub(super) const CHANGES_KEPT: i64 = 64;

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
        check(found.try_get("verdict")?)?;
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
        let answers = self.db().pipeline("BEGIN", &statements).await?;
        let row = answers.into_iter().next_back();
        let row = row.and_then(|rows| rows.into_iter().next());
        row.ok_or_else(|| Failure::unavailable("no row came back"))
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

    /// Changes a key and moves the generation of its slice, in one round trip. Its lookup id, by
    /// which the slice is found, never changes.
    async fn moving(&self, id: KeyId, sql: &str, params: &[Param<'_>]) -> Result<(Row, Moved)> {
        let lookup = self.lookup_of(id).await?;
        let slice = slice_of(&lookup)?;
        let number = i16::from(slice.0);
        let noted: [Param<'_>; 3] = [&number, &lookup, &CHANGES_KEPT];
        let statements = [(sql, params), (CHANGED, &noted[..])];
        let mut answers = self.together(&statements).await?.into_iter();
        let nothing = || Failure::unavailable("no row came back");
        let stored = answers.next().and_then(|rows| rows.into_iter().next());
        let stored = stored.ok_or_else(nothing)?;
        check(stored.try_get("verdict")?)?;
        let generation = answers.next().and_then(|rows| rows.into_iter().next());
        let generation = generation.ok_or_else(nothing)?.try_get(0)?;
        Ok((stored, Moved { slice, generation }))
    }
}

impl PostgresStore {
    /// The lookup id of a key, which never changes.
    pub(super) async fn lookup_of(&self, id: KeyId) -> Result<String> {
        let sql = "SELECT lookup FROM :schema.gatepost_key WHERE id = $1";
        let found = self.db().query_opt(sql, &[&id.0]).await?;
        let found = found.ok_or_else(|| Failure::not_found("key"))?;
        Ok(found.try_get(0)?)
    }

    /// One transaction, tried again where another one's locks crossed its own.
    pub(super) async fn together(
        &self,
        statements: &[(&str, &[Param<'_>])],
    ) -> Result<Vec<Vec<Row>>> {
        let mut tries = 0;
        loop {
            match self.db().pipeline("BEGIN", statements).await {
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                other => return other,
            }
        }
    }
}

/// Moves the slices of all keys of these owners, within the transaction that marks them as gone.
pub(crate) async fn keys_removed(tx: &Tx, owners: &[Uuid]) -> Result<Vec<Moved>> {
    let sql = "SELECT lookup FROM :schema.gatepost_key WHERE owner = ANY ($1)";
    let rows = tx.query(sql, &[&owners]).await?;
    let lookups: Vec<String> = rows
        .iter()
        .map(|row| row.try_get(0))
        .collect::<std::result::Result<_, _>>()?;
    if lookups.is_empty() {
        return Ok(Vec::new());
    }
    let slices = lookups.iter().map(|lookup| slice_of(lookup));
    let slices: Vec<i16> = slices
        .map(|slice| Ok(i16::from(slice?.0)))
        .collect::<Result<_>>()?;
    let sql = include_str!("../sql/keys/removed.sql");
    let rows = tx.query(sql, &[&slices, &lookups]).await?;
    let moved = |row: &Row| -> Result<Moved> {
        let slice = u8::try_from(row.try_get::<_, i16>("slice")?);
        Ok(Moved {
            slice: KeySlice(slice.map_err(|e| Failure::corrupt("slice", e))?),
            generation: row.try_get("generation")?,
        })
    };
    rows.iter().map(moved).collect()
}

pub(super) fn slice_of(lookup: &str) -> Result<KeySlice> {
    let lookup: LookupId = lookup.parse().map_err(|e| Failure::corrupt("lookup", e))?;
    Ok(KeySlice::of(lookup))
}

pub(super) fn check(verdict: &str) -> Result<()> {
    Err(match verdict {
        "ok" => return Ok(()),
        "missing" => Failure::not_found("key"),
        "stale" => Failure::new(ErrorKind::Stale, "key"),
        "rows" => Failure::new(ErrorKind::Full, "rows"),
        "name" => Failure::new(ErrorKind::Conflict, "the owner has a key of that name"),
        "lookup" => Failure::new(ErrorKind::Conflict, "a key with that lookup id"),
        _ => Failure::unavailable("the database refused"),
    })
}
