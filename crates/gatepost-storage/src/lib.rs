#![doc = include_str!("../README.md")]
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "backends build and read these: one that misses a new field or case must not compile"
)]

pub mod audit;
pub mod clock;
#[cfg(any(feature = "keys", feature = "webhooks"))]
pub mod codec;
#[cfg(feature = "webhooks")]
pub mod columns;
pub mod error;
pub mod owners;
pub mod page;

#[cfg(feature = "keys")]
mod key_row;
#[cfg(feature = "keys")]
mod key_use;
#[cfg(feature = "keys")]
pub mod keys;
#[cfg(feature = "keys")]
pub mod recent_changes;
#[cfg(feature = "webhooks")]
pub mod restored;
#[cfg(feature = "webhooks")]
pub mod seal;
#[cfg(feature = "webhooks")]
mod sealed;
pub mod sessions;
#[cfg(feature = "serde")]
pub mod stored;
#[cfg(feature = "webhooks")]
pub mod webhooks;

pub use audit::AuditStore;
pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{ErrorKind, StoreError};
#[cfg(feature = "keys")]
pub use keys::KeyStore;
pub use owners::OwnerStore;
pub use page::{AtMost, Bodies, Order, Page, Revision, Row, Scope};
#[cfg(feature = "keys")]
pub use recent_changes::RecentChanges;
#[cfg(feature = "webhooks")]
pub use sealed::SealedMessages;
pub use sessions::SessionStore;
#[cfg(feature = "webhooks")]
pub use webhooks::WebhookStore;
