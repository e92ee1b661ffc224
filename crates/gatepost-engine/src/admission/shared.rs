//! The scheduler, shared by all parts of an engine.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueQueue, FoundQueues, QueueClass, Queues, WebhookQueue};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::sync::Notify;
use tokio::time::Instant;
use webhook_model::{DeliveryOrder, RateLimit, WebhookId};

use super::inquiries::Inquiries;
use crate::config::Limits;
use crate::random::Random;
use crate::routes::Route;
use crate::scheduler::{Config, Count, History, MOST, Scheduler, Settings, Waiting, Webhook};

/// The delay after a due time before the store is asked: clocks differ, and a delivery that is
/// asked for early is found only by a look.
const LATER: Duration = Duration::from_millis(100);

pub(crate) struct Admission {
    scheduler: Mutex<Scheduler>,
    /// Pending questions to the store.
    pub inquiries: Inquiries,
    /// Notified when a delivery may be sent sooner than known.
    wake: Notify,
    began: Instant,
}

impl Admission {
    /// Creates it. `random`: for the jitter of holds.
    pub(crate) fn new(limits: &Limits, random: &Random) -> Arc<Self> {
        let rng = random.with(StdRng::from_rng);
        let count = |limit: usize| u32::try_from(limit).unwrap_or(u32::MAX);
        let config = Config {
            total: count(limits.in_flight.total),
            per_webhook: count(limits.in_flight.per_webhook),
            resumed_per_second: NonZeroU32::new(limits.rates.resumed_per_second),
            breaker: limits.breaker.clone(),
            webhooks: MOST,
        };
        Arc::new(Self {
            scheduler: Mutex::new(Scheduler::new(config, rng)),
            inquiries: Inquiries::new(),
            wake: Notify::new(),
            began: Instant::now(),
        })
    }

    /// Sets the number of live processes, and the rank of this one among them, counted from 0.
    pub(crate) fn set_processes(&self, live: u32, own: u32) {
        self.lock().set_processes(live, own);
    }

    /// Notes that one delivery was just stored in this queue.
    pub(crate) fn stored(&self, due: &DueQueue) {
        let now = Instant::now();
        self.add(&mut self.lock(), due, (Count::Added(1), now), now);
        self.wake();
    }

    /// Notes that these queues have due deliveries, as the store says.
    pub(crate) fn found(&self, found: &[DueQueue], now: DateTime<Utc>) {
        if found.is_empty() {
            return;
        }
        let (mut scheduler, instant) = (self.lock(), Instant::now());
        for due in found {
            let waited = (now - due.due).to_std().unwrap_or_default();
            let since = instant.checked_sub(waited).unwrap_or(instant);
            self.add(&mut scheduler, due, (Count::AtLeast(1), since), instant);
        }
        drop(scheduler);
        self.wake();
    }

    /// Notes a page of a walk over all queues. Returns its last queue, unless there is none after
    /// it.
    pub(crate) fn walked(&self, page: &FoundQueues, now: DateTime<Utc>) -> Option<WebhookQueue> {
        self.found(&page.due, now);
        match page.more {
            Some(Queues::Beyond(last)) => last,
            _ => None,
        }
    }

    /// Adds this number of deliveries to a queue, the first of them due since then.
    fn add(
        &self,
        scheduler: &mut Scheduler,
        due: &DueQueue,
        (count, since): (Count, Instant),
        now: Instant,
    ) {
        let webhook = Webhook {
            id: due.queue.webhook,
            owner: due.owner,
            place: due.realm,
            revision: due.revision,
            settings: None,
        };
        // For an unknown webhook only its pending deliveries show how it responds.
        let record = match due.queue.class {
            QueueClass::Retry => History::Failing,
            QueueClass::First | QueueClass::Lost | QueueClass::Quarantine if since < self.began => {
                History::Before
            }
            QueueClass::First | QueueClass::Lost | QueueClass::Quarantine => History::New,
        };
        let waiting = Waiting {
            count,
            due: since,
            record,
        };
        scheduler.ready(&webhook, due.queue.class, waiting, now);
    }

