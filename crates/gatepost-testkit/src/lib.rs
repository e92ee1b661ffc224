#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a contract test panics if a store breaks the contract"
)]

pub mod audit;
mod conformance;
mod contract_test;
pub mod fault;
pub mod fields;
pub mod fixtures;
mod harness;
pub mod keys;
mod list;
pub mod log;
pub mod model;
pub mod outbox;
mod outcome;
pub mod owners;
pub mod queue;
pub mod records;
mod report;
mod runtime;
mod scenario;
mod secrecy;
mod sentence;
mod sessions;
pub mod webhooks_kept;
pub mod whole;
mod world;

pub use contract_test::{
    ContractTest, Run, audit_contract, key_contract, prove, unreadable_contract, webhook_contract,
};
pub use harness::{Harness, Webhooks};
pub use outcome::{Finding, Outcome};
pub use report::{Report, run_all};
pub use runtime::block_on;
pub use sessions::prove_sessions;
