//! Guards for the platform's code, which may panic or hang: its metrics recorder, its log
//! subscriber, its clock, its answers about users. A panic there costs the metric, the log line,
//! the reading or the answer, never a delivery: every such call between a claim and its settlement
//! is guarded here, and every question.

use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tracing::Span;

/// How long the platform may take to answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the result of `call`; `None` if it panicked.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// The reason why the platform's code gave no answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Silence {
    Panicked,
    TooLate,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Panicked => "its code panicked",
            Self::TooLate => "no answer within 5 seconds",
        })
    }
}

/// A future of the platform's: it may panic when it is polled, and when it is dropped.
pub(crate) struct Lent<'a, T>(Option<Pin<Box<dyn Future<Output = T> + Send + 'a>>>);

impl<'a, T> Lent<'a, T> {
    pub(crate) fn new(future: Pin<Box<dyn Future<Output = T> + Send + 'a>>) -> Self {
        Self(Some(future))
    }

    /// Waits for it, for at most [`PATIENCE`].
    pub(crate) async fn answer(self) -> Result<T, Silence> {
        let answer = tokio::time::timeout(PATIENCE, self).await;
        answer
            .map_err(|_| Silence::TooLate)?
            .ok_or(Silence::Panicked)
    }
}

impl<T> Future for Lent<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(future) = &mut self.0 else {
            return Poll::Ready(None);
        };
        guarded(|| future.as_mut().poll(context)).map_or(Poll::Ready(None), |poll| poll.map(Some))
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        guarded(|| drop(self.0.take()));
    }
}

/// Runs a future until it has to wait, and the rest of it in a separate task. `true` if there was
/// no rest.
pub(crate) fn run_now(future: impl Future<Output = ()> + Send + 'static) -> bool {
    let mut future = Box::pin(future);
    let first = future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    if first.is_pending() {
        // Neither the caller nor a shutdown waits for it.
        tokio::spawn(future);
    }
    first.is_ready()
}

/// A span in which a future runs, as with `tracing::Instrument`; but a subscriber that panics when
/// the span is entered, left or closed harms neither the future nor the process.
#[derive(Debug)]
pub(crate) struct GuardedSpan(Option<Span>);

impl GuardedSpan {
    pub(crate) fn new(make: impl FnOnce() -> Span) -> Self {
        Self(guarded(make))
    }

    /// Returns the result of `call` on the span; `None` if there is none, or it panicked.
    pub(crate) fn with<T>(&self, call: impl FnOnce(&Span) -> T) -> Option<T> {
        let span = self.0.as_ref()?;
        guarded(|| call(span))
    }

    /// Runs a future. It is pinned by the caller: moving a large one costs.
    pub(crate) async fn run<F: Future>(self, mut future: Pin<&mut F>) -> F::Output {
        poll_fn(|context| {
            let _entered = self.0.as_ref().and_then(Entered::new);
            future.as_mut().poll(context)
        })
        .await
    }
}

impl Drop for GuardedSpan {
    fn drop(&mut self) {
        guarded(|| drop(self.0.take()));
    }
}

struct Entered<'a>(Option<tracing::span::Entered<'a>>);

impl<'a> Entered<'a> {
    fn new(span: &'a Span) -> Option<Self> {
        guarded(|| span.enter()).map(|entered| Self(Some(entered)))
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        guarded(|| drop(self.0.take()));
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    /// Panics at every call except the one that creates a span.
    struct Panics(Arc<AtomicUsize>);

    impl Panics {
        fn panic(&self) -> ! {
            self.0.fetch_add(1, Ordering::SeqCst);
            panic!("the platform's subscriber")
        }
    }

    impl Subscriber for Panics {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &Event<'_>) {
            self.panic()
        }

        fn enter(&self, _: &Id) {
            self.panic()
        }

        fn exit(&self, _: &Id) {
            self.panic()
        }

        fn try_close(&self, _: Id) -> bool {
            self.panic()
        }
    }

    #[tokio::test]
    async fn panicking_subscriber_changes_nothing_inside_the_span() {
        let calls = Arc::new(AtomicUsize::new(0));
        let _subscriber = tracing::subscriber::set_default(Panics(calls.clone()));
        // With only one dispatcher, tracing asks the thread that reaches a callsite first, which
        // may have none.
        let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
        let span = GuardedSpan::new(|| tracing::info_span!("test"));
        let run = pin!(async {
            tokio::task::yield_now().await;
            guarded(|| tracing::info!("lost"));
            7
        });
        assert_eq!(span.run(run).await, 7);
        assert_eq!(
            calls.load(Ordering::SeqCst),
            4,
            "entered twice, one event, closed"
        );
    }

    /// Panics when it is polled, or else when it is dropped.
    struct Bomb(bool);

    impl Future for Bomb {
        type Output = u8;

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u8> {
            assert!(!self.0, "when polled");
            Poll::Ready(7)
        }
    }

    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(self.0, "when dropped");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn future_that_panics_or_hangs_gives_no_answer() {
        let polled = Lent::new(Box::pin(Bomb(true)));
        assert_eq!(polled.answer().await, Err(Silence::Panicked));
        let dropped = Lent::new(Box::pin(Bomb(false)));
        assert_eq!(dropped.answer().await, Ok(7));
        let hangs = Lent::new(Box::pin(std::future::pending::<u8>()));
        let began = tokio::time::Instant::now();
        assert_eq!(hangs.answer().await, Err(Silence::TooLate));
        assert_eq!(began.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn ready_future_runs_immediately_and_pending_one_later() {
        let done = Arc::new(AtomicUsize::new(0));
        let (at_once, later) = (done.clone(), done.clone());
        assert!(run_now(async move {
            at_once.fetch_add(1, Ordering::SeqCst);
        }));
        assert_eq!(done.load(Ordering::SeqCst), 1);
        assert!(!run_now(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            later.fetch_add(1, Ordering::SeqCst);
        }));
        assert_eq!(done.load(Ordering::SeqCst), 1);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(done.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_panic_is_none() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> u8 { panic!("on purpose") }), None);
    }
}
