//! By what a target recognises who sends, where it asks for a certificate (mutual TLS).

mod certificate;
mod client;
mod der;
mod error;
mod name;

pub use certificate::ClientCertificate;
pub(crate) use client::Fingerprint;
pub use client::{ClientIdentity, MAX_CERTIFICATES, MAX_IDENTITY};
pub use error::ClientIdentityError;
