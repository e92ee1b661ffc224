//! Group commit: calls that wait at the same time share one statement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Mutex, Semaphore, mpsc, oneshot};

use crate::error::{Failure, Result};

/// How many batches are under way at once: while one waits for the disk, the next is gathered.
const FLUSHERS: usize = 2;

/// Work that can be done for many callers at once.
#[async_trait::async_trait]
pub(crate) trait Work: Send + Sync + 'static {
    type Item: Send + 'static;
    type Answer: Send + 'static;

    /// How much of a batch an item takes up; a batch is full at [`Work::MOST`].
    fn weight(item: &Self::Item) -> usize;
    const MOST: usize;

    /// One answer for each item, in order. A future that is dropped leaves all or nothing of an
    /// item.
    async fn run(&self, items: Vec<Self::Item>) -> Vec<Result<Self::Answer>>;
}

type Reply<W> = oneshot::Sender<Result<<W as Work>::Answer>>;
type Job<W> = (<W as Work>::Item, Reply<W>);
type Inbox<W> = mpsc::UnboundedReceiver<Job<W>>;

/// The way in. Its workers end once every handle is gone and everything that was handed in is done.
pub(crate) struct Batcher<W: Work> {
    jobs: mpsc::UnboundedSender<Job<W>>,
    shared: Arc<Shared<W>>,
}

struct Shared<W> {
    work: W,
    slots: Semaphore,
    /// The length of the last batch: above one, callers come faster than they are served.
    last: AtomicUsize,
}

impl<W: Work> Batcher<W> {
    pub(crate) fn start(work: W) -> Self {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            work,
            slots: Semaphore::new(FLUSHERS),
            last: AtomicUsize::new(1),
        });
        let inbox = Arc::new(Mutex::new(inbox));
        for _ in 0..FLUSHERS {
            tokio::spawn(flush(Arc::clone(&shared), Arc::clone(&inbox)));
        }
        Self { jobs, shared }
    }

    /// Hands an item in and waits for its answer.
    ///
    /// While the store is idle the caller does the work itself, which saves two task switches. An
    /// item that was handed to a worker is processed even if the caller goes away.
    pub(crate) async fn submit(&self, item: W::Item) -> Result<W::Answer> {
        let gone = || Failure::unavailable("the store is shutting down");
        let idle = self.shared.last.load(Ordering::Relaxed) <= 1;
        if idle && let Ok(_slot) = self.shared.slots.try_acquire() {
            let answer = self.shared.work.run(vec![item]).await.pop();
            return answer.unwrap_or_else(|| Err(gone()));
        }
        let (reply, answer) = oneshot::channel();
        self.jobs.send((item, reply)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

async fn flush<W: Work>(shared: Arc<Shared<W>>, inbox: Arc<Mutex<Inbox<W>>>) {
    loop {
        let mut inbox = inbox.lock().await;
        let Some(first) = inbox.recv().await else {
            return;
        };
        // What arrives until there is a free slot comes along.
        let Ok(_slot) = shared.slots.acquire().await else {
            return;
        };
        let (items, replies) = gather::<W>(first, &mut inbox);
        drop(inbox);
        shared.last.store(items.len(), Ordering::Relaxed);
        let answers = shared.work.run(items).await;
        for (reply, answer) in replies.into_iter().zip(answers) {
            // The caller may be gone.
            let _ = reply.send(answer);
        }
    }
}

/// What has arrived already, up to a full batch.
fn gather<W: Work>(first: Job<W>, inbox: &mut Inbox<W>) -> (Vec<W::Item>, Vec<Reply<W>>) {
    let mut weight = W::weight(&first.0);
    let (mut items, mut replies) = (vec![first.0], vec![first.1]);
    while weight < W::MOST {
        let Ok((item, reply)) = inbox.try_recv() else {
            break;
        };
        weight = weight.saturating_add(W::weight(&item));
        items.push(item);
        replies.push(reply);
    }
    (items, replies)
}
