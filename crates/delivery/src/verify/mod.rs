//! The receiving side: checks the signature of a delivery (Standard Webhooks).

mod key;
mod verifier;

pub use key::VerifyKey;
pub use verifier::{Verified, Verifier, VerifyError};

#[cfg(test)]
mod tests;
