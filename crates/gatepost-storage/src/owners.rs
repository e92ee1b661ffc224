//! The realm of each owner, and suspended and deleted owners.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm, TenantId};

use crate::error::StoreError;
use crate::page::AtMost;

/// The beginning of 2020, in seconds.
const EPOCH: i64 = 1_577_836_800;

/// The numbers that [`OwnerStore::restored`] skips. They exceed every number that was assigned
/// since any backup, even if the same backup was restored before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SkippedIds {
    /// The minimum number of ids to skip.
    pub gap: i64,
    /// The lowest number that may be assigned.
    pub floor: i64,
}

impl SkippedIds {
    /// Returns the skip for row numbers of keys, webhooks, tasks and events, and for revisions,
    /// versions and generations: more than a hundred for each second since 2020.
    #[must_use]
    pub fn of_records(now: DateTime<Utc>) -> Self {
        Self {
            gap: 1_000_000_000,
            floor: seconds(now).saturating_mul(100),
        }
    }

    /// Returns the skip for deliveries, claim tokens, rows of the outbox and entries of the audit
    /// log: more than a million for each second since 2020. JSON can represent these numbers until
    /// the year 2300.
    #[must_use]
    pub fn of_log(now: DateTime<Utc>) -> Self {
        Self {
            gap: 1_000_000_000_000,
            floor: seconds(now).saturating_mul(1_000_000),
        }
    }

    /// Returns the number to continue from if `last` was the last one.
    #[must_use]
    pub fn beyond(self, last: i64) -> i64 {
        last.saturating_add(self.gap).max(self.floor)
    }
}

fn seconds(now: DateTime<Utc>) -> i64 {
    now.timestamp().saturating_sub(EPOCH).max(0)
}

/// The stored state of an owner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OwnerRow {
    /// The owner.
    pub owner: OwnerId,
    /// The owner's realm.
    pub realm: Realm,
    /// Whether the owner is suspended: none of the owner's records are matched or sent until the
    /// platform releases the owner.
    pub suspended: bool,
}

/// The usage of an owner.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct OwnerUsage {
    /// Keys, expired ones included.
    pub keys: u64,
    /// Webhooks, tasks and events.
    pub records: RecordUsage,
}

/// The webhooks, tasks and events that an owner has or may have.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct RecordUsage {
    /// The number of webhooks.
    pub webhooks: u64,
    /// The number of tasks.
    pub tasks: u64,
    /// The number of events.
    pub events: u64,
    /// Bytes of all three, as the sum of their `stored_bytes`.
    pub bytes: u64,
}

/// The limits of an owner, with `at_most` as the limit for rows of any kind.
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

/// A filter for a list of owners.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum OwnerFilter {
    /// Suspended owners.
    Suspended,
    /// Owners who have a key, a webhook or a task but no row yet: they are in `Common` and not
    /// suspended.
    Unplaced,
}

/// A user or tenant that the platform removed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Removal {
    /// A user.
    Owner(OwnerId),
    /// A tenant, with all its users.
    Tenant(TenantId),
}

