//! The store in memory where the contract's clauses do not reach.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;
mod in_order;
mod lanes;
mod outbox;
mod retention;
