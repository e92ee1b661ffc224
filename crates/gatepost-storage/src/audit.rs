//! The audit log: an append-only log of who changed what.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{KeyId, ObjectId, OwnerId, TenantId};

use crate::error::{ErrorKind, StoreError};
use crate::page::{Page, Scope};

/// The row number of an entry: positive, never reused, and rising in the order of storing.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AuditId(pub i64);

/// A change that was carried out.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AuditEntry {
    /// The time of the change.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub at: DateTime<Utc>,
    /// The owner of the record.
    pub owner: OwnerId,
    /// The tenant of the owner at that time; the entry stays with it.
    pub tenant: Option<TenantId>,
    /// The user who made the change.
    pub actor: OwnerId,
    /// The API key that the user authenticated with; `None` for a login of the platform itself.
    pub key: Option<KeyId>,
    /// The client address; `None` if it is unknown.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub from: Option<IpAddr>,
    /// The table of the record, at most [`MAX_WORD`](Self::MAX_WORD) bytes.
    pub table: String,
    /// The id of the record.
    pub row: ObjectId,
    /// The name of the record; empty if it has none. At most [`MAX_NAME`](Self::MAX_NAME) bytes.
    pub name: String,
    /// The operation, at most [`MAX_WORD`](Self::MAX_WORD) bytes.
    pub operation: String,
    /// The changed fields, in the caller's own format; at most [`MAX_CHANGES`](Self::MAX_CHANGES)
    /// bytes.
    pub changes: String,
}

impl AuditEntry {
    /// The maximum length of the name of a table or an operation, in bytes.
    pub const MAX_WORD: usize = 64;
    /// The maximum length of the name of a record, in bytes: 255 characters.
    pub const MAX_NAME: usize = 1020;
    /// The maximum length of the changed fields, in bytes.
    pub const MAX_CHANGES: usize = 4096;

    /// Returns the entries that a store must keep of a call. It refuses an entry that is too large,
    /// and keeps only the newest `most` of each owner. The order is preserved. A store must call it
    /// first.
    ///
    /// # Errors
    /// `Invalid` if a text is too long.
    pub fn admitted(entries: &[Self], most: u64) -> Result<Vec<&Self>, StoreError> {
        if !entries.iter().all(Self::fits) {
            return Err(StoreError::new(ErrorKind::Invalid, "audit entry too large"));
        }
        let mut left: HashMap<OwnerId, u64> = HashMap::new();
        let newest_first = entries.iter().rev().filter(|entry| {
            let left = left.entry(entry.owner).or_insert(most);
            let fits = *left > 0;
            *left = left.saturating_sub(1);
            fits
        });
        let mut admitted: Vec<_> = newest_first.collect();
        admitted.reverse();
        Ok(admitted)
    }

    /// Returns how many of these entries each owner has, in the order of the owners' numbers.
    #[must_use]
    pub fn by_owner(entries: &[&Self]) -> Vec<(OwnerId, i64)> {
        let mut counts = std::collections::BTreeMap::new();
        for entry in entries {
            *counts.entry(entry.owner).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    fn fits(&self) -> bool {
        let words = self.table.len().max(self.operation.len());
        words <= Self::MAX_WORD
            && self.name.len() <= Self::MAX_NAME
            && self.changes.len() <= Self::MAX_CHANGES
    }
}

/// A stored entry.
#[derive(Clone, Debug, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct AuditRow {
    /// Its number.
    pub id: AuditId,
    /// Its content.
    pub entry: AuditEntry,
}

/// A filter for entries: all criteria that are `Some` must match.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AuditQuery {
    /// The owners of the changed records; for a tenant, the changes made in it.
    pub scope: Scope,
    /// Only changes of this row in this table.
    pub record: Option<(String, ObjectId)>,
    /// Only changes by this user.
    pub actor: Option<OwnerId>,
    /// Only changes at or after this time.
    pub from: Option<DateTime<Utc>>,
    /// Only changes before this time.
    pub before: Option<DateTime<Utc>>,
    /// The page, by row number.
    pub page: Page<AuditId>,
}

impl AuditQuery {
    /// Returns a query for all entries, page by page.
    #[must_use]
    pub fn all(page: Page<AuditId>) -> Self {
        Self {
            scope: Scope::All,
            record: None,
            actor: None,
            from: None,
            before: None,
            page,
        }
    }

    /// Returns whether an entry matches, regardless of the page.
    #[must_use]
    pub fn matches(&self, entry: &AuditEntry) -> bool {
        let in_scope = match self.scope {
            Scope::All => true,
            Scope::Owner(owner) => entry.owner == owner,
            Scope::Tenant(tenant) => entry.tenant == Some(tenant),
        };
        let is_of = |(table, row): &(String, ObjectId)| entry.table == *table && entry.row == *row;
        in_scope
            && self.record.as_ref().is_none_or(is_of)
            && self.actor.is_none_or(|actor| entry.actor == actor)
            && self.from.is_none_or(|from| entry.at >= from)
            && self.before.is_none_or(|before| entry.at < before)
    }
}

/// The entries that [`AuditStore::remove_audit`] removes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "a store removes these and no others"
)]
pub enum AuditRemoval {
    /// Entries with an earlier time than this.
    Before(DateTime<Utc>),
    /// Entries about records of this owner.
    OfOwner(OwnerId),
}

/// Stores the audit log. It is a separate trait: a platform without an audit log need not implement
/// it.
///
/// # Contract
/// The general rules of the storage traits apply: `Ok` means stored, `Err` means nothing stored; a
/// store must not read a clock; any number of callers may call at the same time; a dropped future
/// must leave all of the change or nothing. In addition:
///
/// - Times must be kept to the microsecond.
/// - A stored entry must never change.
/// - The log must not depend on the records that it names. Entries must remain after the record or
///   its owner was deleted, until [`remove_audit`](Self::remove_audit) removes them.
#[async_trait]
pub trait AuditStore: fmt::Debug + Send + Sync + 'static {
    /// Adds entries in this order, all or none.
    ///
    /// - For each owner in the call, the store must keep the newest `most` entries by row number
    ///   and remove older ones in the same commit. The entries of one owner must not displace those
    ///   of another.
    /// - The call must not wait for a change of a record, and no change of a record may wait for
    ///   it.
    /// - The caller may repeat a call whose response was lost. The entries are then stored twice.
    ///
    /// # Errors
    /// `Invalid` for an entry that is too large; `Unavailable`.
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Result<(), StoreError>;

    /// Returns one page of the entries that match, in order of row number. The store must look up
    /// entries by record or scope, and by actor if the scope is everybody; it may compare the other
    /// criteria row by row.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>, StoreError>;

    /// Removes at most `limit` of these entries, the oldest first. Returns the number of removed
    /// entries; a number below `limit` means that none is left. The cost must be proportional to
    /// that number.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Result<u64, StoreError>;
}
