//! Notices about keys for an observer of the platform.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;

use apikey_core::{KeyId, KeyName, MaskedKey, OwnerId};
use chrono::{DateTime, Utc};
use gatepost_storage::keys::KeyRow;

/// A notice about a key.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeyNotice {
    /// The key.
    pub key: KeyId,
    /// Its owner.
    pub owner: OwnerId,
    /// Its name.
    pub name: KeyName,
    /// Its masked form.
    pub masked: MaskedKey,
    /// The content of the notice.
    pub kind: KeyNoticeKind,
}

/// The content of a notice.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum KeyNoticeKind {
    /// The key was created.
    Created,
    /// The key was deleted. The keys of a removed user or tenant are not reported.
    Deleted,
    /// The key expires soon, or has expired. The notice is sent 14, 3 and 0 days before; if the
    /// platform was down, up to a day late, and after that not at all. A key with a shorter
    /// lifetime is reported from the next step on. Another process, or the same one after a
    /// restart, may repeat a step: a recipient recognizes repeats by key, time and days.
    Expiring {
        /// The expiration time.
        expires: DateTime<Utc>,
        /// 14, 3, or 0.
        days: u32,
    },
    /// The whole key was found in a text where it does not belong. If it is disabled or deleted
    /// because of that, another notice reports this.
    Leaked {
        /// The hour of the notice.
        hour: DateTime<Utc>,
    },
    /// A caller with the right secret presented it from an address that its lists refuse. The
    /// notice is sent within seconds, and at most once an hour for each key in each process.
    RefusedAddress {
        /// The last of these addresses.
        from: IpAddr,
        /// The number of refusals since the previous notice.
        count: u64,
        /// The hour of the notice.
        hour: DateTime<Utc>,
    },
}

/// The error of an observer that could not accept a notice.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("not passed on: {0}")]
#[allow(clippy::exhaustive_structs, reason = "a text and nothing else")]
pub struct NotForwarded(pub String);

/// Receives notices about keys. `gatepost-manage` has an implementation that forwards them to an
/// engine.
///
/// A change of a key waits for the observer for at most five seconds, and is carried out whatever
/// it returns: an error and a panic are logged. A notice of [`KeyNoticeKind::Expiring`] that it
/// refuses is sent again every minute, for a day.
pub trait KeyObserver: fmt::Debug + Send + Sync + 'static {
    /// Handles a notice.
    fn notice<'a>(
        &'a self,
        notice: KeyNotice,
    ) -> Pin<Box<dyn Future<Output = Result<(), NotForwarded>> + Send + 'a>>;
}

impl KeyNotice {
    /// Creates a notice about a stored key, for tests of a [`KeyObserver`] as well.
    #[must_use]
    pub fn new(row: &KeyRow, news: KeyNoticeKind) -> Self {
        Self {
            key: row.id,
            owner: row.key.owner,
            name: row.key.name.clone(),
            masked: row.key.masked.clone(),
            kind: news,
        }
    }
}
