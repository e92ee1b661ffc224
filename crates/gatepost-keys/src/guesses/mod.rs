//! A limiter of guesses, by address and by account, with growing delays. Nobody can use it to lock
//! an owner out.
//!
//! Secrets that people choose, such as passwords, can be guessed: while an address or an account is
//! over its limit, passwords are not checked at all. An account has a separate budget for networks
//! where it has logged in before, which no stranger can use up. Random secrets, such as keys and
//! session tokens, cannot be guessed: they are always checked, a valid one always passes, and a
//! wrong one counts once for its address, however often it is presented.

mod attempt;
mod counter;
mod counters;
mod known_networks;
mod limiter;
mod limits;
mod pair;
mod table;
#[cfg(test)]
mod tests;

pub use attempt::{Attempt, RetryAfter};
pub use limiter::GuessLimiter;
pub use limits::{FailureLimit, GuessLimits};
