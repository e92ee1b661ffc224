//! Slows guessing down: by address and by account, with growing delays, and without a way to lock
//! an owner out.
//!
//! What people choose, such as a password, can be guessed: while an address or an account is over
//! its limit, passwords are not even checked. From where an account has logged in before it has a
//! budget of its own, which no stranger can use up. What nobody chose, such as a key or a session's
//! token, cannot be guessed: it is always checked, a good one always passes, and a wrong one counts
//! once against its address, however often it is presented.

mod attempt;
mod book;
mod counter;
mod known;
mod limiter;
mod limits;
mod pair;
mod table;
#[cfg(test)]
mod tests;

pub use attempt::{Attempt, RetryAfter};
pub use limiter::GuessLimiter;
pub use limits::{FailureLimit, GuessLimits};
