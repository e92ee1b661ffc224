//! redb's errors as those of the contract.

use gatepost_storage::{ErrorKind, StoreError};

/// What every call returns.
pub(super) type Answer<T> = Result<T, StoreError>;

/// What redb reports: damage is `Corrupt`, everything else may pass.
pub(super) fn failed(error: impl Into<redb::Error>) -> StoreError {
    let error = error.into();
    let kind = match error {
        redb::Error::Corrupted(_) | redb::Error::UpgradeRequired(_) => ErrorKind::Corrupt,
        _ => ErrorKind::Unavailable,
    };
    StoreError::new(kind, "redb").with_source(error)
}

pub(super) fn panicked(error: tokio::task::JoinError) -> StoreError {
    StoreError::new(ErrorKind::Unavailable, "the call ended too early").with_source(error)
}