    /// Notes another process' notice of a queued delivery. True: the webhook is known.
    pub(crate) fn heard(&self, queue: WebhookQueue) -> bool {
        let (class, now) = (queue.class, Instant::now());
        let is_known = self.lock().again(queue.webhook, class, now);
        if is_known {
            self.wake();
        }
        is_known
    }

    /// Notes that a delivery settled here becomes due in this queue after that time, so that nobody
    /// need ask for it.
    pub(crate) fn due_later(&self, queue: WebhookQueue, after: Duration) {
        let at = Instant::now() + after + LATER;
        let mut scheduler = self.lock();
        let is_next = scheduler.next_time().is_none_or(|next| at < next);
        scheduler.ready_at(queue.webhook, queue.class, at);
        drop(scheduler);
        if is_next {
            self.wake();
        }
    }

    /// Notes that the webhook was read, before its permit is used. False: it must not be used, as
    /// the webhook has changed.
    pub(crate) fn read(&self, route: &Route) -> bool {
        self.lock().read(route.id, settings(route), Instant::now())
    }

    /// Notes that a claim found as many as it asked for, the last of them due this long ago.
    pub(crate) fn claimed(&self, queue: WebhookQueue, count: usize, waited: Duration) {
        let now = Instant::now();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let due = now.checked_sub(waited).unwrap_or(now);
        let mut scheduler = self.lock();
        scheduler.claimed(queue.webhook, queue.class, (count, due), now);
        self.freed(scheduler);
    }

    /// Sends nothing for this webhook for that time.
    pub(crate) fn rest(&self, webhook: WebhookId, time: Duration) {
        let now = Instant::now();
        self.lock().rest(webhook, now + time, now);
    }

    /// Sends nothing for this webhook until a delivery is queued again.
    pub(crate) fn leave(&self, webhook: WebhookId) {
        self.lock().leave(webhook, Instant::now());
    }

    /// Notes that the webhook was resumed: its pending deliveries are sent at the rate of a
    /// backlog.
    pub(crate) fn resume(&self, webhook: WebhookId) {
        self.lock().resume(webhook, Instant::now());
    }

    /// Ends holds of a webhook that has another URL, or must be tried immediately.
    pub(crate) fn end_hold(&self, webhook: WebhookId) {
        self.lock().end_hold(webhook, Instant::now());
    }

    /// Whether this webhook has pending deliveries, as far as is known here.
    pub(crate) fn has_waiting(&self, webhook: WebhookId) -> bool {
        self.lock().has_waiting(webhook)
    }

    /// Returns how long this webhook waits, if it waits for a time.
    pub(crate) fn opens_in(&self, webhook: WebhookId) -> Option<Duration> {
        let now = Instant::now();
        Some(self.lock().opens(webhook, now)? - now)
    }

    /// Returns how long no request is sent to the target of this webhook.
    pub(crate) fn closed_for(&self, webhook: WebhookId) -> Option<Duration> {
        let now = Instant::now();
        Some(self.lock().closed_until(webhook, now)? - now)
    }

    /// Returns when the next batch is due if nothing else happens.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.lock().next_time()
    }

    /// Requests in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.lock().in_flight() as usize
    }

    /// Notes a returned permit: wakes the dispatcher if a webhook can use it.
    pub(super) fn freed(&self, scheduler: MutexGuard<'_, Scheduler>) {
        let is_of_use = scheduler.has_ready();
        drop(scheduler);
        if is_of_use {
            self.wake();
        }
    }

    /// Whether a webhook could send immediately.
    #[cfg(test)]
    pub(crate) fn has_ready(&self) -> bool {
        self.lock().has_ready()
    }

    /// Whether the store was going to be asked anything, which this cancels.
    #[cfg(test)]
    pub(crate) fn take_look(&self) -> bool {
        let (inquiry, sweep) = (self.inquiries.take(), self.inquiries.take_sweep());
        sweep || inquiry.look || !inquiry.webhooks.is_empty()
    }

    /// Wakes the dispatcher.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Ready when there may be a delivery to send.
    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Scheduler> {
        self.scheduler
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn settings(route: &Route) -> Settings {
    Settings {
        in_order: route.webhook.order == DeliveryOrder::InOrder,
        rate: route.webhook.rate.map(RateLimit::get),
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission")
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}
