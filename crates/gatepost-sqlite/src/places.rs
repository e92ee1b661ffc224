//! Places: where an owner stands, the version that every change of a record there moves and every
//! enqueue checks, and the log of what was changed.

use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::{Connection, OptionalExtension as _, params};
use webhook_model::{EventId, TaskId, WebhookId};

use crate::error::{Failure, Result};

/// How many changes of a place are remembered.
const CHANGES_KEPT: i64 = 1_024;

/// What was changed in a place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    Webhook(WebhookId),
    Task(TaskId),
    Event(EventId),
    /// All that an owner has came, left, was held or released.
    Owner(OwnerId),
    /// A task that was not matched before, so that its events have to be named too.
    TaskWithEvents(TaskId),
}

impl Change {
    fn columns(self) -> (i64, i64) {
        match self {
            Self::Webhook(id) => (0, id.0),
            Self::Task(id) => (1, id.0),
            Self::Event(id) => (2, id.0),
            Self::Owner(id) => (3, id.0),
            Self::TaskWithEvents(id) => (4, id.0),
        }
    }

    fn of(kind: i64, record: i64) -> Result<Self> {
        match kind {
            0 => Ok(Self::Webhook(WebhookId(record))),
            1 => Ok(Self::Task(TaskId(record))),
            2 => Ok(Self::Event(EventId(record))),
            3 => Ok(Self::Owner(OwnerId(record))),
            4 => Ok(Self::TaskWithEvents(TaskId(record))),
            _ => Err(Failure::corrupt("kind", "unknown number")),
        }
    }
}

/// The place of this word, as it is stored.
pub(crate) fn place_from(word: &str) -> Result<Place> {
    Place::from_word(word).ok_or_else(|| Failure::corrupt("place", "unknown word"))
}

/// Where an owner stands.
pub(crate) fn place_of(c: &Connection, owner: OwnerId) -> Result<Place> {
    let word: Option<String> = c
        .prepare_cached("SELECT place FROM gatepost_owner WHERE owner = ?1")?
        .query_row([owner.0], |row| row.get(0))
        .optional()?;
    word.map_or(Ok(Place::Common), |word| place_from(&word))
}

/// The present version of a place.
pub(crate) fn version(c: &Connection, place: Place) -> Result<RoutesVersion> {
    let version: Option<i64> = c
        .prepare_cached("SELECT version FROM gatepost_place WHERE place = ?1")?
        .query_row([place.to_string()], |row| row.get(0))
        .optional()?;
    Ok(RoutesVersion(version.unwrap_or(0)))
}

/// Part of every change of a record.
pub(crate) fn record_changed(c: &Connection, owner: OwnerId, change: Change) -> Result<()> {
    changed(c, place_of(c, owner)?, &[change])?;
    Ok(())
}

/// Moves the version of a place once and notes what was changed.
pub(crate) fn changed(c: &Connection, place: Place, all: &[Change]) -> Result<RoutesVersion> {
    let version = next_version(c)?;
    let word = place.to_string();
    let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let last: i64 = c
        .prepare_cached(include_str!("sql/places/move.sql"))?
        .query_row(params![word, version, count], |row| row.get(0))?;
    let mut note = c.prepare_cached(include_str!("sql/places/note.sql"))?;
    for (number, change) in (last - count + 1..).zip(all) {
        let (kind, record) = change.columns();
        note.execute(params![word, number, version, kind, record])?;
    }
    // One more than is remembered stays: it tells since when the others are complete.
    c.prepare_cached("DELETE FROM gatepost_route_change WHERE place = ?1 AND change < ?2")?
        .execute(params![word, last - CHANGES_KEPT])?;
    Ok(RoutesVersion(version))
}

/// Moves the version of a place of which more was changed than can be named.
pub(crate) fn changed_at_large(c: &Connection, place: Place) -> Result<()> {
    let (version, word) = (next_version(c)?, place.to_string());
    c.prepare_cached(include_str!("sql/places/restart.sql"))?
        .execute(params![word, version])?;
    c.prepare_cached("DELETE FROM gatepost_route_change WHERE place = ?1")?
        .execute([word])?;
    Ok(())
}

/// What was changed after `since`; `None` when that is not remembered, or is in the future.
pub(crate) fn changes_since(
    c: &Connection,
    place: Place,
    since: RoutesVersion,
) -> Result<Option<Vec<Change>>> {
    let word = place.to_string();
    let known: Option<(i64, i64)> = c
        .prepare_cached("SELECT version, started FROM gatepost_place WHERE place = ?1")?
        .query_row([&word], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (version, started) = known.unwrap_or((0, 0));
    if since.0 < started || since.0 > version {
        return Ok(None);
    }
    let mut statement = c.prepare_cached(include_str!("sql/places/changes.sql"))?;
    let mut rows = statement.query([&word])?;
    let mut changes = Vec::new();
    // Nothing is missing where the log goes back to what is known, or to the place's first change.
    let mut oldest = 1;
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? <= since.0 {
            return Ok(Some(changes));
        }
        oldest = row.get(0)?;
        changes.push(Change::of(row.get(2)?, row.get(3)?)?);
    }
    Ok((oldest == 1).then_some(changes))
}

fn next_version(c: &Connection) -> Result<i64> {
    let next = "UPDATE gatepost_routes SET version = version + 1 RETURNING version";
    Ok(c.prepare_cached(next)?.query_row([], |row| row.get(0))?)
}
