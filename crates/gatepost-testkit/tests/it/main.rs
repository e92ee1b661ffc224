//! The kit itself: the reference store keeps the contract, every clause catches its mutant, the
//! model finds a store that returns other results, and the README lists every clause.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod machine;
mod memory;
mod model;
mod mutants;
mod readme;
mod sentences;
mod sessions;
mod unreadable;
