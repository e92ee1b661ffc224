//! What others say of a webhook, and what is asked of it.

use gatepost_storage::webhooks::QueueClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::pace::Processes;
use super::queues::{Count, Settings};
use super::state::Scheduler;

impl Scheduler {
    /// How many processes live, by which rates are divided, and the rank of this one among them,
    /// counted from 0: after a hold they begin one after the other.
    pub(crate) fn set_processes(&mut self, live: u32, own: u32) {
        let live = live.max(1);
        self.processes = Processes { live, own };
    }

    /// Something waits in this queue, as another process says. False: the webhook is not known.
    pub(crate) fn again(&mut self, webhook: WebhookId, queue: QueueClass, now: Instant) -> bool {
        let Some(target) = self.targets.get_mut(&webhook) else {
            return false;
        };
        self.added += 1;
        target.queues.add(queue, Count::AtLeast(1), self.added);
        self.reconsider(webhook, now);
        true
    }

    /// The webhook was read. False: it is another than was thought, and so may be its turn.
    pub(crate) fn read(&mut self, webhook: WebhookId, settings: Settings, now: Instant) -> bool {
        let Some(target) = self.targets.get_mut(&webhook) else {
            return true;
        };
        let before = target.webhook.settings.replace(settings);
        self.reconsider(webhook, now);
        before.unwrap_or_default() == settings
    }

    /// A claim found all that it asked for, this number, the last of them due then: there may be
    /// more, if more than was counted has been found there.
    pub(crate) fn claimed(
        &mut self,
        webhook: WebhookId,
        queue: QueueClass,
        (count, due): (u32, Instant),
        now: Instant,
    ) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.claimed(queue, count, due, now);
        }
        self.reconsider(webhook, now);
    }

    /// Nothing is sent for this webhook before then.
    pub(crate) fn rest(&mut self, webhook: WebhookId, until: Instant, now: Instant) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.pace.rest(until);
        }
        self.reconsider(webhook, now);
    }

    /// Whether something waits for this webhook, in whatever queue.
    pub(crate) fn has_waiting(&self, webhook: WebhookId) -> bool {
        let target = self.targets.get(&webhook);
        target.is_some_and(|target| target.queues.has_waiting())
    }

    /// When the next request to this webhook may begin, as far as that is a matter of time.
    pub(crate) fn opens(&self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        let target = self.targets.get(&webhook)?;
        target
            .pace
            .opens(target.rates(&self.config, self.processes), now)
    }

    /// Until when its target is not asked.
    pub(crate) fn closed_until(&self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        self.targets.get(&webhook)?.pace.closed_until(now)
    }

    /// The next delivery of this queue becomes due then. Nothing is noted of a webhook that is not
    /// known, and beyond a bound: a look at the store finds it.
    pub(crate) fn ready_at(&mut self, webhook: WebhookId, queue: QueueClass, at: Instant) {
        let has_room = self.timers.len() < self.config.webhooks;
        if has_room && self.targets.contains_key(&webhook) {
            *self.timers.entry((at, webhook, Some(queue))).or_default() += 1;
        }
    }

    /// The webhook got another URL, or is to be tried at once: what its target asked for, and an
    /// open breaker, hold it back no longer.
    pub(crate) fn end_hold(&mut self, webhook: WebhookId, now: Instant) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.pace.end_hold();
        }
        self.reconsider(webhook, now);
    }

    /// The webhook was resumed: what was due by now goes at the rate of such. What waits has to be
    /// made [ready](Self::ready) after this.
    pub(crate) fn resume(&mut self, webhook: WebhookId, now: Instant) {
        self.end_hold(webhook, now);
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.pace.resume(now);
        }
    }

    /// Nothing is to be sent for this webhook: it was paused, deleted or suspended, or its
    /// deliveries were fetched.
    pub(crate) fn leave(&mut self, webhook: WebhookId, now: Instant) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.queues.leave();
        }
        self.reconsider(webhook, now);
    }

    /// When the next call of [`next_batch`](Self::next_batch) is due, whatever else happens.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|((at, ..), _)| *at)
    }

    /// Whether a webhook could send now, if there is a slot for it.
    pub(crate) fn has_ready(&self) -> bool {
        self.realms.has_ready()
    }

    /// Requests in flight.
    pub(crate) fn in_flight(&self) -> u32 {
        self.realms.slots.all()
    }

    /// Whether queues were forgotten and there is room for them again: all have to be looked
    /// through. Once.
    pub(crate) fn take_gap(&mut self) -> bool {
        let busy = self.targets.len() - self.idle.len();
        let has_room = busy < self.config.webhooks / 2;
        has_room && std::mem::take(&mut self.has_gap)
    }
}
