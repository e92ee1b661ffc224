//! The stored digest of a key, and the scheme that made it.
//!
//! A slow password hash would add nothing for 193 random bits; one block of SHA-256 (two with a
//! pepper) is enough, and makes authentication fast.

mod pepper;
mod pepper_id;
mod scheme;
mod sha256;
mod stored;

pub use pepper::{DigestMatch, Pepper, PepperError, Peppers};
pub use pepper_id::PepperId;
pub use scheme::{DigestScheme, ImportedScheme, SchemeError};
pub use stored::Digest;
