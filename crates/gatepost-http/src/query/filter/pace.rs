//! Yielding while a filter runs.

use crate::error::Result;

/// Yields while a filter runs, or ends it.
pub(crate) trait Pace: Send {
    /// Counts the work for this many bytes.
    ///
    /// # Errors
    /// The filter has run for too long.
    fn spend(&mut self, bytes: usize) -> impl Future<Output = Result<()>> + Send;

    /// Runs uninterruptible long work where it delays no other request.
    ///
    /// # Errors
    /// The filter has run for too long.
    fn aside(
        &mut self,
        work: impl FnOnce() -> bool + Send + 'static,
    ) -> impl Future<Output = Result<bool>> + Send;
}

/// For tests: runs everything immediately.
#[cfg(test)]
pub(super) struct AtOnce;

#[cfg(test)]
impl Pace for AtOnce {
    async fn spend(&mut self, _bytes: usize) -> Result<()> {
        Ok(())
    }

    async fn aside(&mut self, work: impl FnOnce() -> bool + Send + 'static) -> Result<bool> {
        Ok(work())
    }
}

#[cfg(test)]
impl AtOnce {
    /// Returns the result of a future that never waits.
    pub(super) fn run<T, F>(work: impl FnOnce(Self) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        use std::task::{Context, Poll, Waker};
        let work = std::pin::pin!(work(Self));
        match work.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("it waits"),
        }
    }
}
