//! Methods about single webhooks: notices from other parts, and queries.

use gatepost_storage::webhooks::QueueClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::pace::Processes;
use super::queues::{Count, Settings};
use super::state::Scheduler;

impl Scheduler {
    /// Sets the number of live processes, by which rates are divided, and the rank of this one
    /// among them, counted from 0: after a hold they begin one after the other.
    pub(crate) fn set_processes(&mut self, live: u32, own: u32) {
        let live = live.max(1);
        self.processes = Processes { live, own };
    }

    /// Notes another process' notice that this queue has deliveries. False: the webhook is not
    /// known.
    pub(crate) fn again(&mut self, webhook: WebhookId, queue: QueueClass, now: Instant) -> bool {
        let Some(target) = self.targets.get_mut(&webhook) else {
            return false;
        };
        self.added += 1;
        target.queues.add(queue, Count::AtLeast(1), self.added);
        self.reconsider(webhook, now);
        true
    }

    /// Notes that the webhook was read. False: it differs from the known one, and its turn may,
    /// too.
    pub(crate) fn read(&mut self, webhook: WebhookId, settings: Settings, now: Instant) -> bool {
        let Some(target) = self.targets.get_mut(&webhook) else {
            return true;
        };
        let before = target.webhook.settings.replace(settings);
        self.reconsider(webhook, now);
        before.unwrap_or_default() == settings
    }

    /// Notes that a claim found as many as it asked for, this number, the last of them due then:
    /// there may be more, if more than the count has been found there.
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

    /// Sends nothing for this webhook before then.
    pub(crate) fn rest(&mut self, webhook: WebhookId, until: Instant, now: Instant) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.pace.rest(until);
        }
        self.reconsider(webhook, now);
    }

    /// Whether this webhook has pending deliveries, in any queue.
    pub(crate) fn has_waiting(&self, webhook: WebhookId) -> bool {
        let target = self.targets.get(&webhook);
        target.is_some_and(|target| target.queues.has_waiting())
    }

    /// Returns when the next request to this webhook may begin, as far as it waits for a time.
    pub(crate) fn opens(&self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        let target = self.targets.get(&webhook)?;
        target
            .pace
            .opens(target.rates(&self.config, self.processes), now)
    }

    /// Returns until when no request is sent to its target.
    pub(crate) fn closed_until(&self, webhook: WebhookId, now: Instant) -> Option<Instant> {
        self.targets.get(&webhook)?.pace.closed_until(now)
    }

    /// Notes that the next delivery of this queue becomes due then. For an unknown webhook, and
    /// over a limit, nothing is noted: the store is asked later.
    pub(crate) fn ready_at(&mut self, webhook: WebhookId, queue: QueueClass, at: Instant) {
        let has_room = self.timers.len() < self.config.webhooks;
        if has_room && self.targets.contains_key(&webhook) {
            *self.timers.entry((at, webhook, Some(queue))).or_default() += 1;
        }
    }

    /// Ends holds of a webhook that got another URL or must be tried immediately: its target's
    /// request to wait, and an open breaker, no longer apply.
    pub(crate) fn end_hold(&mut self, webhook: WebhookId, now: Instant) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.pace.end_hold();
        }
        self.reconsider(webhook, now);
    }

    /// Notes that the webhook was resumed: its overdue deliveries are sent at the rate of a
    /// backlog. The caller must make its queues [ready](Self::ready) after this.
    pub(crate) fn resume(&mut self, webhook: WebhookId, now: Instant) {
        self.end_hold(webhook, now);
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.pace.resume(now);
        }
    }

    /// Sends nothing for this webhook: it was paused, deleted or suspended, or its deliveries were
    /// fetched.
    pub(crate) fn leave(&mut self, webhook: WebhookId, now: Instant) {
        if let Some(target) = self.targets.get_mut(&webhook) {
            target.queues.leave();
        }
        self.reconsider(webhook, now);
    }

    /// Returns when the next call of [`next_batch`](Self::next_batch) is due if nothing else
    /// happens.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|((at, ..), _)| *at)
    }

    /// Whether a webhook could send immediately, if there is a slot for it.
    pub(crate) fn has_ready(&self) -> bool {
        self.realms.has_ready()
    }

    /// Requests in flight.
    pub(crate) fn in_flight(&self) -> u32 {
        self.realms.slots.all()
    }

    /// Whether queues were forgotten and there is capacity for them again, so that all must be
    /// looked through. Returns true once.
    pub(crate) fn take_gap(&mut self) -> bool {
        let busy = self.targets.len() - self.idle.len();
        let has_room = busy < self.config.webhooks / 2;
        has_room && std::mem::take(&mut self.has_gap)
    }
}
