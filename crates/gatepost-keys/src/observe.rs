//! What happens to keys, for an observer of the platform's.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;

use apikey_core::{KeyHint, KeyId, KeyName, OwnerId};
use chrono::{DateTime, Utc};
use gatepost_storage::keys::KeyRow;

/// Something that happened to a key.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeyNotice {
    /// The key.
    pub key: KeyId,
    /// Whose it is.
    pub owner: OwnerId,
    /// What it is called.
    pub name: KeyName,
    /// What may be shown of it.
    pub hint: KeyHint,
    /// What happened.
    pub news: KeyNews,
}

/// What happened to a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum KeyNews {
    /// It was created.
    Created,
    /// It was deleted. The keys of a user or tenant that is removed are not reported.
    Deleted,
    /// It expires soon, or has expired: said 14, 3 and 0 days before, up to a day late where the
    /// platform was down, and not at all later. A key with less time than that from its creation
    /// on is reported from the next step on. The same step may be said again by another process,
    /// and after a restart: whoever passes it on recognises it by key, moment and days.
    Expiring {
        /// When.
        expires: DateTime<Utc>,
        /// 14, 3, or 0.
        days: u32,
    },
    /// It was found, whole, in a text where it does not belong. What becomes of it is said by
    /// itself.
    Leaked {
        /// The hour in which it is said.
        hour: DateTime<Utc>,
    },
    /// Whoever has its secret presented it from an address that its lists do not allow: said
    /// within seconds, and at most once an hour for a key in each process.
    RefusedAddress {
        /// From where, the last time.
        from: IpAddr,
        /// How often since it was said last.
        count: u64,
        /// The hour in which it is said.
        hour: DateTime<Utc>,
    },
}

/// The observer could not take a notice.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not passed on: {0}")]
#[allow(clippy::exhaustive_structs, reason = "a text and nothing else")]
pub struct NotPassedOn(pub String);

/// Receives notices of keys. `gatepost-manage` has one that passes them on to an engine.
///
/// A change of a key waits for it, for at most five seconds, and is done whatever it says: an error
/// and a panic are logged. A notice of [`KeyNews::Expiring`] that it does not take is given again a
/// minute later, for a day.
pub trait KeyObserver: fmt::Debug + Send + Sync + 'static {
    /// Something happened.
    fn notice<'a>(
        &'a self,
        notice: KeyNotice,
    ) -> Pin<Box<dyn Future<Output = Result<(), NotPassedOn>> + Send + 'a>>;
}

impl KeyNotice {
    /// About a key as it is stored; for tests of a [`KeyObserver`] too.
    #[must_use]
    pub fn new(row: &KeyRow, news: KeyNews) -> Self {
        Self {
            key: row.id,
            owner: row.key.owner,
            name: row.key.name.clone(),
            hint: row.key.hint.clone(),
            news,
        }
    }
}
