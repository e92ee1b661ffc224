//! The versions of realms, and the changes in each of them.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::webhooks::{RecordId, RoutesVersion};
use serde::{Deserialize, Serialize};

use super::error::Outcome;
use super::key::{Key, last_number};
use super::numbers;
use super::tables::{PLACE_CHANGES, PLACES};
use super::tx::{Tx, keys_in, read, row, rows_in};
use crate::contract::View;
use crate::key_range::KeyRange;

/// The number of changes of a realm that are remembered.
const CHANGES_KEPT: i64 = 1024;
/// The counter of versions, one for all realms.
pub(super) const VERSIONS: &str = "routes_version";

/// The changes of one commit.
#[derive(Deserialize, Serialize)]
pub(super) enum Change {
    /// These records were changed; or their owner left, was suspended or removed.
    Records(Vec<RecordId>),
    /// An owner arrived, with all records, or is no longer suspended.
    Entered(OwnerId),
}

#[derive(Default, Deserialize, Serialize)]
struct Log {
    version: i64,
    /// The number of changes that are remembered.
    kept: i64,
    /// The version of the last change that is no longer remembered.
    forgotten: i64,
}

pub(super) fn version(view: &dyn View, place: Realm) -> Outcome<RoutesVersion> {
    Ok(RoutesVersion(log(view, place)?.version))
}

/// Moves the version of a realm; returns the new one.
pub(super) fn changed(tx: &mut Tx<'_>, place: Realm, change: &Change) -> Outcome<RoutesVersion> {
    let version = numbers::next(tx, VERSIONS)?;
    let mut log = log(tx, place)?;
    log.version = version;
    log.kept += 1;
    tx.put_row(PLACE_CHANGES, of(place).number(version).bytes(), change)?;
    if log.kept > CHANGES_KEPT {
        for key in keys_in(tx, PLACE_CHANGES, &KeyRange::prefix(of(place)), 1)? {
            tx.delete(PLACE_CHANGES, &key)?;
            (log.kept, log.forgotten) = (log.kept - 1, last_number(&key)?);
        }
    }
    tx.put_row(PLACES, of(place).bytes(), &log)?;
    Ok(RoutesVersion(version))
}

/// Returns the changes after `since`; `None` if they are not remembered, or `since` is in the
/// future.
pub(super) fn since(
    view: &dyn View,
    place: Realm,
    since: RoutesVersion,
) -> Outcome<Option<Vec<Change>>> {
    let log = log(view, place)?;
    if !(log.forgotten..=log.version).contains(&since.0) {
        return Ok(None);
    }
    let after = of(place).number(since.0);
    let range = KeyRange::prefix(of(place)).after(after.bytes());
    let change = |_: &[u8], value: &[u8]| read(PLACE_CHANGES, value);
    rows_in(view, PLACE_CHANGES, &range, usize::MAX, change).map(Some)
}

/// Moves all realms beyond versions that are never assigned, and deletes the log of changes.
pub(super) fn restored(tx: &mut Tx<'_>) -> Outcome<()> {
    for place in keys_in(tx, PLACES, &KeyRange::all(), usize::MAX)? {
        let changes = KeyRange::prefix(place.clone());
        for key in keys_in(tx, PLACE_CHANGES, &changes, usize::MAX)? {
            tx.delete(PLACE_CHANGES, &key)?;
        }
        let version = numbers::next(tx, VERSIONS)?;
        let log = Log {
            version,
            kept: 0,
            forgotten: version,
        };
        tx.put_row(PLACES, &place, &log)?;
    }
    Ok(())
}

fn log(view: &dyn View, place: Realm) -> Outcome<Log> {
    Ok(row(view, PLACES, of(place).bytes())?.unwrap_or_default())
}

fn of(place: Realm) -> Key {
    Key::new().text(&place.to_string())
}
