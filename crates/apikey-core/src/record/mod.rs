//! The record of a key: what a platform stores, how it comes to be, and how it may change.

mod api_key;
mod bounds;
mod draft;
mod edit;
mod expiration;
mod roll;
mod state;
mod text;

pub use api_key::{ApiKey, LastLogin};
pub use bounds::{BeyondBounds, Bounds};
pub use draft::{DraftError, KeyDraft};
pub use edit::{EditError, KeyEdit};
pub use expiration::{Expiration, ExpirationError};
pub use roll::{Overlap, OverlapError, Successor};
pub use state::{IllegalMove, KeyMove, KeyState};
pub use text::{Description, DescriptionError, KeyName, NameError};
