//! Group commit: calls that wait at the same time share one statement.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{Mutex, Semaphore, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::pace::Pace;
use crate::error::{Failure, Result};

/// The number of batches under way at the same time: while one waits for the disk, the next is
/// gathered.
const FLUSHERS: usize = 2;

/// Work that can be done for many callers in one batch.
#[async_trait::async_trait]
pub(crate) trait Work: Send + Sync + 'static {
    type Item: Send + 'static;
    type Answer: Send + 'static;

    /// Returns the weight of an item in its batch; a batch is full at [`Work::MOST`].
    fn weight(item: &Self::Item) -> usize;
    const MOST: usize;

    /// Under load a batch waits until it has this weight, for at most `LINGER`.
    const ENOUGH: usize;
    const LINGER: Duration;

    /// Returns whether the item may share a batch. An item that changes data that others read may
    /// not.
    fn shares(item: &Self::Item) -> bool;

    /// Returns one outcome for each item, in order, without waiting for locks. If the future is
    /// dropped, each item was processed completely or not at all.
    async fn run(&self, items: Vec<Self::Item>) -> Vec<Outcome<Self>>;

    /// Returns one answer for each item, in order, and waits for locks as long as needed.
    async fn waiting(&self, items: Vec<Self::Item>) -> Vec<Result<Self::Answer>>;
}

/// The outcome of an item in a batch.
pub(crate) enum Outcome<W: Work + ?Sized> {
    /// The answer.
    Done(Result<W::Answer>),
    /// Another transaction held a lock that the item needs; nothing was done.
    Left(W::Item),
}

/// An item, and the channel for its answer.
struct Job<W: Work> {
    item: W::Item,
    reply: Reply<W>,
}

type Reply<W> = oneshot::Sender<Result<<W as Work>::Answer>>;

/// The handle that takes items. Its workers end when all handles are dropped and all items are
/// processed.
pub(crate) struct Batcher<W: Work> {
    jobs: UnboundedSender<Job<W>>,
    shared: Arc<Shared<W>>,
}

struct Shared<W: Work> {
    work: W,
    slots: Semaphore,
    pace: Pace,
}

