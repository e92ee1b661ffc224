//! How a filter works beside other requests.

use crate::error::ApiError;

/// Lets others have their turn while a filter works, or ends it.
pub(crate) trait Pace: Send {
    /// Counts the work of looking at this many bytes.
    ///
    /// # Errors
    /// When the filter has worked for too long.
    fn spend(&mut self, bytes: usize) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Does what may take long and cannot be interrupted where it holds up nobody.
    ///
    /// # Errors
    /// When the filter has worked for too long.
    fn aside(
        &mut self,
        work: impl FnOnce() -> bool + Send + 'static,
    ) -> impl Future<Output = Result<bool, ApiError>> + Send;
}

/// For tests: everything at once.
#[cfg(test)]
pub(super) struct AtOnce;

#[cfg(test)]
impl Pace for AtOnce {
    async fn spend(&mut self, _bytes: usize) -> Result<(), ApiError> {
        Ok(())
    }

    async fn aside(
        &mut self,
        work: impl FnOnce() -> bool + Send + 'static,
    ) -> Result<bool, ApiError> {
        Ok(work())
    }
}

#[cfg(test)]
impl AtOnce {
    /// The result of what never waits.
    pub(super) fn run<T, F>(work: impl FnOnce(Self) -> F) -> Result<T, ApiError>
    where
        F: Future<Output = Result<T, ApiError>>,
    {
        use std::task::{Context, Poll, Waker};
        let work = std::pin::pin!(work(Self));
        match work.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("it waits"),
        }
    }
}
