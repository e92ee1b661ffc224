//! Where each owner stands, and who of them is held or gone.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place, TenantId};

use crate::error::StoreError;
use crate::page::AtMost;

/// The beginning of 2020, in seconds.
const EPOCH: i64 = 1_577_836_800;

/// How far [`OwnerStore::restored`] goes on: beyond all that was given since any backup, also after
/// an earlier restore of the same one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PassedOver {
    /// How many numbers are passed over at least.
    pub gap: i64,
    /// No number below this is given.
    pub floor: i64,
}

impl PassedOver {
    /// Of row numbers of keys, webhooks, tasks and events, of revisions, versions and generations:
    /// more than a hundred for each second since 2020.
    #[must_use]
    pub fn of_records(now: DateTime<Utc>) -> Self {
        Self {
            gap: 1_000_000_000,
            floor: seconds(now).saturating_mul(100),
        }
    }

    /// Of deliveries, claim tokens, rows of the outbox and entries of the audit log: more than a
    /// million for each second since 2020. JSON has room for them until the year 2300.
    #[must_use]
    pub fn of_log(now: DateTime<Utc>) -> Self {
        Self {
            gap: 1_000_000_000_000,
            floor: seconds(now).saturating_mul(1_000_000),
        }
    }

    /// The number to go on from where `last` was the last one.
    #[must_use]
    pub fn beyond(self, last: i64) -> i64 {
        last.saturating_add(self.gap).max(self.floor)
    }
}

fn seconds(now: DateTime<Utc>) -> i64 {
    now.timestamp().saturating_sub(EPOCH).max(0)
}

/// What the store knows of an owner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OwnerRow {
    /// The owner.
    pub owner: OwnerId,
    /// Where the owner stands.
    pub place: Place,
    /// Whether nothing of the owner's is matched or sent until the platform says otherwise.
    pub held: bool,
}

/// What an owner has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OwnerUsage {
    /// Keys, expired ones included.
    pub keys: u64,
    /// Webhooks, tasks and events.
    pub records: RecordUsage,
}

/// How much of webhooks, tasks and events an owner has, or may have.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RecordUsage {
    /// Webhooks.
    pub webhooks: u64,
    /// Tasks.
    pub tasks: u64,
    /// Events.
    pub events: u64,
    /// Bytes of all three, as their `stored_bytes` say.
    pub bytes: u64,
}

/// What an owner may have, when `at_most` is said of rows of whichever kind.
impl From<AtMost> for RecordUsage {
    fn from(at_most: AtMost) -> Self {
        Self {
            webhooks: at_most.rows,
            tasks: at_most.rows,
            events: at_most.rows,
            bytes: at_most.bytes,
        }
    }
}

/// The owners that a list names.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum OwnerFilter {
    /// Those that are suspended.
    Suspended,
    /// Those who have a key, a webhook or a task and no row yet: in `Common`, not suspended.
    Unplaced,
}

/// What the platform removed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Gone {
    /// A user.
    Owner(OwnerId),
    /// A tenant, with all its users.
    Tenant(TenantId),
}

/// Stores one row for each owner: where the owner stands. What an owner has is in that place, for
/// no record, key or delivery says so itself.
///
/// # Contract
/// As the other traits: `Ok` means stored, `Err` means nothing stored; no clock; any number of
/// callers; dropped futures leave all or nothing.
///
/// - An owner without a row is in [`Place::Common`] and is neither held nor gone.
/// - Versions of places ([`RoutesVersion`](crate::webhooks::RoutesVersion)) are drawn from one
///   counter of the store: no version is given twice, also not to two places. Placing, holding and
///   removing move the version of the place, or of both.
/// - What is gone is not found, listed, matched, claimed, reclaimed, counted or sent from the
///   commit that marked it, by any method. [`remove_gone`](Self::remove_gone) makes room later.
/// - An owner who is gone and stores something again has from then on what an owner without a row
///   has, and nothing of before.
#[async_trait]
pub trait OwnerStore: fmt::Debug + Send + Sync + 'static {
    /// The owner's row; `None` when the owner was never placed, or is gone.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreError>;

    /// Returns what an owner has; nothing for an owner who is gone.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage, StoreError>;

    /// Changes an owner's realm, whether the owner is suspended, or both, in one commit; `None`
    /// leaves what is stored. An owner without a row gets one, in `Common` and not suspended where
    /// the call names neither. A removed owner may be set again and then has nothing.
    ///
    /// Of an owner who leaves another realm than `Common`, the store must not claim what waits, and
    /// must end it in [`remove_gone`](Self::remove_gone) as `error` with
    /// [`EndReason::OwnerMoved`](crate::webhooks::EndReason::OwnerMoved). A running delivery ends
    /// likewise as soon as it waits again. Until all have ended the store must claim nothing of the
    /// owner's. What is replayed until then may end with them. Ended deliveries must stay with the
    /// tenant in which they were made.
    ///
    /// Of a suspended owner the store must match and claim nothing, and `queues` and
    /// `expire_held` must name nothing, as of a paused webhook. Records and log
    /// are listed and changed as before.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Place>,
        suspended: Option<bool>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Places an owner, or moves one, as [`set_owner`](Self::set_owner) does.
    ///
    /// # Errors
    /// Those of `set_owner`.
    async fn place_owner(
        &self,
        owner: OwnerId,
        place: Place,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.set_owner(owner, Some(place), None, now).await
    }

    /// Suspends an owner, or releases one, as [`set_owner`](Self::set_owner) does.
    ///
    /// # Errors
    /// Those of `set_owner`.
    async fn hold_owner(
        &self,
        owner: OwnerId,
        held: bool,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.set_owner(owner, None, Some(held), now).await
    }

    /// Returns owners in order of their ids, at most `limit` beyond `after`. It must cost no more
    /// than one lookup for each owner that has no row yet.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>, StoreError>;

    /// Marks as gone all that an owner, or a tenant's owners, have; one commit. Again is no error.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn mark_gone(&self, gone: Gone, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Removes at most `limit` rows of what is gone (keys first, then records, deliveries and their
    /// attempts), and ends waiting deliveries of owners who moved. Returns how many; fewer than
    /// `limit` means that nothing is left that can be done now: what an owner who moved has running
    /// ends by a later call. Takes no lock that an emit or a claim waits for longer
    /// than it takes to remove them.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn remove_gone(&self, limit: u32, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Makes what was given out since a backup was taken unknown for good; to be called once after
    /// it was put back, before anything is served from it. The numbers of that time are not in the
    /// backup, and would be given again, to others; so the store goes on beyond them.
    ///
    /// From the return on, a new row number of a key, webhook, task or event, a revision of such a
    /// row, a version of a place and a generation of a slice are [beyond](PassedOver::beyond) any
    /// before by [`PassedOver::of_records`]; a number of a delivery, of a row of the outbox or of
    /// an entry of the audit log and a claim token by [`PassedOver::of_log`]. Rows keep their
    /// numbers and have new revisions. All places and slices that the store knows of have moved,
    /// and it does not remember what was changed before: whoever knows any version or generation
    /// but the present one has to read all. Nothing else changes. Costs what there is of keys and
    /// records. Again is no error, and passes over more: there is room for a thousand times.
    ///
    /// # Errors
    /// `Unavailable`: to be called again. Some of the numbers may have been raised.
    async fn restored(&self, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Takes or extends a lease of this name for this holder: `true` if nobody else holds it at
    /// `now`. What one process at a time should do is done under one.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;
}
