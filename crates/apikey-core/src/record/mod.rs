//! The record of a key: its fields, its creation, and its changes.

mod api_key;
mod bounds;
mod draft;
mod edit;
mod expiration;
mod roll;
mod state;
mod text;

pub use api_key::{ApiKey, LastLogin};
pub use bounds::{Bounds, ExceedsCaller};
pub use draft::{DraftError, KeyDraft};
pub use edit::{EditError, KeyEdit};
pub use expiration::{Expiration, ExpirationError};
pub use roll::{Overlap, OverlapError, Successor};
pub use state::{InvalidTransition, KeyMove, KeyState};
pub use text::{Description, DescriptionError, KeyName, NameError};
