//! Removing what is gone, in bites: each short enough that an emit which waits for it does not
//! notice.

mod deliveries;
mod keys;
pub(super) mod moved;
pub(crate) mod ordering;
mod records;

use rusqlite::Connection;

use crate::error::Result;

/// The maximum number of rows that one bite changes: about 1 ms of the writer's time.
const BITE: u32 = 64;

/// What a bite did.
pub(super) struct Bite {
    /// How many rows it removed, or ended.
    pub(super) removed: u32,
    /// Whether there may be more.
    pub(super) more: bool,
}

/// A part of the work: changes at most this many rows.
type Step = fn(&Connection, u32) -> Result<Progress>;

/// How far a step came.
struct Progress {
    /// Rows that were removed or ended.
    removed: u32,
    /// Rows that were changed for another reason.
    touched: u32,
}

impl Progress {
    fn removed(removed: u32) -> Self {
        Self {
            removed,
            touched: 0,
        }
    }

    fn all(&self) -> u32 {
        self.removed + self.touched
    }
}

const STEPS: [Step; 5] = [
    keys::remove,
    records::of_gone_owners,
    records::remove,
    moved::end,
    ordering::go_on,
];

/// How many rows a statement changed.
fn rows(changed: usize) -> u32 {
    u32::try_from(changed).unwrap_or(u32::MAX)
}

pub(super) fn bite(c: &Connection, limit: u32) -> Result<Bite> {
    let mut room = limit.min(BITE);
    let mut removed = 0;
    for step in STEPS {
        let progress = step(c, room)?;
        removed += progress.removed;
        room = room.saturating_sub(progress.all());
        if room == 0 {
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
