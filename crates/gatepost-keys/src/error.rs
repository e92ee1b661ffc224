//! What goes wrong when keys are managed.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{BeyondBounds, DraftError, EditError, RateLimit};
use gatepost_ids::AccountsError;
use gatepost_storage::{ErrorKind, StoreError};

/// Why a key could not be created, read, changed or deleted.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// There is no such key, or none that the caller may know of.
    #[error("there is no such key")]
    NotFound,
    /// The caller may not make keys for this user.
    #[error("keys of this user are not the caller's to manage")]
    Forbidden,
    /// The key would reach further than the one by which the request came.
    #[error(transparent)]
    Beyond(#[from] BeyondBounds),
    /// A new key has taken the place of this one.
    #[error("the key was rolled already; roll the key that took its place")]
    AlreadyRolled,
    /// A disabled key is not rolled: the new one would be enabled.
    #[error("the key is disabled; enable it before it is rolled")]
    Disabled,
    /// Somebody else than its owner disabled the key, such as an administrator.
    #[error("an administrator disabled the key, and only an administrator can enable it")]
    Locked,
    /// The user has a key of that name.
    #[error("the user has a key of that name")]
    NameTaken,
    /// A key that is to be imported is another user's already.
    #[error("another user has the key of that token")]
    OthersToken,
    /// The user has as many keys as allowed.
    #[error("the user has {have} of {most} keys")]
    Full {
        /// How many the user has.
        have: u64,
        /// How many are allowed.
        most: u64,
    },
    /// The user's keys were changed too often within a minute.
    #[error("the keys of this user are changed too often")]
    TooFast {
        /// After how long they may be changed again.
        retry_after: Duration,
    },
    /// Each time the change was applied, another one was stored first. The same call may be
    /// repeated.
    #[error("the key is being changed by others; try again")]
    Contended,
    /// The key would have a higher limit of requests than the platform sets for each key.
    #[error("must be at most {most}")]
    OverLimit {
        /// The platform's.
        most: RateLimit,
    },
    /// The text is longer than 1 MiB.
    #[error("must be at most 1 MiB long; report it in parts")]
    TextTooLong,
    /// More than 1,000 different keys are in the text.
    #[error("must hold at most 1,000 keys; report it in parts")]
    TooManyFound,
    /// The user does not exist.
    #[error("user: there is no such user")]
    NoSuchOwner,
    /// The new key breaks a rule.
    #[error(transparent)]
    Draft(Arc<DraftError>),
    /// The edit breaks a rule; an expired key cannot be edited (SPEC 3).
    #[error(transparent)]
    Edit(Arc<EditError>),
    /// The platform could not say who the user is.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] Arc<StoreError>),
}

impl From<StoreError> for KeyError {
    fn from(error: StoreError) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::Conflict => Self::NameTaken,
            _ => Self::Store(Arc::new(error)),
        }
    }
}
