//! Cooperative scheduling: long work is divided, and other tasks run between two pieces; work that
//! cannot be divided runs on a blocking thread.

/// The size of a piece, in bytes that are parsed or rendered: about a millisecond.
pub(crate) const PIECE: usize = 128 * 1024;

/// Counts the work since other tasks last ran.
#[derive(Debug, Default)]
pub(crate) struct GiveWay {
    since: usize,
}

impl GiveWay {
    /// Yields after as many bytes as make a piece.
    pub(crate) async fn after(&mut self, bytes: usize) {
        self.since = self.since.saturating_add(bytes);
        if self.since >= PIECE {
            self.since = 0;
            tokio::task::yield_now().await;
        }
    }
}

/// Does work on a message of this many bytes: immediately if it is small, otherwise on a separate
/// thread. A panic is the caller's.
pub(crate) async fn apart<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= PIECE {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and with it all waiting callers.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[tokio::test]
    async fn work_yields_between_pieces_and_large_work_offloads() {
        let mut context = Context::from_waker(Waker::noop());
        let mut turns = GiveWay::default();
        assert!(pin!(turns.after(PIECE - 1)).poll(&mut context).is_ready());
        assert!(pin!(turns.after(1)).poll(&mut context).is_pending());
        assert!(
            pin!(turns.after(1)).poll(&mut context).is_ready(),
            "a new count"
        );
        assert_eq!(pin!(apart(PIECE, || 7)).poll(&mut context), Poll::Ready(7));
        let (go, told) = std::sync::mpsc::channel();
        let mut large = pin!(apart(PIECE + 1, move || told.recv().map_or(0, |()| 7)));
        assert!(large.as_mut().poll(&mut context).is_pending());
        go.send(()).unwrap();
        assert_eq!(large.await, 7);
    }
}
