//! The console in Chromium.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod access;
mod forms;
mod hostile;
mod live;
mod once;
mod others;
mod rows;
mod way;
