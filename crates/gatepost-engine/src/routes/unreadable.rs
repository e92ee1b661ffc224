//! Rows that cannot be read.

use gatepost_storage::{ErrorKind, StoreError};

/// Skips an unreadable row, so that it runs nothing, and stops nothing else.
pub(crate) fn readable<T>(row: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match row {
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(None),
        row => row,
    }
}
