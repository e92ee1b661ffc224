#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a clause panics where a store breaks the contract"
)]

mod clause;
mod errors;
pub mod fault;
mod fixtures;
mod harness;
pub mod keys;
mod list;
pub mod log;
pub mod model;
pub mod outbox;
pub mod queue;
pub mod records;
mod report;
pub mod webhooks_kept;

pub use clause::{Clause, Outcome, Run, block_on, key_clauses, prove, webhook_clauses};
pub use harness::{Harness, Webhooks};
pub use report::{Finding, Report, run_all};
