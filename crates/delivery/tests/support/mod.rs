//! What several tests need. Each file is used whole by every binary that takes it in.

pub(crate) mod asking;
pub(crate) mod byte_receiver;
pub(crate) mod certs;
pub(crate) mod frames;
pub(crate) mod receiver;
pub(crate) mod request;
pub(crate) mod spellings;
pub(crate) mod tls;
pub(crate) mod wire;
