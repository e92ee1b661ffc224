//! The version of the tables, at which an older process stops if a later one has written.

use gatepost_storage::{ErrorKind, StoreError};

use super::error::{Outcome, answered, store_error};
use super::key::Key;
use super::numbers;
use super::tables::META;
use crate::contract::{Kv, View};
use crate::error::KvError;
use crate::run::KvExt as _;

/// The version that this code reads and writes.
const VERSION: i64 = 1;

/// Writes the version into a store that has none, or an earlier one.
pub(super) fn claim(kv: &dyn Kv) -> Result<(), StoreError> {
    let found = kv.write(|change| {
        let found = answered(stored(change))?;
        if let Ok(..VERSION) = found {
            change.put(META, key().bytes(), &VERSION.to_be_bytes())?;
        }
        Ok(found)
    });
    let found = found.map_err(|e| store_error(&e))??;
    if found > VERSION {
        return Err(unsupported());
    }
    Ok(())
}

/// Returns whether a later version has written to the store.
pub(super) fn is_later(view: &dyn View) -> Result<bool, KvError> {
    let found = answered(stored(view))?.map_err(KvError::corrupt)?;
    Ok(found > VERSION)
}

pub(super) fn unsupported() -> StoreError {
    StoreError::new(
        ErrorKind::Unsupported,
        "a later version has written to the store",
    )
}

fn stored(view: &dyn View) -> Outcome<i64> {
    numbers::kept(view, META, key().bytes())
}

fn key() -> Key {
    Key::new().text("version")
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::contract::Step;
    use crate::{KeyRange, Table};

    /// A database that finds a conflict at a read.
    struct Conflicting;

    impl View for Conflicting {
        fn get(&self, _: Table, _: &[u8]) -> Result<Option<Bytes>, KvError> {
            Err(KvError::Conflict)
        }

        fn scan(&self, _: Table, _: &KeyRange, _: &mut Step<'_>) -> Result<(), KvError> {
            Err(KvError::Conflict)
        }
    }

    #[test]
    fn conflict_while_reading_the_version_stays_a_conflict() {
        assert!(matches!(is_later(&Conflicting), Err(KvError::Conflict)));
    }
}
