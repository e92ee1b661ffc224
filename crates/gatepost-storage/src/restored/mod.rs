//! What to do about a backup that was put back, before anything is served from it: it is the state
//! of an earlier moment, and does not know what was done since.
//!
//! First comes [`OwnerStore::restored`](crate::OwnerStore::restored), which passes over the numbers
//! that were given since. Then what the platform knows from its own logs is done again:
//! [`delete_keys`], [`end_deliveries`]. No process may work with the store until then.

#[cfg(feature = "webhooks")]
mod deliveries;
#[cfg(feature = "keys")]
mod keys;

#[cfg(feature = "webhooks")]
pub use deliveries::{EndedDeliveries, end_deliveries};
#[cfg(feature = "keys")]
pub use keys::delete_keys;
