//! The tests specific to this backend, and the contract that it shares with the others.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod backup;
mod common;
mod contract;
mod damaged;
mod file;
mod hidden;
mod ids;
mod log;
#[cfg(unix)]
mod modes;
mod newer;
mod outbox;
mod reseal;
mod sealed;
mod sessions;
mod store;
mod turns;
#[cfg(unix)]
mod unopened;
mod walls;
