//! Asks the store which queues have due deliveries: of other processes, of an earlier run, retries.
//! Each question is about what has become due since the last one, or about webhooks by name: its
//! cost does not depend on the number of queues.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Arrived, DeliveryId, DuePoint, Queues};
use tokio::time::Instant;

use super::dependencies::Dispatcher;
use crate::admission::Inquiry;
use crate::guard::guarded;
use crate::poll_backoff;

/// The pause after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// Deliveries read in one page.
const PAGE: u32 = 1_000;
/// Webhooks asked about at a time.
const WEBHOOKS: usize = 500;
/// The minimum time between two looks for future due times, so that retries are not asked for one
/// by one.
const GAP: Duration = Duration::from_millis(250);
/// The interval at which a look goes back by twice this time: deliveries due then may have been
/// committed later. A sweep finds those that were committed even later.
const BACK: Duration = Duration::from_secs(5);

/// The progress of this process' looks.
#[derive(Debug)]
struct Seen {
    /// The due point up to which deliveries have been seen; `None`: none has.
    reached: Option<DuePoint>,
    /// The time at which a look last went back.
    went_back: Instant,
    looked: Instant,
    /// The next due time, as the store said.
    next: Option<DateTime<Utc>>,
    /// The number of releases of owners, as [`Authorizer`](crate::access::Authorizer) counts them.
    freed: u64,
    /// Consecutive looks that found nothing.
    in_vain: u32,
}

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn look_out(&self) {
        let (inquiries, lifecycle) = (&self.admission.inquiries, &self.core.lifecycle);
        let mut seen = Seen::new(self.core.access.freed());
        while lifecycle.is_running() {
            let began = Instant::now();
            let inquiry = inquiries.take();
            if let Err(error) = self.inquire(&inquiry, &mut seen).await {
                guarded(|| tracing::warn!(%error, "could not look for deliveries"));
                inquiries.put_back(inquiry);
                lifecycle.rest(AFTER_FAILURE).await;
                continue;
            }
            // A slow question is asked for at most half of the time.
            lifecycle.rest(began.elapsed()).await;
            tokio::select! {
                biased;
                () = lifecycle.stopped() => {}
                () = inquiries.made() => {}
                () = tokio::time::sleep(self.until_next_look(&seen)) => inquiries.look(),
                arrived = self.core.store.work_arrived() => self.hear(arrived),
            }
        }
    }

    fn until_next_look(&self, seen: &Seen) -> Duration {
        let poll = poll_backoff::pause(self.timing.poll, seen.in_vain);
        let (Some(next), Ok(now)) = (seen.next, self.core.clock.now()) else {
            return poll;
        };
        let gap = GAP.saturating_sub(seen.looked.elapsed());
        (next - now).to_std().unwrap_or_default().max(gap).min(poll)
    }

    /// Handles a notice from another process.
    pub(super) fn hear(&self, arrived: Arrived) {
        let (admission, inquiries) = (&self.admission, &self.admission.inquiries);
        match arrived {
            Arrived::Queues(heard) => {
                for queue in heard.into_iter().filter(|queue| !admission.heard(*queue)) {
                    inquiries.ask(queue.webhook);
                }
            }
            Arrived::Due => inquiries.look(),
            Arrived::Anything => inquiries.sweep(),
        }
    }

    /// Asks the store, if there is a reason.
    async fn inquire(&self, inquiry: &Inquiry, seen: &mut Seen) -> Result<(), StoreError> {
        let freed = self.core.access.freed();
        if std::mem::replace(&mut seen.freed, freed) != freed {
            self.admission.inquiries.sweep();
        }
        if !inquiry.webhooks.is_empty() {
            let now = self.core.clock.now()?;
            let webhooks: Vec<_> = inquiry.webhooks.iter().copied().collect();
            let (mut found, mut next) = (Vec::new(), None);
            for some in webhooks.chunks(WEBHOOKS) {
                let queues = Queues::Of(some.to_vec());
                let page = self.core.store.queues(queues, 0, now).await?;
                found.extend(page.due);
                next = page.next_due;
            }
            self.admission.found(&found, now);
            let with_any: BTreeSet<_> = found.iter().map(|due| due.queue.webhook).collect();
            if with_any.len() < webhooks.len() {
                // Another process has claimed it, or it is due in a moment: clocks differ a little.
                seen.next = next;
            }
        }
        if inquiry.look {
            self.look(seen).await?;
        }
        Ok(())
    }

    /// Reads one page of what has become due.
    async fn look(&self, seen: &mut Seen) -> Result<(), StoreError> {
        let (admission, now) = (&self.admission, self.core.clock.now()?);
        let after = Queues::Due(seen.begin(now));
        let found = self.core.store.queues(after, PAGE, now).await?;
        admission.found(&found.due, now);
        seen.in_vain = match found.due.is_empty() {
            true => seen.in_vain.saturating_add(1),
            false => 0,
        };
        if let Some(Queues::Due(point)) = found.more {
            seen.reached = Some(point);
            admission.inquiries.look();
        } else {
            seen.reached = Some(from(now));
            seen.looked = Instant::now();
            seen.next = found.next_due;
        }
        Ok(())
    }
}

impl Seen {
    fn new(freed: u64) -> Self {
        let now = Instant::now();
        Self {
            reached: None,
            went_back: now,
            looked: now,
            next: None,
            freed,
            in_vain: 0,
        }
    }

    /// Returns the point at which a look begins.
    fn begin(&mut self, now: DateTime<Utc>) -> DuePoint {
        let back = TimeDelta::from_std(2 * BACK).unwrap_or_default();
        let reached = self.reached.filter(|reached| reached.due <= now);
        match reached {
            Some(reached) if self.went_back.elapsed() < BACK => reached,
            reached => {
                // Also if the clock was set back.
                self.went_back = Instant::now();
                from(reached.map_or(now, |reached| reached.due) - back)
            }
        }
    }
}

/// The point before all that becomes due at that time or later.
fn from(due: DateTime<Utc>) -> DuePoint {
    DuePoint {
        due,
        delivery: DeliveryId(0),
    }
}
