//! Client certificates, by which a target that requests one identifies the sender (mutual TLS).

mod certificate;
mod client;
mod der;
mod error;
mod name;

pub use certificate::ClientCertificate;
pub(crate) use client::Fingerprint;
pub use client::{ClientIdentity, MAX_CERTIFICATES, MAX_IDENTITY};
pub use error::ClientIdentityError;
