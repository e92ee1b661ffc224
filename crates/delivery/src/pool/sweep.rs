//! Closes connections that have been idle too long, to release their descriptors.

use std::time::Duration;

use tokio::time::sleep;

/// The shortest pause between two sweeps.
const MIN_PAUSE: Duration = Duration::from_millis(50);

/// Calls `sweep` every half idle time until it returns that nothing is left.
pub(super) fn start(idle_for: Duration, sweep: impl Fn() -> Left + Send + 'static) {
    let pause = (idle_for / 2).max(MIN_PAUSE);
    tokio::spawn(async move {
        loop {
            sleep(pause).await;
            if sweep() == Left::Nothing {
                return;
            }
        }
    });
}

/// The remaining connections after a sweep.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Left {
    Nothing,
    Some,
}
