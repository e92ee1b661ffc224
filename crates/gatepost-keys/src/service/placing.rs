//! Where an owner stands is what the platform said last. An engine places owners too; a platform
//! that has keys alone needs it for the lists of its tenants' administrators.

use apikey_core::OwnerId;
use chrono::{DateTime, Utc};
use gatepost_ids::{Account, Place};
use gatepost_storage::{KeyStore, StoreError};

/// Stores where the owner stands, if it is not what is stored.
///
/// Of an account without a tenant nothing is stored: there may be no tenants at all. Only where the
/// platform had named a tenant before is that taken back.
pub(super) async fn place(
    store: &dyn KeyStore,
    owner: OwnerId,
    account: &Account,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let stored = store.owner(owner).await?.map(|row| row.place);
    let place = Place::of(owner, account);
    let was_placed = stored.is_some_and(|stored| stored != Place::Common);
    if stored == Some(place) || (place.tenant().is_none() && !was_placed) {
        return Ok(());
    }
    store.place_owner(owner, place, now).await
}
