//! The platform of the measurements: users in tenants, a store that is thrown away, records in
//! bulk.
#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a measurement stops where it cannot be taken"
)]

mod people;
mod place;
mod records;

pub use people::{ALONE, Everything, Users, audience_of, occurrence, tenant_of};
pub use place::{Kind, fresh_place, fresh_place_on, key_store, now, open};
pub use records::Platform;
