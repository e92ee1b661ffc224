//! The tests specific to this backend, and the contract that it shares with the others.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod audiences;
mod backup;
mod common;
mod contract;
mod damaged;
mod file;
#[cfg(unix)]
mod file_access;
mod hidden;
mod ids;
mod isolation;
mod keys;
mod log;
mod newer_process;
#[cfg(unix)]
mod open_errors;
mod outbox;
mod reseal;
mod sealed;
mod sessions;
mod store;
