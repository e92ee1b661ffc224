//! Realms: the realm of each owner, the version that every change of a record there moves and every
//! enqueue checks, and the log of changes.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::SkippedIds;
use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use webhook_model::{EventId, TaskId, WebhookId};

use crate::column::owner;
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::sql::{Sql as _, value};

/// The number of changes of a realm that are remembered.
const CHANGES_KEPT: i64 = 1_024;

/// The maximum number of records that are named when their owner leaves a realm.
const NAMED: i64 = 2_000;

/// A change in a realm.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    Webhook(WebhookId),
    Task(TaskId),
    Event(EventId),
    /// All records of an owner arrived, left, were suspended or resumed.
    Owner(OwnerId),
    /// A task that was not matched earlier, so its events must be named, too.
    TaskWithEvents(TaskId),
}

impl Change {
    fn columns(self) -> (i64, Value) {
        match self {
            Self::Webhook(id) => (0, id.0.into()),
            Self::Task(id) => (1, id.0.into()),
            Self::Event(id) => (2, id.0.into()),
            Self::Owner(id) => (3, id.to_bytes().to_vec().into()),
            Self::TaskWithEvents(id) => (4, id.0.into()),
        }
    }

    fn of(row: &Row<'_>) -> Result<Self> {
        let row = &Named::of(row);
        match row.get("kind")? {
            0 => Ok(Self::Webhook(WebhookId(row.get("record")?))),
            1 => Ok(Self::Task(TaskId(row.get("record")?))),
            2 => Ok(Self::Event(EventId(row.get("record")?))),
            3 => Ok(Self::Owner(owner(row, "record")?)),
            4 => Ok(Self::TaskWithEvents(TaskId(row.get("record")?))),
            _ => Err(Failure::corrupt("kind", "unknown number")),
        }
    }
}

/// Parses a realm as it is stored.
pub(crate) fn place_from(word: &str) -> Result<Realm> {
    Realm::from_word(word).ok_or_else(|| Failure::corrupt("place", "unknown word"))
}

/// Returns the realm of an owner.
pub(crate) fn place_of(c: &Connection, owner: OwnerId) -> Result<Realm> {
    let sql = "SELECT place FROM gatepost_owner WHERE owner = ?1";
    let word: Option<String> = c.first(sql, [owner.to_bytes()], value)?;
    word.map_or(Ok(Realm::Shared), |word| place_from(&word))
}

/// Returns the current version of a realm.
pub(crate) fn version(c: &Connection, place: Realm) -> Result<RoutesVersion> {
    let sql = "SELECT version FROM gatepost_place WHERE place = ?1";
    let version: Option<i64> = c.first(sql, [place.to_string()], value)?;
    Ok(RoutesVersion(version.unwrap_or(0)))
}

/// Records a change of a record; part of every such change.
pub(crate) fn record_changed(c: &Connection, owner: OwnerId, change: Change) -> Result<()> {
    changed(c, place_of(c, owner)?, &[change])?;
    Ok(())
}

/// Moves the version of a realm once and records its changes: at least one.
pub(crate) fn changed(c: &Connection, place: Realm, all: &[Change]) -> Result<RoutesVersion> {
    let (word, number, version) = next_change(c, place)?;
    let mut note = c.prepare_cached(sql!("places/note"))?;
    for change in all {
        let (kind, record) = change.columns();
        note.execute(params![word, number, version, kind, record])?;
    }
    Ok(RoutesVersion(version))
}

/// Does the same as [`changed`] for an owner who leaves: every record is named, because any of them
/// may be deleted elsewhere before the owner returns.
pub(crate) fn left(c: &Connection, place: Realm, owner: OwnerId) -> Result<()> {
    let sql = "SELECT webhooks + tasks + events FROM gatepost_owner WHERE owner = ?1";
    let count: Option<i64> = c.first(sql, [owner.to_bytes()], value)?;
    match count.unwrap_or(0) {
        0 => {
            changed(c, place, &[Change::Owner(owner)])?;
            return Ok(());
        }
        1..=NAMED => {}
        _ => return changed_at_large(c, place),
    }
    let (word, number, version) = next_change(c, place)?;
    let sql = sql!("places/note_all");
    c.run(sql, params![word, number, version, owner.to_bytes()])
}

/// Returns the realm as it is stored, the number of its next change, and its version. Deletes the
/// oldest change.
fn next_change(c: &Connection, place: Realm) -> Result<(String, i64, i64)> {
    let (version, word) = (next_version(c)?, place.to_string());
    let number: i64 = c.one(sql!("places/move"), params![word, version], |row| {
        Ok(row.get(0)?)
    })?;
    // One more than is remembered stays: it marks the version from which the others are complete.
    let sql = "DELETE FROM gatepost_route_change WHERE place = ?1 AND change < ?2";
    c.run(sql, params![word, number - CHANGES_KEPT])?;
    Ok((word, number, version))
}

/// Moves the version of a realm with more changes than can be named.
pub(crate) fn changed_at_large(c: &Connection, place: Realm) -> Result<()> {
    let (version, word) = (next_version(c)?, place.to_string());
    c.run(sql!("places/restart"), params![word, version])?;
    c.run("DELETE FROM gatepost_route_change WHERE place = ?1", [word])
}

/// Moves the versions of all realms, beyond some that are never assigned.
pub(crate) fn all_changed_at_large(c: &Connection, numbers: SkippedIds) -> Result<()> {
    let draw = "UPDATE gatepost_routes \
                SET version = max(version + ?1, ?2) + (SELECT count(*) FROM gatepost_place)";
    c.execute(draw, [numbers.gap, numbers.floor])?;
    c.execute(sql!("places/restart_all"), [])?;
    c.execute("DELETE FROM gatepost_route_change", [])?;
    Ok(())
}

/// Returns the changes after `since`; `None` if they are not remembered, or `since` is in the
/// future.
pub(crate) fn changes_since(
    c: &Connection,
    place: Realm,
    since: RoutesVersion,
) -> Result<Option<Vec<Change>>> {
    let word = place.to_string();
    let sql = "SELECT version, started, changes FROM gatepost_place WHERE place = ?1";
    let known: Option<(i64, i64, i64)> = c.first(sql, [&word], |row| Ok(row.try_into()?))?;
    let (version, started, count) = known.unwrap_or((0, 0, 0));
    if since.0 < started || since.0 > version {
        return Ok(None);
    }
    let mut statement = c.prepare_cached(sql!("places/changes"))?;
    let mut rows = statement.query([&word])?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? <= since.0 {
            return Ok(Some(changes));
        }
        changes.push(Change::of(row)?);
    }
    // The log does not go back to the known version: nothing is missing if nothing was deleted.
    Ok((count <= CHANGES_KEPT).then_some(changes))
}

/// Increments the counter of versions, and returns it.
pub(crate) fn next_version(c: &Connection) -> Result<i64> {
    let next = "UPDATE gatepost_routes SET version = version + 1 RETURNING version";
    c.one(next, [], value)
}
