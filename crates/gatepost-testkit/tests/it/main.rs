//! The test kit itself: the reference store keeps the contract, every contract test catches its
//! mutant, the model finds a store that returns other results, and the sentences are those of the
//! code.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod documented;
mod machine;
mod memory;
mod model;
mod mutants;
mod sentences;
mod sessions;
mod unreadable;
