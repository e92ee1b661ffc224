//! What the examples share: a server, a receiver, a certificate, a small client.

pub mod certificate;
pub mod client;
pub mod receiver;
pub mod serve;
