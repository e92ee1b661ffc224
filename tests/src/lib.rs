//! Harnesses that the tests of the whole share.

pub mod postgres;
pub mod powercut;
