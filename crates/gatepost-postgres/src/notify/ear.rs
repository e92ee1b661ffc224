//! What this process heard, kept until somebody asks: the dispatcher for work, the drain for the
//! outbox.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gatepost_storage::webhooks::Arrived;
use tokio::sync::Notify;

use super::News;

/// Each of the two waits for its own, and takes nothing from the other. A wait that is dropped has
/// taken nothing.
#[derive(Default)]
pub(crate) struct Ear {
    news: Mutex<News>,
    work: Notify,
    outbox: Notify,
}

impl Ear {
    pub(crate) fn hear(&self, news: News) {
        let mut heard = self.lock();
        heard.add(news);
        if heard.has_work() {
            self.work.notify_one();
        }
        if heard.has_outbox() {
            self.outbox.notify_one();
        }
    }

    pub(crate) async fn work(&self) -> Arrived {
        loop {
            // Taken in the poll that returns it.
            if let Some(arrived) = self.lock().take_work() {
                return arrived;
            }
            self.work.notified().await;
        }
    }

    pub(crate) async fn outbox(&self) {
        loop {
            if self.lock().take_outbox() {
                return;
            }
            self.outbox.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn poll<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Poll<T> {
        std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn each_waiter_hears_its_own_and_a_dropped_wait_takes_nothing() {
        let ear = Ear::default();
        {
            let mut work = pin!(ear.work());
            let mut outbox = pin!(ear.outbox());
            assert!(poll(&mut work).is_pending() && poll(&mut outbox).is_pending());
            ear.hear(News::due());
            ear.hear(News::outbox());
            // Both are dropped here, woken and not polled again.
        }
        assert!(poll(&mut pin!(ear.outbox())).is_ready());
        assert_eq!(poll(&mut pin!(ear.work())), Poll::Ready(Arrived::Due));
        assert!(poll(&mut pin!(ear.work())).is_pending(), "told once");
        assert!(poll(&mut pin!(ear.outbox())).is_pending(), "told once");
    }

    #[test]
    fn what_is_left_is_told_to_the_next_who_waits() {
        let ear = Ear::default();
        ear.hear(News::all());
        assert_eq!(poll(&mut pin!(ear.work())), Poll::Ready(Arrived::Due));
        assert_eq!(poll(&mut pin!(ear.work())), Poll::Ready(Arrived::Anything));
    }
}
