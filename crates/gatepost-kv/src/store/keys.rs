//! API keys.

use apikey_core::{ApiKey, Expiration, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::keys::{
    ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeyShard, KeyUse, Login,
    Rolled,
};
use gatepost_storage::owners::SkippedIds;
use gatepost_storage::{ErrorKind, KeyStore, Page, StoreError};

use super::error::{Outcome, damaged};
use super::key::{Key, Parts, last_number};
use super::kv_store::KvStore;
use super::rows::{Index, Rows, Source, key_of};
use super::tables::{
    KEY_BY_EXPIRY, KEY_BY_LOOKUP, KEY_BY_NAME, KEY_CHANGES, KEY_COUNT, KEY_OF_OWNER, KEY_SLICES,
    KEY_USES, KEYS, META,
};
use super::tx::{Tx, keys_in, read, row, rows_in};
use super::{numbers, owner_status};
use crate::contract::View;
use crate::key_range::KeyRange;

/// The number of changes of a shard that are remembered.
const CHANGES_KEPT: usize = 64;
/// The counter of generations.
const GENERATIONS: &str = "key_generation";

const ROWS: Rows<KeyRow> = Rows {
    table: KEYS,
    fixed: &[],
    indexes: &[
        Index::of(KEY_OF_OWNER, |row| Some(Key::new().owner(row.key.owner))),
        Index::of(KEY_BY_NAME, |row| Some(of_name(row))),
        Index::of(KEY_BY_LOOKUP, |row| Some(of_lookup(row.key.lookup))),
        Index::of(KEY_BY_EXPIRY, |row| match row.key.expiration {
            Expiration::At(at) => Some(Key::new().time(at)),
            Expiration::Never => None,
        }),
    ],
};

#[async_trait]
impl KeyStore for KvStore {
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow, StoreError> {
        let key = key.clone();
        self.write(move |tx| insert(tx, &key, at_most, Rolled::default()))
            .await
    }

    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>, StoreError> {
        self.read(move |view| match selector {
            KeySelector::Id(id) => ROWS.get(view, id.0),
            KeySelector::Lookup(lookup) => {
                let source = Source::Of(KEY_BY_LOOKUP, vec![of_lookup(lookup)]);
                let found = ROWS.page(view, &source, &Page::<i64>::first(1), |_| true)?;
                Ok(found.into_iter().next())
            }
        })
        .await
    }

    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>, StoreError> {
        let (query, page) = (query.clone(), query.page.numbered(|id| id.0));
        self.read(move |view| {
            let source = owner_status::source(view, query.scope, KEY_OF_OWNER)?;
            ROWS.page(view, &source, &page, |row| {
                let name = query.name.as_ref();
                name.is_none_or(|name| row.key.name.as_str() == name)
            })
        })
        .await
    }

    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<KeyRow>, StoreError> {
        self.read(move |view| {
            let last = Key::new().time(after.0).number(after.1.0);
            let range = KeyRange::between([], Key::new().time(before)).after(last.bytes());
            let found = keys_in(view, KEY_BY_EXPIRY, &range, limit as usize)?;
            let rows = found.iter().map(|key| ROWS.get(view, last_number(key)?));
            rows.filter_map(Result::transpose).collect()
        })
        .await
    }

    async fn update_key(&self, shown: &KeyRow, _now: DateTime<Utc>) -> Result<KeyRow, StoreError> {
        let shown = shown.clone();
        self.write(move |tx| {
            let stored = ROWS.get(tx, shown.id.0)?;
            let stored = stored.ok_or_else(|| StoreError::not_found("key"))?;
            let new = stored.edited_by(&shown)?;
            check_name(tx, &new)?;
            ROWS.put(tx, new.id.0, &new, Some(&stored))?;
            changed(tx, new.key.lookup)?;
            Ok(new)
        })
        .await
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        _now: DateTime<Utc>,
    ) -> Result<(KeyRow, KeyRow), StoreError> {
        let (old, new) = (old.clone(), new.clone());
        self.write(move |tx| {
            let stored = ROWS.get(tx, old.id.0)?;
            let stored = stored.filter(|row| row.key.owner == new.owner);
            let stored = stored.ok_or_else(|| StoreError::not_found("key"))?;
            let mut ended = stored.rolled_by(&old)?;
            let from = Rolled {
                from: Some(old.id),
                to: None,
            };
            let new = insert(tx, &new, at_most, from)?;
            ended.rolled.to = Some(new.id);
            ROWS.put(tx, ended.id.0, &ended, Some(&stored))?;
            changed(tx, ended.key.lookup)?;
            Ok((new, ended))
        })
        .await
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        self.write(move |tx| {
            let row = ROWS.get(tx, id.0)?;
            remove(tx, &row.ok_or_else(|| StoreError::not_found("key"))?)
        })
        .await
    }

    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<(), StoreError> {
        let (logins, uses) = (logins.to_vec(), KeyUse::merged(uses));
        self.write(move |tx| {
            for login in &logins {
                let Some(old) = ROWS.get(tx, login.key.0)? else {
                    continue;
                };
                let mut new = old.clone();
                if new.log_in(login.login) {
                    ROWS.put(tx, new.id.0, &new, Some(&old))?;
                }
            }
            uses.iter().try_for_each(|day| used(tx, day))
        })
        .await
    }

    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Vec<KeyUse>, StoreError> {
        self.read(move |view| {
            let range = KeyRange::between(of_day(key, from), of_day(key, before.max(from)));
            let day = |at: &[u8], value: &[u8]| day(key, at, value);
            rows_in(view, KEY_USES, &range.backward(), limit as usize, day)
        })
        .await
    }

    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        // If other processes write, their changes are seen only by reads, and no cache is used.
        self.is_alone().then(|| self.generations.get(shard))
    }

    async fn key_changes(
        &self,
        shard: KeyShard,
        since: KeyGeneration,
    ) -> Result<KeyChanges, StoreError> {
        self.read(move |view| {
            let generation = numbers::kept(view, META, counter().bytes())?;
            let forgotten = numbers::kept(view, KEY_SLICES, &[shard.0])?;
            let changed = if (forgotten..=generation).contains(&since.0) {
                let after = Key::new().byte(shard.0).number(since.0);
                let range = KeyRange::prefix([shard.0]).after(after.bytes());
                let lookup = |_: &[u8], value: &[u8]| lookup(value);
                ChangedKeys::These(rows_in(view, KEY_CHANGES, &range, usize::MAX, lookup)?)
            } else {
                ChangedKeys::All
            };
            Ok(KeyChanges {
                generation: KeyGeneration(generation),
                changed,
            })
        })
        .await
    }
}

