//! The platform of the measurements: users in tenants, a store that is thrown away, records in
//! bulk.
#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a measurement stops where it cannot be taken"
)]

mod records;
mod store_location;
mod users;

pub use records::Platform;
pub use store_location::{Kind, fresh_place, fresh_place_on, key_store, now, open};
pub use users::{ALONE, Everything, Users, audience_of, occurrence, tenant_of};
