//! The kit on the adapter in memory, and its controls.
#![allow(clippy::unwrap_used, reason = "tests")]

mod commits;
mod controls;
mod correct_stores;
mod faults;
mod file;
mod key_ranges;
mod limits;
mod optimistic;
mod runs;
mod store;