/// Stores one row for each owner, with the owner's realm. Records, keys and deliveries do not name
/// a realm: they are in the realm of their owner.
///
/// # Contract
/// The general rules of the storage traits apply: `Ok` means stored, `Err` means nothing stored; a
/// store must not read a clock; any number of callers may call at the same time; a dropped future
/// must leave all of the change or nothing.
///
/// - An owner without a row must be in [`Realm::Shared`], and must be neither suspended nor
///   deleted.
/// - The store must draw the versions of all realms
///   ([`RoutesVersion`](crate::webhooks::RoutesVersion)) from one counter. It must not assign a
///   version twice, not even to two realms. Assigning, suspending and removing an owner must change
///   the version of the realm, or of both realms.
/// - Deleted data must not be found, listed, matched, claimed, reclaimed, counted or sent by any
///   method from the commit that marked it. [`remove_gone`](Self::remove_gone) frees the space
///   later.
/// - An owner who was deleted and stores something again must have the state of an owner without a
///   row, and none of the earlier data.
#[async_trait]
pub trait OwnerStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the owner's row; `None` if the owner was never assigned to a realm, or is deleted.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreError>;

    /// Returns the usage of an owner; it is zero for a deleted owner.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage, StoreError>;

    /// Changes an owner's realm, whether the owner is suspended, or both, in one commit; `None`
    /// leaves the stored value. An owner without a row gets one, in `Common` and not suspended if
    /// the call names neither. A deleted owner may be set again and then has nothing.
    ///
    /// If an owner leaves a realm other than `Common`, the store must not claim the owner's waiting
    /// deliveries, and must end them in [`remove_gone`](Self::remove_gone) as `error` with
    /// [`EndReason::OwnerMoved`](crate::webhooks::EndReason::OwnerMoved). A running delivery must
    /// end likewise as soon as it waits again. Until all have ended, the store must claim nothing
    /// of the owner's. Deliveries that are replayed until then may end with them. Ended deliveries
    /// must stay with the tenant in which they were made.
    ///
    /// For a suspended owner the store must match and claim nothing, and `queues` and `expire_held`
    /// must return nothing, as for a paused webhook. Records and log are listed and changed as
    /// usual.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Assigns an owner to a realm, as [`set_owner`](Self::set_owner) does.
    ///
    /// # Errors
    /// The errors of `set_owner`.
    async fn assign_realm(
        &self,
        owner: OwnerId,
        place: Realm,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.set_owner(owner, Some(place), None, now).await
    }

    /// Suspends or releases an owner, as [`set_owner`](Self::set_owner) does.
    ///
    /// # Errors
    /// The errors of `set_owner`.
    async fn hold_owner(
        &self,
        owner: OwnerId,
        held: bool,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.set_owner(owner, None, Some(held), now).await
    }

    /// Returns owners in the order of their ids, at most `limit` after `after`. It must cost at
    /// most one lookup for each owner that has no row yet.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>, StoreError>;

    /// Marks all data of an owner, or of a tenant's owners, as deleted, in one commit. Repeating
    /// the call is not an error.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn mark_gone(&self, gone: Removal, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Removes at most `limit` rows of deleted data (keys first, then records, deliveries and their
    /// attempts), and ends waiting deliveries of owners who moved. Returns the number of rows.
    ///
    /// A number below `limit` means that nothing is left to do now; a later call ends the running
    /// deliveries of owners who moved. The store must not hold a lock that delays an emit or a
    /// claim for longer than the removal takes.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn remove_gone(&self, limit: u32, now: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Invalidates all numbers that were assigned since a backup was taken. The platform must call
    /// it once after it restored the backup and before it serves anything from it. The backup does
    /// not contain those numbers, and the store would assign them again to other rows; so the store
    /// continues beyond them.
    ///
    /// After the return, new numbers must be [beyond](SkippedIds::beyond) all earlier ones.
    /// [`SkippedIds::of_records`] applies to row numbers of keys, webhooks, tasks and events,
    /// revisions of such rows, versions of realms and generations of shards. [`SkippedIds::of_log`]
    /// applies to numbers of deliveries, rows of the outbox and entries of the audit log, and to
    /// claim tokens.
    ///
    /// Rows keep their numbers and get new revisions. All realms and shards that the store knows
    /// must change their versions and generations, and the store must not remember earlier changes:
    /// a caller with any version but the current one has to read everything. Nothing else changes.
    /// The cost is proportional to the number of keys and records. Repeating the call is not an
    /// error and skips more numbers; the range suffices for a thousand calls.
    ///
    /// # Errors
    /// `Unavailable`: call again. Some of the numbers may have been raised.
    async fn restored(&self, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Takes or extends the lease of this name for this holder. Returns `true` if nobody else holds
    /// it at `now`. Work that only one process may do at a time is done under a lease.
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
