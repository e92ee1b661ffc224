//! Storing the realms of owners, as the platform last reported them. An engine does this too; a
//! platform with keys only needs it for the lists of its tenants' administrators.

use apikey_core::OwnerId;
use chrono::{DateTime, Utc};
use gatepost_ids::{Account, Realm};
use gatepost_storage::{KeyStore, StoreError};

/// Stores the owner's realm, if it differs from the stored one.
///
/// For an account without a tenant nothing is stored, because the platform may have no tenants.
/// Only a stored tenant is replaced.
pub(super) async fn place(
    store: &dyn KeyStore,
    owner: OwnerId,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let stored = store.owner(owner).await?.map(|row| row.realm);
    let place = Realm::of(owner, account);
    let was_placed = stored.is_some_and(|stored| stored != Realm::Shared);
    if stored == Some(place) || (place.tenant().is_none() && !was_placed) {
        return Ok(());
    }
    store.assign_realm(owner, place, now).await
}
