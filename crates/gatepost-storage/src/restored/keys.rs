//! Keys that were deleted since.

use apikey_core::KeyId;
use chrono::{DateTime, Utc};

use crate::error::{ErrorKind, StoreError};
use crate::keys::KeyStore;

/// Deletes those of these keys that a backup has brought back, a commit each; returns how many.
/// One that is not there is no error: it was made and deleted after the backup, or an earlier call
/// has deleted it. Any number may be given, in as many calls as is convenient.
///
/// A row number is good for this because none is ever given twice, across a restore only if
/// [`restored`](crate::OwnerStore::restored) was called after it.
///
/// # Errors
/// `Unavailable`: to be called again with the same keys.
pub async fn delete_keys<S: KeyStore + ?Sized>(
    store: &S,
    keys: &[KeyId],
    now: DateTime<Utc>,
) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for key in keys {
        match store.delete_key(*key, now).await {
            Ok(()) => deleted += 1,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(deleted)
}
