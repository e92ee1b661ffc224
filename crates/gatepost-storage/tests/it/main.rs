//! The reference store where the contract's clauses do not reach.
#![cfg(feature = "webhooks")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;
mod in_order;
mod lanes;
mod outbox;
mod retention;
