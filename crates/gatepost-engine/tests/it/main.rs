//! The engine over real receivers and, for the most part, the memory store.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../../../../tests/src/captured_log.rs"]
mod captured_log;
mod clock;
mod engine;
mod faults;
mod isolation;
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
