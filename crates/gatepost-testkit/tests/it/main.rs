//! The kit itself: the reference store keeps the contract, every clause catches its mutant, the
//! model tells a store that answers differently, and the README lists what there is.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod memory;
mod model;
mod mutants;
mod readme;
