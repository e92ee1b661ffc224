//! The outcome of an attempt.

mod attempt;
mod captured;
mod class;
mod fault;

pub use attempt::{Attempt, AttemptOutcome, Protocol, Timings};
pub use captured::{CapturedBody, CapturedHead};
pub use class::{ErrorClass, TokenFault};
pub use fault::{ConnectFault, DnsFault, Phase, ProxyFault, TlsFault};
