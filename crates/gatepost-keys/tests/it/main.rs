//! The key service from outside, over the store in memory.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod admitted;
mod bounded;
mod disabled_keys;
mod gone;
mod guessing;
#[path = "../../../../tests/src/heard.rs"]
mod heard;
mod imports;
mod last_login;
mod leaks;
mod logins;
mod narrower_keys;
mod no_peer;
mod one_shape;
mod optional;
mod placing;
mod quotas;
mod request_limits;
mod rolls;
mod scopes;
mod slices;
mod uses;
mod world;
