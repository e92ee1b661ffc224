//! The tests specific to this backend, and the contract that it shares with the others. The server
//! is the one that `GATEPOST_TEST_POSTGRES_URL` names, or a new one.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod audiences;
mod changes;
mod chaos;
mod common;
mod contract;
mod costs;
mod given_up;
#[path = "../../../../tests/src/heard.rs"]
mod heard;
mod in_order;
mod leased;
mod locks;
mod newer;
mod nodes;
mod parts;
mod plans;
mod pooled;
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
mod turns;
mod two_processes;
mod unanswered;
mod unreachable;
mod walls;
