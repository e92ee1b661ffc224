//! Sessions of users who opened the console by a link.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;

use crate::error::StoreError;

/// The SHA-256 digest of the secret that a browser has. No store learns the secret.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct SessionDigest(pub [u8; 32]);

/// A session, or the link that opens one: a caller with the secret is this user until it ends.
#[derive(Clone, Eq, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Session {
    /// The digest of the secret.
    pub digest: SessionDigest,
    /// The user.
    pub owner: OwnerId,
    /// The name that is shown to the user, at most [`MAX_NAME`](Self::MAX_NAME) bytes.
    pub name: String,
    /// When it was opened.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub opened: DateTime<Utc>,
    /// When it ends.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub until: DateTime<Utc>,
}

impl Session {
    /// The maximum length of the name, in bytes.
    pub const MAX_NAME: usize = 1020;
    /// Sessions and links of one user; a new one ends the oldest.
    pub const MAX_OF_OWNER: u32 = 100;
    /// Ended sessions that a store removes with each one that is opened.
    pub const REMOVED_AT_ONCE: u32 = 16;
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("owner", &self.owner)
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

/// The sessions that [`end_sessions`](SessionStore::end_sessions) ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EndSessions {
    /// This one.
    One(SessionDigest),
    /// All sessions and links of a user.
    OfOwner(OwnerId),
}

/// Stores the sessions of users who opened the console by a link.
///
/// # Contract
/// The general rules of the storage traits apply: `Ok` means stored, `Err` means nothing stored; a
/// store must not read a clock; any number of callers, in any number of processes, may call at the
/// same time.
///
/// - A session that ended must not be found.
/// - [`OwnerStore::mark_gone`](crate::OwnerStore::mark_gone) must end the sessions of the removed
///   owners.
/// - [`OwnerStore::restored`](crate::OwnerStore::restored) must end all sessions, because some may
///   have been ended since the backup.
#[async_trait]
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// Stores a session. Returns `false`, and changes nothing, if `link` is given and there is no
    /// such session at `now`; otherwise the link ends in the same commit. If several callers have
    /// one link, exactly one must get `true`.
    ///
    /// The same commit removes up to [`Session::REMOVED_AT_ONCE`] sessions that ended before `now`,
    /// and the oldest of the owner's beyond [`Session::MAX_OF_OWNER`].
    ///
    /// # Errors
    /// `Unavailable`.
    async fn open_session(
        &self,
        session: &Session,
        link: Option<SessionDigest>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Returns the session with this digest, if it has not ended at `now`.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn session(
        &self,
        digest: SessionDigest,
        now: DateTime<Utc>,
    ) -> Result<Option<Session>, StoreError>;

    /// Changes the end of a session that has not ended: a concurrent
    /// [`end_sessions`](Self::end_sessions) must not be undone.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn prolong_session(
        &self,
        digest: SessionDigest,
        until: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Ends sessions: once it returned, no process may find them. It is not an error if there are
    /// none.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn end_sessions(&self, which: EndSessions) -> Result<(), StoreError>;
}
