//! Removing what is gone, in bites: each short enough that an emit which waits for it does not
//! notice.

mod again;
mod deliveries;
mod keys;
pub(super) mod moved;
mod ordering;
mod records;
mod rows;

use rusqlite::Connection;

use crate::error::Result;

/// The maximum number of rows that one bite changes: about 1 ms of the writer's time.
const BITE: u32 = 64;

/// A part of the work: changes at most this many rows, and returns how many.
type Step = fn(&Connection, u32) -> Result<u32>;

/// What removes, or ends, rows: never more than the caller asked for.
const REMOVING: [Step; 3] = [keys::remove, records::remove, moved::end];
/// What changes rows for another reason, which the caller does not count.
const TOUCHING: [Step; 2] = [records::of_gone_owners, ordering::go_on];

/// What a bite did.
pub(super) struct Bite {
    /// How many rows it removed, or ended.
    pub(super) removed: u32,
    /// Whether there may be more.
    pub(super) more: bool,
}

pub(super) fn bite(c: &Connection, limit: u32) -> Result<Bite> {
    let room = limit.min(BITE);
    let (mut removed, mut touched) = (0, 0);
    for step in TOUCHING {
        touched += step(c, BITE - touched)?;
        if touched == BITE {
            return Ok(Bite {
                removed,
                more: true,
            });
        }
    }
    for step in REMOVING {
        removed += step(c, room - removed)?;
        if removed == room {
            return Ok(Bite {
                removed,
                more: true,
            });
        }
    }
    c.prepare_cached(include_str!("../../sql/owners/finish.sql"))?
        .execute([])?;
    Ok(Bite {
        removed,
        more: false,
    })
}
