//! What the examples share: a small platform, a server, a receiver, a certificate.

pub mod certificate;
#[cfg(feature = "full")]
pub mod platform;
pub mod receiver;
pub mod serve;
