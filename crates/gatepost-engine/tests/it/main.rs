//! The engine over real receivers and, for the most part, the memory store.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod engine;
mod faults;
mod panics;
mod pause;
mod platform;
mod robustness;
mod support;
mod time;
mod walls;
