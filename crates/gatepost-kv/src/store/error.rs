//! The reasons why a command stops.

use gatepost_storage::{ErrorKind, StoreError};

use crate::error::KvError;

/// The reason why a command stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// Refused by its own rules: the other commands of the commit continue.
    Refused(StoreError),
    /// An error of the database: nothing of the change is stored.
    Database(KvError),
}

pub(super) type Outcome<T> = Result<T, Stop>;

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<KvError> for Stop {
    fn from(error: KvError) -> Self {
        Self::Database(error)
    }
}

impl From<Stop> for StoreError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(error) => error,
            Stop::Database(error) => store_error(&error),
        }
    }
}

/// Separates what the command itself answers from an error of the database.
pub(super) fn answered<T>(outcome: Outcome<T>) -> Result<Result<T, StoreError>, KvError> {
    match outcome {
        Ok(done) => Ok(Ok(done)),
        Err(Stop::Refused(error)) => Ok(Err(error)),
        Err(Stop::Database(error)) => Err(error),
    }
}

/// Returns the error of a row that no writer can have written.
pub(super) fn damaged(what: &'static str) -> Stop {
    Stop::Refused(StoreError::corrupt(what, "damaged"))
}

/// Returns the error of a database as a store's error.
pub(super) fn store_error(error: &KvError) -> StoreError {
    let kind = match error {
        KvError::Corrupt(_) => ErrorKind::Corrupt,
        // Too large for one change.
        KvError::Invalid { .. } => ErrorKind::Invalid,
        _ => ErrorKind::Unavailable,
    };
    let source = std::error::Error::source(error);
    let cause = source.map_or_else(|| error.to_string(), ToString::to_string);
    let failed = StoreError::new(kind, "the database").with_source(cause);
    match error {
        KvError::CommitUnknown(_) => failed.in_doubt(),
        _ => failed,
    }
}
