//! Where each owner stands, and who of them is held or gone.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place, TenantId};

use crate::error::StoreError;

/// The status info of a delivery that waited when its owner went to another tenant.
pub const MOVED_INFO: &str = "the owner moved";

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
/// - What is gone is not found, listed, matched, claimed, counted or sent from the commit that
///   marked it. [`remove_gone`](Self::remove_gone) makes room later.
#[async_trait]
pub trait OwnerStore: fmt::Debug + Send + Sync + 'static {
    /// The owner's row; `None` when the owner was never placed, or is gone.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreError>;

    /// Places an owner, or moves one; one commit. Of an owner who already was in another place than
    /// `Common`, deliveries that wait are not claimed any more and end, in
    /// [`remove_gone`](Self::remove_gone), as `error` with `the owner moved`, those that are being
    /// sent as soon as they wait again; until that is done nothing of the owner's is claimed.
    /// Ended deliveries stay with the tenant in which they were made. An owner that was removed may
    /// be placed again and then has nothing.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn place_owner(
        &self,
        owner: OwnerId,
        place: Place,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Holds an owner, or releases one; an owner without a row gets one in `Common`. Of a held
    /// owner nothing is matched, claimed, or named by `due_lanes`, `lanes_of`,
    /// `sweep_lanes` and `expire_held`, as of a paused webhook; records and log are listed and
    /// changed as before.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn hold_owner(
        &self,
        owner: OwnerId,
        held: bool,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Owners that are held, in order of their number, at most `limit` beyond `after`.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn held_owners(
        &self,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>, StoreError>;

    /// Owners who have a key, a webhook or a task and no row yet, in order of their number, at most
    /// `limit` beyond `after`. Where every owner has a row it costs no more than one lookup for
    /// each owner.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn unplaced_owners(
        &self,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerId>, StoreError>;

    /// Marks as gone all that an owner, or a tenant's owners, have; one commit. Again is no error.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn mark_gone(&self, gone: Gone, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Removes at most `limit` rows of what is gone (keys first, then records, deliveries and their
    /// attempts), and ends waiting deliveries of owners who moved. Returns how many; fewer than
    /// `limit` means that nothing is left. Takes no lock that an emit or a claim waits for longer
    /// than it takes to remove them.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn remove_gone(&self, limit: u32, now: DateTime<Utc>) -> Result<u64, StoreError>;

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
