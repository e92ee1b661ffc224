//! The poll interval for unannounced work: longer while nothing is found.

use std::time::Duration;

/// Consecutive polls without a result after which only every fifth is made: other processes
/// announce their work, and polls find what was not received.
const QUIET: u32 = 60;
const RARELY: u32 = 5;

/// Returns the pause before the next poll, after this many without a result.
pub(crate) fn pause(poll: Duration, in_vain: u32) -> Duration {
    match in_vain {
        0..QUIET => poll,
        _ => poll * RARELY,
    }
}
