//! The version of the tables, at which an older process stops if a later one has written.

use gatepost_storage::{ErrorKind, StoreError};

use super::error::{Outcome, store_error};
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
        let found = stored(change);
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
    let found = stored(view).map_err(KvError::corrupt)?;
    Ok(found > VERSION)
}

pub(super) fn unsupported() -> StoreError {
    StoreError::new(
        ErrorKind::Unsupported,
        "a later version has written to the store",
    )
}

fn stored(view: &dyn View) -> Result<i64, StoreError> {
    let kept: Outcome<i64> = numbers::kept(view, META, key().bytes());
    Ok(kept?)
}

fn key() -> Key {
    Key::new().text("version")
}