/// Removes the keys of an owner.
pub(super) fn remove_of(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    let of_owner = Source::Of(KEY_OF_OWNER, vec![Key::new().owner(owner)]);
    for row in ROWS.page(tx, &of_owner, &Page::<i64>::first(u32::MAX), |_| true)? {
        remove(tx, &row)?;
    }
    Ok(())
}

/// Moves numbers and generations beyond those assigned after the backup that was restored, and
/// deletes the log of earlier changes.
pub(super) fn restored(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Outcome<()> {
    let passed = SkippedIds::of_records(now);
    numbers::pass_over(tx, "key", passed)?;
    numbers::pass_over(tx, GENERATIONS, passed)?;
    let generation = numbers::next(tx, GENERATIONS)?;
    for shard in 0..=u8::MAX {
        forget_changes(tx, shard, usize::MAX)?;
        tx.put(KEY_SLICES, &[shard], &generation.to_be_bytes())?;
        tx.moved(KeyShard(shard), KeyGeneration(generation));
    }
    Ok(())
}

/// Moves the revisions of some keys beyond numbers that may have been assigned after a backup.
/// Returns the last of these keys.
pub(super) fn pass_over(
    tx: &mut Tx<'_>,
    after: Option<i64>,
    passed: SkippedIds,
) -> Outcome<Option<i64>> {
    let some = ROWS.some(tx, after)?;
    for (number, old) in &some {
        let mut new = old.clone();
        new.revision.0 = passed.beyond(old.revision.0);
        ROWS.put(tx, *number, &new, Some(old))?;
    }
    Ok(some.last().map(|(number, _)| *number))
}

fn insert(tx: &mut Tx<'_>, key: &ApiKey, at_most: u64, rolled: Rolled) -> Outcome<KeyRow> {
    let mut row = KeyRow::inserted(KeyId(0), key, rolled);
    check_name(tx, &row)?;
    if number_of(tx, KEY_BY_LOOKUP, &of_lookup(row.key.lookup))?.is_some() {
        return Err(StoreError::new(ErrorKind::Conflict, "a key with that lookup id").into());
    }
    let owner = row.key.owner;
    let have = numbers::kept(tx, KEY_COUNT, &owner.to_bytes())?;
    if have.max(0).unsigned_abs() >= at_most {
        return Err(StoreError::new(ErrorKind::Full, "rows").into());
    }
    row.id = KeyId(numbers::next(tx, "key")?);
    owner_status::has_something(tx, owner)?;
    ROWS.put(tx, row.id.0, &row, None)?;
    numbers::add(tx, KEY_COUNT, &owner.to_bytes(), 1)?;
    Ok(row)
}

fn check_name(tx: &Tx<'_>, row: &KeyRow) -> Outcome<()> {
    match number_of(tx, KEY_BY_NAME, &of_name(row))? {
        Some(other) if other != row.id.0 => {
            let taken = "the owner has a key of that name";
            Err(StoreError::new(ErrorKind::Conflict, taken).into())
        }
        _ => Ok(()),
    }
}

/// Returns the row with this key in an index of unique keys.
fn number_of(view: &dyn View, table: crate::Table, key: &Key) -> Outcome<Option<i64>> {
    let found = keys_in(view, table, &KeyRange::prefix(key.bytes()), 1)?.pop();
    found.map(|key| last_number(&key)).transpose()
}

fn remove(tx: &mut Tx<'_>, row: &KeyRow) -> Outcome<()> {
    ROWS.delete(tx, row.id.0, row)?;
    numbers::add(tx, KEY_COUNT, &row.key.owner.to_bytes(), -1)?;
    forget_uses(tx, row.id, NaiveDate::MAX)?;
    changed(tx, row.key.lookup)
}

/// Records that a key was edited or deleted.
fn changed(tx: &mut Tx<'_>, lookup: LookupId) -> Outcome<()> {
    let shard = KeyShard::of(lookup);
    let generation = numbers::next(tx, GENERATIONS)?;
    let key = Key::new().byte(shard.0).number(generation);
    tx.put(KEY_CHANGES, key.bytes(), lookup.as_str().as_bytes())?;
    tx.moved(shard, KeyGeneration(generation));
    let kept = rows_in(
        tx,
        KEY_CHANGES,
        &KeyRange::prefix([shard.0]),
        usize::MAX,
        |_, _| Ok(()),
    )?
    .len();
    forget_changes(tx, shard.0, kept.saturating_sub(CHANGES_KEPT))
}

/// Deletes the oldest changes of a shard.
fn forget_changes(tx: &mut Tx<'_>, shard: u8, count: usize) -> Outcome<()> {
    for key in keys_in(tx, KEY_CHANGES, &KeyRange::prefix([shard]), count)? {
        tx.delete(KEY_CHANGES, &key)?;
        tx.put(KEY_SLICES, &[shard], &last_number(&key)?.to_be_bytes())?;
    }
    Ok(())
}

/// Adds uses of a day, and deletes the days that are too old by then.
fn used(tx: &mut Tx<'_>, added: &KeyUse) -> Outcome<()> {
    if tx.get(KEYS, &key_of(added.key.0))?.is_none() {
        return Ok(());
    }
    let key = of_day(added.key, added.day);
    let [used, refused] = row::<[u64; 2]>(tx, KEY_USES, key.bytes())?.unwrap_or_default();
    let sums = [
        used.saturating_add(added.used),
        refused.saturating_add(added.refused),
    ];
    tx.put_row(KEY_USES, key.bytes(), &sums)?;
    forget_uses(tx, added.key, KeyUse::kept_after(added.day))
}

/// Deletes a key's days up to this one.
fn forget_uses(tx: &mut Tx<'_>, key: KeyId, until: NaiveDate) -> Outcome<()> {
    let last = until.succ_opt().unwrap_or(NaiveDate::MAX);
    let range = KeyRange::between(of_day(key, NaiveDate::MIN), of_day(key, last));
    let days = keys_in(tx, KEY_USES, &range, usize::MAX)?;
    days.iter().try_for_each(|day| tx.delete(KEY_USES, day))
}

fn day(key: KeyId, at: &[u8], value: &[u8]) -> Outcome<KeyUse> {
    let wrong = || damaged("key_use");
    let mut parts = Parts::of(at);
    parts.number::<i64>()?;
    let day = i32::try_from(parts.number::<i64>()?).map_err(|_| wrong())?;
    let [used, refused] = read(KEY_USES, value)?;
    Ok(KeyUse {
        key,
        day: NaiveDate::from_num_days_from_ce_opt(day).ok_or_else(wrong)?,
        used,
        refused,
    })
}

fn lookup(value: &[u8]) -> Outcome<LookupId> {
    let text = std::str::from_utf8(value).map_err(|_| damaged("lookup"))?;
    text.parse().map_err(|_| damaged("lookup"))
}

fn of_day(key: KeyId, day: NaiveDate) -> Key {
    Key::new().number(key.0).number(day.num_days_from_ce())
}

fn of_name(row: &KeyRow) -> Key {
    Key::new().owner(row.key.owner).name(row.key.name.as_str())
}

fn of_lookup(lookup: LookupId) -> Key {
    Key::new().text(lookup.as_str())
}

fn counter() -> Key {
    Key::new().text(GENERATIONS)
}