impl<W: Work> Batcher<W> {
    pub(crate) fn start(work: W) -> Self {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            work,
            slots: Semaphore::new(FLUSHERS),
            pace: Pace::default(),
        });
        let inbox = Arc::new(Mutex::new(inbox));
        for _ in 0..FLUSHERS {
            tokio::spawn(flush(Arc::clone(&shared), Arc::clone(&inbox)));
        }
        Self { jobs, shared }
    }

    /// Returns the work, for items that are not batched.
    pub(crate) fn work(&self) -> &W {
        &self.shared.work
    }

    /// Adds an item and waits for its answer.
    ///
    /// While the store is idle the caller does the work itself, which saves two task switches. An
    /// item that was passed to a worker is processed even if the caller drops the future.
    pub(crate) async fn submit(&self, item: W::Item) -> Result<W::Answer> {
        if !W::shares(&item) {
            return self.waiting(item).await;
        }
        if self.shared.pace.is_idle()
            && let Ok(slot) = self.shared.slots.try_acquire()
        {
            let outcome = self.shared.work.run(vec![item]).await.pop();
            drop(slot);
            return match outcome {
                Some(Outcome::Done(answer)) => answer,
                Some(Outcome::Left(item)) => self.waiting(item).await,
                None => Err(gone()),
            };
        }
        let (reply, answer) = oneshot::channel();
        self.jobs.send(Job { item, reply }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    async fn waiting(&self, item: W::Item) -> Result<W::Answer> {
        let answer = self.shared.work.waiting(vec![item]).await.pop();
        answer.unwrap_or_else(|| Err(gone()))
    }
}

async fn flush<W: Work>(shared: Arc<Shared<W>>, inbox: Arc<Mutex<UnboundedReceiver<Job<W>>>>) {
    loop {
        let mut inbox = inbox.lock().await;
        let Some(first) = inbox.recv().await else {
            return;
        };
        let mut batch = Batch::of(first);
        let wanted = shared.pace.wanted(W::ENOUGH);
        let full = batch.fill(&mut inbox, wanted).await;
        // Items that arrive until a slot is free join the batch.
        let Ok(_slot) = shared.slots.acquire().await else {
            return;
        };
        batch.take_along(&mut inbox);
        drop(inbox);
        shared.pace.took(batch.items.len(), batch.weight, full);
        let Batch { items, replies, .. } = batch;
        // A panic (of the platform's logger, say) fails this batch, but not all later ones.
        let run = AssertUnwindSafe(shared.work.run(items)).catch_unwind();
        let Ok(outcomes) = run.await else {
            for reply in replies {
                drop(reply.send(Err(Failure::unavailable("the store panicked"))));
            }
            continue;
        };
        let (mut left, mut waiting) = (Vec::new(), Vec::new());
        for (reply, outcome) in replies.into_iter().zip(outcomes) {
            match outcome {
                // The caller may have dropped the future.
                Outcome::Done(answer) => drop(reply.send(answer)),
                Outcome::Left(item) => {
                    left.push(item);
                    waiting.push(reply);
                }
            }
        }
        if !left.is_empty() {
            tokio::spawn(later(Arc::clone(&shared), left, waiting));
        }
    }
}

/// Processes the items that were left out, in a separate task: no other batch waits for it.
async fn later<W: Work>(shared: Arc<Shared<W>>, items: Vec<W::Item>, replies: Vec<Reply<W>>) {
    let answers = shared.work.waiting(items).await;
    for (reply, answer) in replies.into_iter().zip(answers) {
        drop(reply.send(answer));
    }
}

/// A batch that is being gathered.
struct Batch<W: Work> {
    weight: usize,
    items: Vec<W::Item>,
    replies: Vec<Reply<W>>,
}

impl<W: Work> Batch<W> {
    fn of(first: Job<W>) -> Self {
        let mut batch = Self {
            weight: 0,
            items: Vec::new(),
            replies: Vec::new(),
        };
        batch.push(first);
        batch
    }

    fn push(&mut self, job: Job<W>) {
        self.weight = self.weight.saturating_add(W::weight(&job.item));
        self.items.push(job.item);
        self.replies.push(job.reply);
    }

    /// Waits until the batch has this weight; returns whether it was reached in time.
    async fn fill(&mut self, inbox: &mut UnboundedReceiver<Job<W>>, wanted: usize) -> bool {
        let end = Instant::now() + W::LINGER;
        while self.weight < wanted {
            match timeout_at(end, inbox.recv()).await {
                Ok(Some(job)) => self.push(job),
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
        true
    }

    /// Adds the items that have arrived already, up to a full batch.
    fn take_along(&mut self, inbox: &mut UnboundedReceiver<Job<W>>) {
        while self.weight < W::MOST {
            let Ok(job) = inbox.try_recv() else {
                break;
            };
            self.push(job);
        }
    }
}

fn gone() -> Failure {
    Failure::unavailable("the store is shutting down")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles numbers; panics at 0.
    struct Doubles;

    #[async_trait::async_trait]
    impl Work for Doubles {
        type Item = u8;
        type Answer = u8;
        const MOST: usize = 8;
        const ENOUGH: usize = 8;
        const LINGER: Duration = Duration::from_millis(1);

        fn weight(_: &u8) -> usize {
            1
        }

        fn shares(_: &u8) -> bool {
            true
        }

        async fn run(&self, items: Vec<u8>) -> Vec<Outcome<Self>> {
            assert!(!items.contains(&0), "on purpose");
            let doubled = items.into_iter().map(|item| Outcome::Done(Ok(item * 2)));
            doubled.collect()
        }

        async fn waiting(&self, items: Vec<u8>) -> Vec<Result<u8>> {
            items.into_iter().map(|item| Ok(item * 2)).collect()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn panicking_batch_fails_only_its_callers() {
        let batcher = Batcher::start(Doubles);
        // As under load: callers do no work themselves.
        batcher.shared.pace.took(4, 4, true);
        for _ in 0..2 * FLUSHERS {
            assert!(batcher.submit(0).await.is_err());
            batcher.shared.pace.took(4, 4, true);
        }
        let doubled = tokio::time::timeout(Duration::from_secs(60), batcher.submit(7));
        assert_eq!(doubled.await.unwrap().unwrap(), 14);
    }
}
