//! The state that the commands of one commit share: the numbers that they assign, the leases that
//! they make and end, and the rows that they look up.
//!
//! Most of the cost of a delivery is the statements that the writer runs for it. This state is read
//! and written once for a commit, however many commands it has.

mod batches;
mod cache;
mod ended;
mod leases;
mod member;
mod numbers;
mod running;

use gatepost_ids::Realm;
use gatepost_storage::webhooks::RoutesVersion;
use rusqlite::Connection;

use self::batches::Held;
use self::cache::Known;
pub(crate) use self::cache::{Webhook, webhook};
pub(crate) use self::ended::ended;
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

/// The state of a batch before a command that may fail halfway.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    numbers: Numbers,
    leases: leases::Mark,
}

impl Batch {
    /// Begins a commit: other processes may have written.
    pub(crate) fn begin(&mut self) {
        self.numbers = Numbers::default();
        self.known.doubt();
    }

    /// Writes the changes that were delayed until the end of the commit, or until a command that
    /// reads them.
    pub(crate) fn flush(&mut self, c: &Connection) -> Result<()> {
        self.leases.flush(c)?;
        self.held.flush(c)?;
        self.numbers.flush(c)
    }

    /// Discards the state after a command that read and wrote the same rows directly.
    pub(crate) fn forget(&mut self) {
        self.numbers.forget();
        self.known.doubt();
    }

    /// Discards the state after a commit that failed.
    pub(crate) fn lost(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            numbers: self.numbers,
            leases: self.leases.mark(),
        }
    }

    /// Reverts all changes after this mark.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.numbers = mark.numbers;
        self.leases.back_to(mark.leases);
        self.known = Known::default();
    }

    /// Records that tasks were deleted: their realms have new versions.
    pub(crate) fn places_moved(&mut self) {
        self.known.doubt();
    }

    /// Returns the number of a new delivery; no process assigns it twice.
    pub(crate) fn next_delivery(&mut self, c: &Connection) -> Result<i64> {
        self.numbers.next_delivery(c)
    }

    /// Returns a token greater than all earlier ones.
    pub(crate) fn next_token(&mut self, c: &Connection) -> Result<i64> {
        self.numbers.next_token(c)
    }

    /// Records that the log has grown by about this many bytes.
    pub(crate) fn grown(&mut self, bytes: i64) {
        self.numbers.grown(bytes);
    }

    /// Records that a delivery waits that another process may send.
    pub(crate) fn arrived(&mut self) {
        self.numbers.arrived();
    }

    /// Returns how often this transaction has recorded that.
    pub(crate) fn said(&self) -> i64 {
        self.numbers.said()
    }

    /// Does the same as the function of this name, without a statement for deliveries that
    /// retention has not passed yet.
    pub(crate) fn ended(&mut self, c: &Connection, delivery: i64) -> Result<()> {
        match delivery <= self.numbers.row(c)?.walked {
            true => ended(c, delivery),
            false => Ok(()),
        }
    }

    /// Leases a delivery until this time, and returns the token.
    pub(crate) fn lease(&mut self, c: &Connection, member: Member, until: i64) -> Result<i64> {
        self.leases.lease(c, &mut self.numbers, member, until)
    }

    /// Returns the delivery as it was when it was claimed under this token, if the batch still
    /// runs. It may have been settled.
    pub(crate) fn member(
        &mut self,
        c: &Connection,
        token: i64,
        delivery: i64,
    ) -> Result<Option<Member>> {
        self.held.member(c, token, delivery)
    }

    /// Records that one delivery of this batch was settled.
    pub(crate) fn settled(&mut self, c: &Connection, token: i64) -> Result<()> {
        self.held.settled(c, token)
    }

    /// Returns a webhook; `None` if it is deleted.
    pub(crate) fn webhook(&mut self, c: &Connection, id: i64) -> Result<Option<Webhook>> {
        self.known.webhook(c, id)
    }

    /// Returns the current version of a realm.
    pub(crate) fn place_version(&mut self, c: &Connection, place: Realm) -> Result<RoutesVersion> {
        self.known.place_version(c, place)
    }
}
