//! The parts that the examples share: a server, a receiver, a certificate, a small client.
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "not published"
)]

#[cfg(feature = "full")]
pub mod callers;
pub mod certificate;
pub mod client;
pub mod compression;
pub mod descriptors;
#[cfg(feature = "full")]
mod login_page;
#[cfg(feature = "full")]
mod open_sessions;
pub mod passwords;
#[cfg(feature = "full")]
pub mod platform;
pub mod private;
mod processors;
pub mod receiver;
#[cfg(feature = "full")]
pub mod sealing;
pub mod serve;
#[cfg(feature = "full")]
pub mod session;
pub mod story;
#[cfg(feature = "full")]
pub mod tables;
#[cfg(feature = "full")]
pub mod tokens;
