//! The usage of each owner and its limits, updated in the transaction of every change.

use gatepost_ids::OwnerId;
use gatepost_storage::ErrorKind;
use gatepost_storage::owners::RecordUsage;
use rusqlite::{Connection, params};

use crate::error::{Failure, Result};
use crate::owners::row::usage;

/// The change of an owner's usage; below 0 for a decrease.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Delta {
    pub(crate) webhooks: i64,
    pub(crate) tasks: i64,
    pub(crate) events: i64,
    pub(crate) bytes: i64,
}

impl Delta {
    pub(crate) fn negative(self) -> Self {
        Self {
            webhooks: -self.webhooks,
            tasks: -self.tasks,
            events: -self.events,
            bytes: -self.bytes,
        }
    }
}

/// Returns a size as it is stored.
pub(crate) fn stored(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

pub(crate) fn add(c: &Connection, owner: OwnerId, delta: Delta) -> Result<()> {
    c.prepare_cached(sql!("records/add_usage"))?
        .execute(params![
            owner.to_bytes(),
            delta.webhooks,
            delta.tasks,
            delta.events,
            delta.bytes
        ])?;
    Ok(())
}

/// Checks before an insert that the owner may have one more row and these bytes.
pub(super) fn check_room(
    c: &Connection,
    owner: OwnerId,
    rows: impl Fn(&RecordUsage) -> u64,
    bytes: u64,
    at_most: &RecordUsage,
) -> Result<()> {
    let usage = usage(c, owner)?.records;
    if rows(&usage) >= rows(at_most) {
        return Err(Failure::new(ErrorKind::Full, "rows"));
    }
    if usage.bytes.saturating_add(bytes) > at_most.bytes {
        return Err(Failure::new(ErrorKind::Full, "bytes"));
    }
    Ok(())
}

/// Checks a change that removes `less` bytes from an owner's usage and adds `more`.
pub(super) fn check_growth(
    c: &Connection,
    owner: OwnerId,
    less: i64,
    more: i64,
    at_most: u64,
) -> Result<()> {
    if more <= less {
        return Ok(());
    }
    let grown = u64::try_from(more.saturating_sub(less)).unwrap_or(0);
    if usage(c, owner)?.records.bytes.saturating_add(grown) > at_most {
        return Err(Failure::new(ErrorKind::Full, "bytes"));
    }
    Ok(())
}
