//! The scheduler's state: turns, and requests in flight.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use gatepost_storage::webhooks::QueueClass;
use rand::rngs::StdRng;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::config::Config;
use super::pace::{self, Processes};
use super::permit::{Outcome, Permit};
use super::queues::{History, LINES, Waiting, Webhook};
use super::realms::{At, Realms};
use super::slots::Class;
use super::target::{Target, Wait};

/// Timers that fire in one call, so that no call takes long.
const TIMERS: usize = 256;

/// See the [module](super).
#[derive(Debug)]
pub(crate) struct Scheduler {
    pub(super) config: Config,
    pub(super) processes: Processes,
    rng: StdRng,
    pub(super) targets: HashMap<WebhookId, Target>,
    pub(super) realms: Realms,
    /// The times at which deliveries become due, by queue, and webhooks may send again.
    pub(super) timers: BTreeMap<(Instant, WebhookId, Option<QueueClass>), u32>,
    /// Idle webhooks, and since when.
    pub(super) idle: BTreeSet<(Instant, WebhookId)>,
    /// Queues were forgotten.
    pub(super) has_gap: bool,
    /// Counts deliveries that are added to queues.
    pub(super) added: u64,
}

impl Scheduler {
    /// Creates a scheduler. `rng`: for the jitter of holds.
    pub(crate) fn new(config: Config, rng: StdRng) -> Self {
        Self {
            realms: Realms::new(config.total),
            config,
            processes: Processes { live: 1, own: 0 },
            rng,
            targets: HashMap::new(),
            timers: BTreeMap::new(),
            idle: BTreeSet::new(),
            has_gap: false,
            added: 0,
        }
    }

    /// Notes that this queue has deliveries, and the webhook's current state.
    pub(crate) fn ready(
        &mut self,
        webhook: &Webhook,
        queue: QueueClass,
        waiting: Waiting,
        now: Instant,
    ) {
        self.withdraw(webhook);
        let new = || Target::new(webhook, waiting.record);
        let target = self.targets.entry(webhook.id).or_insert_with(new);
        target.know(webhook);
        self.added += 1;
        target.add(queue, waiting, self.added, now);
        self.reconsider(webhook.id, now);
        self.forget(now);
    }

    /// Returns a permit for a first attempt that is being stored, if nothing waits before it:
    /// neither of its webhook, nor of a realm that would go before its own.
    pub(crate) fn try_now(&mut self, webhook: &Webhook, now: Instant) -> Option<Permit> {
        self.withdraw(webhook);
        let new = || Target::new(webhook, History::New);
        let target = self.targets.entry(webhook.id).or_insert_with(new);
        target.know(webhook);
        self.reconsider(webhook.id, now);
        self.forget(now);
        let (webhook, target) = (webhook.id, self.targets.get(&webhook.id)?);
        let (rates, queue) = (
            target.rates(&self.config, self.processes),
            QueueClass::First,
        );
        let is_ahead = match target.settings().in_order {
            true => target.queues.has_waiting(),
            false => target.queues.waiting(queue) > 0,
        };
        if is_ahead || !target.has_room() || target.pace.opens(rates, now).is_some() {
            return None;
        }
        let (class, deadline) = target.turn(queue, now);
        let goes_first = self.realms.goes_first(target.at(), class, deadline, now);
        goes_first.then(|| self.begin(webhook, queue, class, now))?
    }

    /// Adds permits for the next turns, at most this number.
    pub(crate) fn next_batch(&mut self, most: usize, now: Instant, permits: &mut Vec<Permit>) {
        self.fire(now);
        for _ in 0..most {
            let Some(permit) = self.next(now) else {
                break;
            };
            permits.push(permit);
        }
    }

    /// Notes that the request has run for [`SLOW`]: it leaves the slots of its class, and its
    /// webhook is slow until it ends. Deliveries whose claims were lost keep their slots.
    pub(crate) fn became_slow(&mut self, permit: &mut Permit, now: Instant) {
        if std::mem::replace(&mut permit.is_overdue, true) {
            return;
        }
        let class = match permit.class {
            Class::Lost | Class::Quarantine => permit.class,
            _ => Class::Slow,
        };
        self.realms.become_slow(permit.at, permit.class, class);
        permit.class = class;
        if let Some(target) = self.targets.get_mut(&permit.webhook) {
            target.overdue += 1;
        }
        self.reconsider(permit.webhook, now);
    }

