//! Received notifications, kept until they are taken: by the dispatcher for work, by the drain for
//! the outbox.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gatepost_storage::webhooks::Arrived;
use rand::RngExt as _;
use tokio::sync::Notify;

use super::News;

/// The receiver of notifications. Its two consumers are independent: neither takes the
/// notifications of the other. A wait that is dropped has taken nothing.
pub(crate) struct Ear {
    /// The number of this process in its own notifications, which it ignores.
    pub(super) process: u64,
    news: Mutex<News>,
    work: Notify,
    outbox: Notify,
}

impl Default for Ear {
    fn default() -> Self {
        Self {
            process: rand::rng().random(),
            news: Mutex::default(),
            work: Notify::new(),
            outbox: Notify::new(),
        }
    }
}

impl Ear {
    /// Takes a payload of new work; returns false for any other.
    pub(crate) fn take(&self, payload: &str) -> bool {
        let read = News::read(payload);
        let is_news = read.is_some();
        if let Some((_, news)) = read.filter(|(process, _)| *process != self.process) {
            self.hear(news);
        }
        is_news
    }

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

    /// Waits for new work in the queue and returns it.
    pub(crate) async fn work(&self) -> Arrived {
        loop {
            // Taken in the same poll that returns it.
            if let Some(arrived) = self.lock().take_work() {
                return arrived;
            }
            self.work.notified().await;
        }
    }

    /// Returns when a process has written to the outbox.
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
    fn waiters_are_notified_separately_dropped_wait_loses_nothing() {
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
        assert!(poll(&mut pin!(ear.work())).is_pending(), "notified once");
        assert!(poll(&mut pin!(ear.outbox())).is_pending(), "notified once");
    }

    #[test]
    fn notifications_are_received_only_from_other_processes() {
        let ear = Ear::default();
        assert!(ear.take(&News::due().payload(ear.process)));
        assert!(poll(&mut pin!(ear.work())).is_pending(), "its own");
        assert!(ear.take(&News::due().payload(!ear.process)));
        assert_eq!(poll(&mut pin!(ear.work())), Poll::Ready(Arrived::Due));
        assert!(!ear.take("4711"), "the generation of a key");
    }

    #[test]
    fn remaining_notifications_reach_the_next_waiter() {
        let ear = Ear::default();
        ear.hear(News::all());
        assert_eq!(poll(&mut pin!(ear.work())), Poll::Ready(Arrived::Due));
        assert_eq!(poll(&mut pin!(ear.work())), Poll::Ready(Arrived::Anything));
    }
}
