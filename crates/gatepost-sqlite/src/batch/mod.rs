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

use gatepost_ids::Realm;
use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::Connection;

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

    /// The number of a new delivery; none is given twice, in whichever process.
    pub(crate) fn next_delivery(&mut self, c: &Connection) -> Result<i64> {
        self.numbers.next_delivery(c)
    }

    /// A token greater than all before it.
    pub(crate) fn next_token(&mut self, c: &Connection) -> Result<i64> {
        self.numbers.next_token(c)
    }

    /// The log has grown by about this.
    pub(crate) fn grown(&mut self, bytes: i64) {
        self.numbers.grown(bytes);
    }

    /// Something waits that another process may send.
    pub(crate) fn arrived(&mut self) {
        self.numbers.arrived();
    }

    /// How often this transaction has said so by now.
    pub(crate) fn said(&self) -> i64 {
        self.numbers.said()
    }

    /// As the function of this name, without a statement for what retention has not passed.
    pub(crate) fn ended(&mut self, c: &Connection, delivery: i64) -> Result<()> {
        match delivery <= self.numbers.row(c)?.walked {
            true => ended(c, delivery),
            false => Ok(()),
        }
    }

    /// Leases a delivery until then, and returns the token.
    pub(crate) fn lease(&mut self, c: &Connection, member: Member, until: i64) -> Result<i64> {
        self.leases.lease(c, &mut self.numbers, member, until)
    }

    /// How this delivery stood when it was claimed under this token, if the batch still runs. It
    /// may have been settled.
    pub(crate) fn member(
        &mut self,
        c: &Connection,
        token: i64,
        delivery: i64,
    ) -> Result<Option<Member>> {
        self.held.member(c, token, delivery)
    }

    /// One delivery of this batch was settled.
    pub(crate) fn settled(&mut self, c: &Connection, token: i64) -> Result<()> {
        self.held.settled(c, token)
    }

    /// `None` for a webhook that is gone.
    pub(crate) fn webhook(&mut self, c: &Connection, id: i64) -> Result<Option<Webhook>> {
        self.known.webhook(c, id)
    }

    /// The version of a place now.
    pub(crate) fn place_version(&mut self, c: &Connection, place: Realm) -> Result<RoutesVersion> {
        self.known.place_version(c, place)
    }
}