    /// Notes that the request ended, after it took this time. Returns for how long no request is
    /// sent, because its target asks for that.
    #[expect(clippy::needless_pass_by_value, reason = "a permit is given back once")]
    pub(crate) fn release(
        &mut self,
        permit: Permit,
        outcome: Outcome,
        took: Duration,
        now: Instant,
    ) -> Option<Duration> {
        let Permit { webhook, class, .. } = permit;
        self.realms.end(permit.at, class, permit.is_overdue);
        let target = self.targets.get_mut(&webhook)?;
        target.in_flight = target.in_flight.saturating_sub(1);
        target.overdue -= u32::from(permit.is_overdue);
        if matches!(
            outcome,
            Outcome::Unclaimed | Outcome::Empty | Outcome::Unsent
        ) {
            let rates = target.rates(&self.config, self.processes);
            target.pace.give_back(rates, now);
        }
        match outcome {
            Outcome::Unclaimed => target.queues.put_back(permit.queue),
            Outcome::Empty => target.queues.emptied(permit.queue, permit.given),
            _ => {}
        }
        let hold = match target.health.learn(outcome, took, &self.config, now) {
            Some(Wait::Asked(asked)) => {
                let hold = pace::hold_for(asked, &mut self.rng);
                target.hold(now + hold, self.processes, now);
                Some(hold)
            }
            Some(Wait::Breaker(more)) => {
                target.pace.open_breaker(more, &self.config.breaker, now);
                None
            }
            None => None,
        };
        self.reconsider(webhook, now);
        hold
    }

    fn next(&mut self, now: Instant) -> Option<Permit> {
        let (class, at, ready) = self.realms.next(now)?;
        self.realms.remove(at, class, ready);
        let target = self.targets.get_mut(&ready.1)?;
        let queue = target.take_place(class)?;
        self.begin(ready.1, queue, class, now)
    }

    fn begin(
        &mut self,
        webhook: WebhookId,
        queue: QueueClass,
        class: Class,
        now: Instant,
    ) -> Option<Permit> {
        let target = self.targets.get_mut(&webhook)?;
        let (at, rates) = (target.at(), target.rates(&self.config, self.processes));
        target.queues.take(queue);
        target.in_flight += 1;
        target.pace.take(rates, now);
        self.realms.begin(at, class);
        let permit = Permit {
            webhook,
            revision: target.webhook.revision,
            owner: target.webhook.owner,
            place: target.webhook.place,
            queue,
            at,
            class,
            given: self.added,
            is_overdue: false,
        };
        self.reconsider(webhook, now);
        Some(permit)
    }

    fn fire(&mut self, now: Instant) {
        for _ in 0..TIMERS {
            let first = self.timers.first_entry();
            let Some(first) = first.filter(|first| first.key().0 <= now) else {
                break;
            };
            let ((_, webhook, queue), count) = first.remove_entry();
            match (self.targets.get_mut(&webhook), queue) {
                (None, _) => self.has_gap = true,
                (Some(target), None) => target.alarms.timer = None,
                (Some(target), Some(queue)) => {
                    self.added += 1;
                    target.queues.fall_due(queue, count, self.added);
                }
            }
            self.reconsider(webhook, now);
        }
    }

    /// Removes a webhook that moved to another realm or owner from its old position.
    fn withdraw(&mut self, webhook: &Webhook) {
        let Some(target) = self.targets.get_mut(&webhook.id) else {
            return;
        };
        let at = target.at();
        if at == At::of(webhook.place, webhook.owner) {
            return;
        }
        for (class, deadline) in target.places.iter_mut().filter_map(Option::take) {
            self.realms.remove(at, class, (deadline, webhook.id));
        }
    }

    /// Puts a webhook among those that are ready, the timers, or the idle.
    pub(super) fn reconsider(&mut self, webhook: WebhookId, now: Instant) {
        let Some(target) = self.targets.get_mut(&webhook) else {
            return;
        };
        let at = target.at();
        let rates = target.rates(&self.config, self.processes);
        let opens = target.pace.opens(rates, now);
        for line in 0..LINES {
            let before = target.places[line];
            let place = match opens {
                Some(_) => None,
                None => target.place(line, now),
            };
            if before != place {
                target.places[line] = place;
                if let Some((class, deadline)) = before {
                    self.realms.remove(at, class, (deadline, webhook));
                }
                if let Some((class, deadline)) = place {
                    self.realms.add(at, class, (deadline, webhook));
                }
            }
        }
        let has_waiting = target.queues.has_waiting();
        let timer = opens.filter(|_| has_waiting);
        if target.alarms.timer != timer {
            let before = std::mem::replace(&mut target.alarms.timer, timer);
            before.map(|at| self.timers.remove(&(at, webhook, None)));
            timer.map(|at| self.timers.insert((at, webhook, None), 1));
        }
        let is_idle = !has_waiting && target.in_flight == 0;
        if target.alarms.idle.is_some() != is_idle {
            let idle = is_idle.then_some(now);
            let before = std::mem::replace(&mut target.alarms.idle, idle);
            before.map(|since| self.idle.remove(&(since, webhook)));
            self.idle.extend(idle.map(|since| (since, webhook)));
        }
    }

    /// Forgets webhooks over the limit: those idle for longest, or else, of the realm with most of
    /// them, those with the latest deadlines. Webhooks with requests in flight or timers are kept.
    fn forget(&mut self, now: Instant) {
        while self.targets.len() > self.config.webhooks {
            if let Some((_, webhook)) = self.idle.pop_first() {
                self.targets.remove(&webhook);
                continue;
            }
            let Some((_, webhook)) = self.realms.furthest() else {
                break;
            };
            self.has_gap = true;
            if let Some(target) = self.targets.get_mut(&webhook) {
                target.queues.clear();
            }
            self.reconsider(webhook, now);
        }
    }
}
