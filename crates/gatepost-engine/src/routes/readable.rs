//! Rows that cannot be read.

use gatepost_storage::{ErrorKind, StoreError};

/// A row that cannot be read runs nothing, and stops nothing else.
pub(crate) fn readable<T>(row: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match row {
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(None),
        row => row,
    }
}
