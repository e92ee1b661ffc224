//! Helpers of several tests. Every binary that includes a file uses all of it.

pub(crate) mod byte_receiver;
pub(crate) mod certs;
pub(crate) mod client_certificates;
pub(crate) mod frames;
pub(crate) mod receiver;
pub(crate) mod request;
pub(crate) mod spellings;
pub(crate) mod tls;
pub(crate) mod wire;
