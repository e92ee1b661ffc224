//! The console in Chromium.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod access;
mod direction;
mod fields;
mod forms;
mod hostile;
mod journeys;
mod kept;
mod lists;
mod live;
mod once;
mod others;
mod rows;
mod way;
mod wide;
