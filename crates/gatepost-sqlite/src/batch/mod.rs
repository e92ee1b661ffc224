//! What the commands of one commit share: the numbers that they give out, the leases that they
//! make and end, and what they looked up.
//!
//! Most of what a delivery costs is the statements that the writer runs for it. What a batch holds
//! is read and written once for a commit, however many commands it has.

mod ended;
mod held;
mod known;
mod leases;
mod member;
mod numbers;
mod running;

use rusqlite::Connection;

use self::ended::Ended;
pub(crate) use self::ended::ended;
use self::held::Held;
use self::known::Known;
pub(crate) use self::known::{Webhook, webhook};
use self::leases::Leases;
pub(crate) use self::leases::insert as insert_running;
pub(crate) use self::member::Member;
use self::numbers::Numbers;
pub(crate) use self::numbers::next_token;
pub(crate) use self::running::{forget_claims, is_open, readable, running};
use crate::error::Result;

#[derive(Debug, Default)]
pub(crate) struct Batch {
    numbers: Numbers,
    leases: Leases,
    held: Held,
    known: Known,
    ended: Ended,
}

/// Where a batch was before a command that may fail half-way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    numbers: Numbers,
    leases: leases::Mark,
}

impl Batch {
    /// A new commit begins: other processes may have written.
    pub(crate) fn begin(&mut self) {
        self.numbers = Numbers::default();
        self.known.doubt();
    }

    /// Writes what was put off until the end of the commit, or until a command that reads it.
    pub(crate) fn flush(&mut self, c: &Connection) -> Result<()> {
        self.leases.flush(c)?;
        self.held.flush(c)?;
        self.numbers.flush(c)
    }

    /// A command ran that reads and writes by itself what a batch holds.
    pub(crate) fn forget(&mut self) {
        self.numbers.forget();
        self.known.doubt();
    }

    /// Nothing of this commit was stored.
    pub(crate) fn lost(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            numbers: self.numbers,
            leases: self.leases.mark(),
        }
    }

    /// What was written since then is taken back.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.numbers = mark.numbers;
        self.leases.back_to(mark.leases);
        self.known = Known::default();
    }

    /// Tasks were deleted: places have other versions now.
    pub(crate) fn places_moved(&mut self) {
        self.known.doubt();
    }
}
