//! Signatures of deliveries (Standard Webhooks): `v1` HMAC-SHA-256 and `v1a` Ed25519.

mod key;
mod keys;
mod text;

pub use key::{SigningKey, SigningKeyError};
pub use keys::SigningKeys;
#[cfg(feature = "verify")]
pub(crate) use text::{alone, decode};

#[cfg(test)]
mod tests;
