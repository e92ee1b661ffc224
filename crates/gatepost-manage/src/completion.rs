//! Running changes to completion, and containing panics.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tracing::Instrument;
use webhook_model::Invalid;

use crate::error::ManageError;

/// The timeout for the platform's code.
const PATIENCE: Duration = Duration::from_secs(5);

/// The result of an operation, once it is awaited. Boxed: an `async fn` would be compiled again in
/// every crate that calls it.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ManageError>> + Send + 'a>>;

/// An edit of a record. Boxed for the same reason.
pub(crate) type Edit<R> = Box<dyn FnMut(&mut R) -> Result<(), Invalid> + Send>;

/// Runs a change to completion on a separate task, even if the caller disconnects.
pub(crate) fn finish<T: Send + 'static>(
    change: impl Future<Output = Result<T, ManageError>> + Send + 'static,
) -> Answer<'static, T> {
    let change = contain(change);
    Box::pin(async move {
        let task = tokio::spawn(change.in_current_span());
        task.await.unwrap_or(Err(ManageError::Panicked))
    })
}

/// Converts a panic into an error, and logs errors of Gatepost.
pub(crate) fn contain<'a, T: 'a>(
    work: impl Future<Output = Result<T, ManageError>> + Send + 'a,
) -> Answer<'a, T> {
    Box::pin(async move {
        let result = caught(work).await.unwrap_or(Err(ManageError::Panicked));
        result.inspect_err(ManageError::log)
    })
}

/// Returns the answer of the platform's code; `None` if it panics or takes longer than five
/// seconds.
pub(crate) async fn ask<T>(answer: impl Future<Output = T>) -> Option<T> {
    let answer = tokio::time::timeout(PATIENCE, caught(answer)).await;
    answer.ok().flatten()
}

/// Returns `None` if the future panics.
pub(crate) async fn caught<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Some),
            Err(_) => Poll::Ready(None),
        },
    )
    .await
}
