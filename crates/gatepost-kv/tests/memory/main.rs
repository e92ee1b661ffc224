//! Tests of the store in memory beyond the contract.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;
mod in_order;
mod outbox;
mod queues;
mod retention;
