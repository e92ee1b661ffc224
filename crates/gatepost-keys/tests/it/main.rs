//! The key service from outside, over the store in memory.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod caller_bounds;
#[path = "../../../../tests/src/captured_log.rs"]
mod captured_log;
mod disabled_keys;
mod guessing;
mod imports;
mod last_login;
mod leaks;
mod logins;
mod missing_peer;
mod narrower_keys;
mod optional;
mod quotas;
mod removed_owners;
mod request_limits;
mod rolls;
mod scopes;
mod shards;
mod tenants;
mod uniform_refusals;
mod uses;
mod without_tower;
mod world;
