//! The kit on the adapter in memory, and its controls.
#![allow(clippy::unwrap_used, reason = "tests")]

mod commits;
mod controls;
mod faults;
mod file;
mod limits;
mod optimistic;
mod right;
mod runs;
mod spans;
mod store;
