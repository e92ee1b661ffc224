//! Group commit: calls that wait at the same time are answered by one statement.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, oneshot};

use crate::error::{Failure, Result};

/// So many batches are under way at once: while one waits for the disk, the next is gathered.
const FLUSHERS: usize = 2;

/// Work that can be done for many callers at once.
#[async_trait::async_trait]
pub(crate) trait Work: Send + Sync + 'static {
    type Item: Send + 'static;
    type Answer: Send + 'static;

    /// How much of a batch an item takes up; a batch is full at [`Work::MOST`].
    fn weight(item: &Self::Item) -> usize;
    const MOST: usize;

    /// One answer for each item, in order.
    async fn run(&self, items: Vec<Self::Item>) -> Vec<Result<Self::Answer>>;
}

type Job<W> = (
    <W as Work>::Item,
    oneshot::Sender<Result<<W as Work>::Answer>>,
);

/// The way in. Its workers end once every handle is gone and what was handed in is answered.
pub(crate) struct Batcher<W: Work> {
    jobs: mpsc::UnboundedSender<Job<W>>,
}

impl<W: Work> Batcher<W> {
    pub(crate) fn start(work: W) -> Self {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let (work, inbox) = (Arc::new(work), Arc::new(Mutex::new(inbox)));
        for _ in 0..FLUSHERS {
            tokio::spawn(flush(Arc::clone(&work), Arc::clone(&inbox)));
        }
        Self { jobs }
    }

    /// Hands an item in and waits for its answer. The item is worked on even if the caller goes away.
    pub(crate) async fn submit(&self, item: W::Item) -> Result<W::Answer> {
        let (reply, answer) = oneshot::channel();
        let gone = || Failure::unavailable("the store is shutting down");
        self.jobs.send((item, reply)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

async fn flush<W: Work>(work: Arc<W>, inbox: Arc<Mutex<mpsc::UnboundedReceiver<Job<W>>>>) {
    loop {
        let Some((items, replies)) = gather::<W>(&mut *inbox.lock().await).await else {
            return;
        };
        let answers = work.run(items).await;
        for (reply, answer) in replies.into_iter().zip(answers) {
            // A caller that went away is not told.
            let _ = reply.send(answer);
        }
    }
}

/// Waits for one item and takes along what else is there already.
async fn gather<W: Work>(
    inbox: &mut mpsc::UnboundedReceiver<Job<W>>,
) -> Option<(Vec<W::Item>, Vec<oneshot::Sender<Result<W::Answer>>>)> {
    let first = inbox.recv().await?;
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
    Some((items, replies))
}
