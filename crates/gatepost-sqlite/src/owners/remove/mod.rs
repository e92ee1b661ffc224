//! The removal of deleted owners' data, in batches: each is short enough not to delay a waiting
//! emit noticeably.

mod deliveries;
mod keys;
pub(super) mod moved;
mod notification;
mod ordering;
mod records;

use rusqlite::Connection;

use crate::error::Result;
use crate::sql::Sql as _;

/// The maximum number of rows that one batch changes: about 1 ms of the writer's time.
const BITE: u32 = 64;

/// A part of the work: changes at most this many rows, and returns how many.
type Step = fn(&Connection, u32) -> Result<u32>;

/// The steps that remove or end rows: never more than the caller's limit.
const REMOVING: [Step; 3] = [keys::remove, records::remove, moved::end];
/// The steps that change rows for another reason, which the caller does not count.
const TOUCHING: [Step; 2] = [records::of_gone_owners, ordering::go_on];

/// The result of a batch.
pub(super) struct Bite {
    /// The number of rows that it removed or ended.
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
    c.run(sql!("owners/finish"), [])?;
    Ok(Bite {
        removed,
        more: false,
    })
}
