//! Errors of key management.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{DraftError, EditError, ExceedsCaller, RateLimit};
use gatepost_ids::AccountsError;
use gatepost_storage::{ErrorKind, StoreError};

/// The reason why a key could not be created, read, changed or deleted.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The key does not exist, or the caller may not know of it.
    #[error("there is no such key")]
    NotFound,
    /// The caller may not create keys for this user.
    #[error("keys of this user are not the caller's to manage")]
    Forbidden,
    /// The key would have more permissions than the key of the request.
    #[error(transparent)]
    Beyond(#[from] ExceedsCaller),
    /// The key was rolled already.
    #[error("the key was rolled already; roll the key that replaced it")]
    AlreadyRolled,
    /// A disabled key cannot be rolled: the new one would be enabled.
    #[error("the key is disabled; enable it before it is rolled")]
    Disabled,
    /// A user other than its owner disabled the key, such as an administrator.
    #[error("an administrator disabled the key, and only an administrator can enable it")]
    Locked,
    /// The user has a key of that name.
    #[error("the user has a key of that name")]
    NameTaken,
    /// The imported token is already stored for another user.
    #[error("another user has the key of that token")]
    OthersToken,
    /// The user has the maximum number of keys.
    #[error("the user has {have} of {most} keys")]
    Full {
        /// The number of the user's keys.
        have: u64,
        /// The maximum number.
        most: u64,
    },
    /// The user's keys were changed too often within a minute.
    #[error("the keys of this user are changed too often")]
    TooFast {
        /// The time after which they may be changed again.
        retry_after: Duration,
    },
    /// Each time the change was applied, another change was stored first. The caller may repeat the
    /// call.
    #[error("the key is being changed by others; try again")]
    Contended,
    /// The key would have a higher request limit than the platform allows for each key.
    #[error("must be at most {most}")]
    OverLimit {
        /// The platform's limit.
        most: RateLimit,
    },
    /// The text is longer than 1 MiB.
    #[error("must be at most 1 MiB long; report it in parts")]
    TextTooLong,
    /// The text contains more than 1,000 different keys.
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
    /// The platform could not look up the user.
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
