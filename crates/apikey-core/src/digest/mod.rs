//! What a record stores instead of the key: a digest, and the scheme that made it.
//!
//! A slow password hash would buy nothing against 193 random bits; one block of SHA-256 (two
//! under a pepper) is enough, and is what makes authentication fast.

mod pepper;
mod pepper_id;
mod scheme;
mod sha256;
mod stored;

pub use pepper::{DigestMatch, Pepper, PepperError, Peppers};
pub use pepper_id::PepperId;
pub use scheme::{DigestScheme, ImportedScheme, SchemeError};
pub use stored::Digest;
