//! What is specific to this backend, and the contract that it shares with the others.
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
mod log;
#[cfg(unix)]
mod modes;
mod newer;
#[path = "../../../../tests/src/of_before.rs"]
mod of_before;
mod reseal;
mod sealed;
mod store;
#[cfg(unix)]
mod unopened;
mod version_1;
mod version_2;
mod walls;
