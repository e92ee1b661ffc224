//! The scheduler, shared by all parts of an engine.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DueLane, FoundQueues, Lane, QueueClass, Queues};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::sync::Notify;
use tokio::time::Instant;
use webhook_model::{DeliveryOrder, RateLimit, WebhookId};

use super::inquiries::Inquiries;
use crate::config::Limits;
use crate::random::Random;
use crate::routes::Route;
use crate::scheduler::{Config, Count, MOST, Record, Scheduler, Settings, Waiting, Webhook};

/// This much later than it becomes due something is asked for: clocks do not run alike, and what
/// is asked for early is found by a look only.
const LATER: Duration = Duration::from_millis(100);

pub(crate) struct Admission {
    scheduler: Mutex<Scheduler>,
    /// What the store is to be asked.
    pub inquiries: Inquiries,
    /// Something may be sent sooner than was known.
    wake: Notify,
    began: Instant,
}

impl Admission {
    /// `random`: for the jitter of what targets ask for.
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

    /// How many processes live, and the rank of this one among them, counted from 0.
    pub(crate) fn set_processes(&self, live: u32, own: u32) {
        self.lock().set_processes(live, own);
    }

    /// One delivery was stored in this queue just now.
    pub(crate) fn stored(&self, due: &DueLane) {
        let now = Instant::now();
        self.add(&mut self.lock(), due, (Count::Added(1), now), now);
        self.wake();
    }

    /// These queues have something, as the store says.
    pub(crate) fn found(&self, found: &[DueLane], now: DateTime<Utc>) {
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

    /// A page of a walk over all queues was read. Returns its last, unless there is none beyond.
    pub(crate) fn walked(&self, page: &FoundQueues, now: DateTime<Utc>) -> Option<Lane> {
        self.found(&page.due, now);
        match page.more {
            Some(Queues::Beyond(last)) => last,
            _ => None,
        }
    }

    /// This number waits in a queue, the first of them since then.
    fn add(
        &self,
        scheduler: &mut Scheduler,
        due: &DueLane,
        (count, since): (Count, Instant),
        now: Instant,
    ) {
        let webhook = Webhook {
            id: due.lane.webhook,
            owner: due.owner,
            place: due.place,
            revision: due.revision,
            settings: None,
        };
        // Of a webhook that is not known here no more is known than what waits for it.
        let record = match due.lane.class {
            QueueClass::Retry => Record::Failing,
            QueueClass::First | QueueClass::Lost | QueueClass::Quarantine if since < self.began => {
                Record::Before
            }
            QueueClass::First | QueueClass::Lost | QueueClass::Quarantine => Record::New,
        };
        let waiting = Waiting {
            count,
            due: since,
            record,
        };
        scheduler.ready(&webhook, due.lane.class, waiting, now);
    }

    /// Something was queued here, as another process says. True: the webhook is known.
    pub(crate) fn heard(&self, lane: Lane) -> bool {
        let (queue, now) = (lane.class, Instant::now());
        let is_known = self.lock().again(lane.webhook, queue, now);
        if is_known {
            self.wake();
        }
        is_known
    }

    /// What was settled here will be due in this queue after that time: nobody need ask for it.
    pub(crate) fn due_later(&self, lane: Lane, after: Duration) {
        let at = Instant::now() + after + LATER;
        let mut scheduler = self.lock();
        let is_next = scheduler.next_time().is_none_or(|next| at < next);
        scheduler.ready_at(lane.webhook, lane.class, at);
        drop(scheduler);
        if is_next {
            self.wake();
        }
    }

    /// The webhook was read, and a permit for it is to be used. False: not now, for it is not as
    /// was thought.
    pub(crate) fn read(&self, route: &Route) -> bool {
        self.lock().read(route.id, settings(route), Instant::now())
    }

    /// A claim found all that it asked for, the last of it due this long ago.
    pub(crate) fn claimed(&self, lane: Lane, count: usize, waited: Duration) {
        let (queue, now) = (lane.class, Instant::now());
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let due = now.checked_sub(waited).unwrap_or(now);
        let mut scheduler = self.lock();
        scheduler.claimed(lane.webhook, queue, (count, due), now);
        self.freed(scheduler);
    }

    /// Nothing is sent for this webhook for that time.
    pub(crate) fn rest(&self, webhook: WebhookId, time: Duration) {
        let now = Instant::now();
        self.lock().rest(webhook, now + time, now);
    }

    /// Nothing is to be sent for this webhook, until something is queued again.
    pub(crate) fn leave(&self, webhook: WebhookId) {
        self.lock().leave(webhook, Instant::now());
    }

    /// The webhook was resumed: what waited goes at the rate of such.
    pub(crate) fn resume(&self, webhook: WebhookId) {
        self.lock().resume(webhook, Instant::now());
    }

    /// The webhook has another URL, or something of it is to be tried at once.
    pub(crate) fn end_hold(&self, webhook: WebhookId) {
        self.lock().end_hold(webhook, Instant::now());
    }

    /// Whether something waits for this webhook, as far as is known here.
    pub(crate) fn has_waiting(&self, webhook: WebhookId) -> bool {
        self.lock().has_waiting(webhook)
    }

    /// How long this webhook waits, if that is a matter of time.
    pub(crate) fn opens_in(&self, webhook: WebhookId) -> Option<Duration> {
        let now = Instant::now();
        Some(self.lock().opens(webhook, now)? - now)
    }

    /// How long the target of this webhook is not asked.
    pub(crate) fn closed_for(&self, webhook: WebhookId) -> Option<Duration> {
        let now = Instant::now();
        Some(self.lock().closed_until(webhook, now)? - now)
    }

    /// When the next batch is due, whatever else happens.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.lock().next_time()
    }

    /// Requests in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.lock().in_flight() as usize
    }

    /// Room became free: wakes the dispatcher, if that is of use to somebody.
    pub(super) fn freed(&self, scheduler: MutexGuard<'_, Scheduler>) {
        let is_of_use = scheduler.has_ready();
        drop(scheduler);
        if is_of_use {
            self.wake();
        }
    }

    /// Whether a webhook could send now.
    #[cfg(test)]
    pub(crate) fn has_ready(&self) -> bool {
        self.lock().has_ready()
    }

    /// Whether the store was to be asked anything; not any more.
    #[cfg(test)]
    pub(crate) fn take_look(&self) -> bool {
        let (inquiry, sweep) = (self.inquiries.take(), self.inquiries.take_sweep());
        sweep || inquiry.look || !inquiry.webhooks.is_empty()
    }

    /// Wakes the dispatcher.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Ready when there may be something to send.
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
