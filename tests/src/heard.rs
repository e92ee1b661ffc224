//! What is traced on the thread of a test. The tests of several crates take this file in.

use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};
use tracing::{Dispatch, Subscriber};

/// Gives it to this subscriber until what is returned is dropped. A second one is there, too: where
/// there is one alone, tracing asks the thread that comes to a place first, which may have none.
pub(crate) fn heard(
    subscriber: impl Subscriber + Send + Sync + 'static,
) -> (DefaultGuard, Dispatch) {
    let guard = set_default(subscriber);
    (guard, Dispatch::new(NoSubscriber::new()))
}
