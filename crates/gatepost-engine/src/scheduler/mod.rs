//! Decides which webhook sends next, and how many requests are in flight: fair shares for realms,
//! owners and webhooks, whatever their targets do.
//!
//! A request has a [`Class`], and a class has slots. Within a class the realm with the fewest
//! requests in flight goes next, in it the owner with the fewest; of equals, the one whose deadline
//! is first. A deadline is the time at which a queue became ready, plus the time for which its
//! target has been silent, at most a minute.
//!
//! Only webhooks that could send now have a place among those that are ready. A webhook leaves it
//! at its own limit, and while it must wait for a time: its circuit breaker, its rate, a target
//! that asked to wait. When that ends it is put back.
//!
//! There is no lock, no clock and no I/O in here: time is an argument, and the caller claims.

mod pace;
mod queues;
mod realms;
mod slots;
mod target;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::LaneClass;
use rand::rngs::StdRng;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use self::queues::LINES;
pub(crate) use self::queues::{Count, Record, Settings, Waiting, Webhook};
use self::realms::{At, Realms};
use self::slots::{CLASSES, Class};
pub(crate) use self::target::SLOW;
use self::target::{Target, Wait};
use crate::config::BreakerLimits;

/// Webhooks that are remembered at most: about 200 MB.
pub(crate) const MOST: usize = 200_000;
/// Timers that fire in one call, so that no call takes long.
const TIMERS: usize = 256;

/// What the scheduler is limited by.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// Requests in flight in this process. Up to as many again come on top while targets stall.
    pub total: u32,
    /// Requests in flight to one webhook, at most.
    pub per_webhook: u32,
    /// Deliveries a second that a resumed webhook sends, in all processes; `None`: no limit.
    pub resumed_per_second: Option<NonZeroU32>,
    pub breaker: BreakerLimits,
    /// Webhooks that are remembered at most, usually [`MOST`].
    pub webhooks: usize,
}

/// How a permit ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing was asked of the store, and what waited still does.
    Unclaimed,
    /// The claim found nothing more in this queue.
    Empty,
    /// Something was claimed, and given back.
    Unsent,
    /// A response, other than those that ask to wait.
    Responded,
    /// 429 or 503, and how long the target asks to wait.
    Overloaded(Option<Duration>),
    /// Connected, but no response in time.
    TimedOut,
    /// No connection.
    Unreachable,
}

/// Leave for one request. It has to be [released](Scheduler::release).
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Permit {
    pub webhook: WebhookId,
    /// The newest revision at which something was queued for it.
    pub revision: Revision,
    pub owner: OwnerId,
    pub place: Place,
    /// From which queue to claim.
    pub queue: LaneClass,
    at: At,
    class: Class,
    /// What was added by then.
    given: u64,
    is_overdue: bool,
}

/// The processes that share the webhooks.
#[derive(Clone, Copy, Debug)]
struct Processes {
    live: u32,
    own: u32,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Scheduler {
    config: Config,
    processes: Processes,
    rng: StdRng,
    targets: HashMap<WebhookId, Target>,
    realms: Realms,
    /// What becomes due, by queue, and webhooks that may send again.
    timers: BTreeMap<(Instant, WebhookId, Option<LaneClass>), u32>,
    /// Webhooks with nothing to do, and since when.
    idle: BTreeSet<(Instant, WebhookId)>,
    /// Queues were forgotten.
    has_gap: bool,
    /// Counts what is added to queues.
    added: u64,
}

impl Scheduler {
    /// `rng`: for the jitter of holds.
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

    /// How many processes live, by which rates are divided, and the rank of this one among them,
    /// counted from 0: after a hold they begin one after the other.
    pub(crate) fn set_processes(&mut self, live: u32, own: u32) {
        let live = live.max(1);
        self.processes = Processes { live, own };
    }

    /// Something waits in this queue, and the webhook is as given from now on.
    pub(crate) fn ready(
        &mut self,
        webhook: &Webhook,
        queue: LaneClass,
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

    /// Something waits in this queue, as another process says. False: the webhook is not known.
    pub(crate) fn again(&mut self, webhook: WebhookId, queue: LaneClass, now: Instant) -> bool {
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
        queue: LaneClass,
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
    pub(crate) fn ready_at(&mut self, webhook: WebhookId, queue: LaneClass, at: Instant) {
        let has_room = self.timers.len() < self.config.webhooks;
        if has_room && self.targets.contains_key(&webhook) {
            *self.timers.entry((at, webhook, Some(queue))).or_default() += 1;
        }
    }

    /// A permit for a first attempt that is stored just now, if nothing waits before it: not of
    /// its webhook, and not of a realm that would go before its own.
    pub(crate) fn try_now(&mut self, webhook: &Webhook, now: Instant) -> Option<Permit> {
        self.withdraw(webhook);
        let new = || Target::new(webhook, Record::New);
        let target = self.targets.entry(webhook.id).or_insert_with(new);
        target.know(webhook);
        self.reconsider(webhook.id, now);
        self.forget(now);
        let (webhook, target) = (webhook.id, self.targets.get(&webhook.id)?);
        let (rates, queue) = (target.rates(&self.config, self.processes), LaneClass::First);
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

    /// Adds permits for those whose turn it is, at most this number.
    pub(crate) fn next_batch(&mut self, most: usize, now: Instant, permits: &mut Vec<Permit>) {
        self.fire(now);
        for _ in 0..most {
            let mut classes = CLASSES.into_iter();
            let Some(permit) = classes.find_map(|class| self.next(class, now)) else {
                break;
            };
            permits.push(permit);
        }
    }

    /// The request has run for [`SLOW`]: it leaves the slots of its class, and its webhook is slow
    /// until it ends. Deliveries whose claims were lost keep their slots.
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

    /// The request is over, after it took this time. Returns for how long nothing is to be sent,
    /// because its target asks for that.
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

    fn next(&mut self, class: Class, now: Instant) -> Option<Permit> {
        let (at, ready) = self.realms.next(class, now)?;
        self.realms.remove(at, class, ready);
        let target = self.targets.get_mut(&ready.1)?;
        let queue = target.take_place(class)?;
        self.begin(ready.1, queue, class, now)
    }

    fn begin(
        &mut self,
        webhook: WebhookId,
        queue: LaneClass,
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

    /// A webhook of another realm or owner leaves its places there.
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

    /// Puts a webhook where it belongs: among those that are ready, the timers, or the idle.
    fn reconsider(&mut self, webhook: WebhookId, now: Instant) {
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

    /// Forgets webhooks beyond the bound: those that were idle for longest, or else, of the realm
    /// with most of them, those whose deadline is furthest. What is in flight or waits for a time
    /// is not forgotten.
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
