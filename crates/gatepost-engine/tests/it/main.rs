//! The engine over real receivers and, for the most part, the memory store.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod clock;
mod engine;
mod faults;
#[path = "../../../../tests/src/heard.rs"]
mod heard;
mod messages;
mod observers;
mod operational_events;
mod panics;
mod pause;
mod platform;
mod retries;
mod robustness;
mod secrets;
mod support;
mod time;
mod traces;
mod walls;
