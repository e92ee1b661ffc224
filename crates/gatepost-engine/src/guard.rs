//! Code that the platform lends us may panic: its metrics recorder, its log subscriber, its clock.
//! A panic of theirs costs the metric, the log line or the reading, never a delivery: every call of
//! them that is made between a claim and its settlement goes through here.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use tracing::Span;

/// What `call` returns; `None` if it panicked.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// A span in which a future runs, as with `tracing::Instrument`; but a subscriber that panics when
/// the span is entered, left or closed harms neither the future nor the process.
#[derive(Debug)]
pub(crate) struct GuardedSpan(Option<Span>);

impl GuardedSpan {
    pub(crate) fn new(make: impl FnOnce() -> Span) -> Self {
        Self(guarded(make))
    }

    /// The future is pinned where it is made: moving a large one costs.
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

    /// Panics at every call but the one that makes a span.
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
    async fn a_subscriber_that_panics_changes_nothing_for_what_runs_in_the_span() {
        let calls = Arc::new(AtomicUsize::new(0));
        let _subscriber = tracing::subscriber::set_default(Panics(calls.clone()));
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

    #[test]
    fn a_panic_is_none() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> u8 { panic!("as told") }), None);
    }
}
