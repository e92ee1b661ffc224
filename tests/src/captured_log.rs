//! Traces of the thread of a test. The tests of several crates include this file.

use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};
use tracing::{Dispatch, Subscriber};

/// Subscribes to the traces of this thread until the returned guard is dropped. A second subscriber
/// exists, too: with a single one, tracing asks the thread that reaches a callsite first, which may
/// have none.
pub(crate) fn heard(
    subscriber: impl Subscriber + Send + Sync + 'static,
) -> (DefaultGuard, Dispatch) {
    let guard = set_default(subscriber);
    (guard, Dispatch::new(NoSubscriber::new()))
}
