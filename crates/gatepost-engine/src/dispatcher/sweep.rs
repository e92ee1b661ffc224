//! Walks over all lanes: once at the start and whenever anything may have changed, and slowly all
//! the time, in one process at a time, for what nobody said.

use std::time::Duration;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Lane, Queues};
use tokio::time::Instant;

use super::part::Dispatcher;
use crate::guard::guarded;

/// Lanes looked at in one page.
const PAGE: u32 = 500;
/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// Under which one process at a time walks slowly; for how long it has that for itself, and after
/// which time it extends it.
const LEASE: &str = "sweep lanes";
const LEASED: Duration = Duration::from_secs(60);
const EXTENDED: Duration = Duration::from_secs(30);
/// Between two of its pages.
const PAUSE: Duration = Duration::from_secs(1);
/// After each page it rests this many times longer than that took: the first walk, in which the
/// engine learns what there is, takes half of the time, and each later one a tenth.
const REST: (u32, u32) = (1, 9);

/// The slow walk of this process, if it is the one that walks.
#[derive(Debug, Default)]
struct Patrol {
    leased: Option<Instant>,
    after: Option<Lane>,
}

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn sweep_all(&self) {
        let (inquiries, lifecycle) = (&self.admission.inquiries, &self.core.lifecycle);
        let (mut rest, mut patrol) = (REST.0, Patrol::default());
        while lifecycle.is_running() {
            let pause = if inquiries.take_sweep() {
                let swept = self.sweep(rest).await;
                if swept.is_ok() {
                    rest = REST.1;
                } else {
                    inquiries.sweep();
                }
                swept.map(|()| Duration::ZERO)
            } else {
                self.patrol(&mut patrol).await
            };
            match pause {
                Ok(pause) => tokio::select! {
                    biased;
                    () = lifecycle.stopped() => {}
                    () = inquiries.sweep_wanted() => {}
                    () = tokio::time::sleep(pause) => {}
                },
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not walk over the lanes"));
                    lifecycle.rest(AFTER_FAILURE).await;
                }
            }
        }
    }

    /// All lanes, once.
    async fn sweep(&self, rest: u32) -> Result<(), StoreError> {
        let (mut after, lifecycle) = (None, &self.core.lifecycle);
        while lifecycle.is_running() {
            let began = Instant::now();
            after = self.sweep_page(after).await?;
            if after.is_none() {
                break;
            }
            lifecycle.rest(began.elapsed() * rest).await;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// A page of the slow walk, if this process is the one. Returns how long to rest.
    async fn patrol(&self, patrol: &mut Patrol) -> Result<Duration, StoreError> {
        if patrol.leased.is_none_or(|at| at.elapsed() >= EXTENDED) {
            patrol.leased = self.core.lease(LEASE, LEASED).await?.then(Instant::now);
        }
        if patrol.leased.is_none() {
            return Ok(EXTENDED);
        }
        patrol.after = self.sweep_page(patrol.after).await?;
        Ok(PAUSE)
    }

    /// The last lane of the page, unless there is none beyond.
    async fn sweep_page(&self, after: Option<Lane>) -> Result<Option<Lane>, StoreError> {
        let now = self.core.clock.now()?;
        let queues = Queues::Beyond(after);
        let page = self.core.store.queues(queues, PAGE, now).await?;
        self.admission.found(&page.due, now);
        match page.more {
            Some(Queues::Beyond(last)) => Ok(last),
            _ => Ok(None),
        }
    }
}
