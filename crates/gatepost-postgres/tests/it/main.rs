//! The tests specific to this backend, and the contract that it shares with the others. The server
//! is the one that `GATEPOST_TEST_POSTGRES_URL` names, or a new one.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod audience_turns;
mod audiences;
mod behind_pooler;
mod cancelled_lists;
#[path = "../../../../tests/src/captured_log.rs"]
mod captured_log;
mod changes;
mod chaos;
mod common;
mod contract;
mod costs;
mod in_order;
mod isolation;
mod lease_batches;
mod locks;
mod lost_answers;
mod newer_process;
mod nodes;
mod partitions;
mod plans;
mod pooler;
#[path = "../../../../tests/src/postgres.rs"]
pub mod postgres;
mod queue;
mod races;
mod schema;
mod session;
mod sessions;
mod settle;
mod share;
#[path = "../../src/log/list/source.rs"]
mod source;
mod tls;
mod two_processes;
mod unreachable;
mod wakes;
