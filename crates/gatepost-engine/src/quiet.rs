//! How often the store is asked for what it did not announce: more rarely where nothing is found.

use std::time::Duration;

/// Polls in vain, one after the other, after which each fifth is made only: what other processes
/// store is announced, and polls are for what was not heard.
const QUIET: u32 = 60;
const RARELY: u32 = 5;

/// The pause before the next poll, after this many in vain.
pub(crate) fn pause(poll: Duration, in_vain: u32) -> Duration {
    match in_vain {
        0..QUIET => poll,
        _ => poll * RARELY,
    }
}
