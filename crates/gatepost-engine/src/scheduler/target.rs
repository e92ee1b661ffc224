//! The state of one webhook: its queues, and how much its target accepts.

use std::time::Duration;

use gatepost_storage::webhooks::QueueClass;
use tokio::time::Instant;

use super::config::Config;
use super::pace::{MINUTE, Pace, PaceRates, Processes};
use super::permit::Outcome;
use super::queues::{History, LINES, Queues, Settings, Waiting, Webhook, line_of};
use super::realms::At;
use super::slots::Class;

/// The time from which a request is slow.
pub(crate) const SLOW: Duration = Duration::from_secs(2);
/// The number of slow requests, minus the others, that makes a webhook slow.
const SLOW_REQUESTS: u32 = 3;
/// The classes of targets that responded, by how long they have been silent.
const SILENT: [(Duration, Class); 3] = [
    (Duration::from_millis(250), Class::Busy),
    (Duration::from_secs(2), Class::Recent),
    (Duration::from_secs(16), Class::Regular),
];

#[derive(Debug)]
pub(super) struct Target {
    pub(super) webhook: Webhook,
    pub(super) queues: Queues,
    /// The entry of each group among those that are ready: its class and deadline.
    pub(super) places: [Option<(Class, Instant)>; LINES],
    pub(super) in_flight: u32,
    /// The requests of these that have run for long.
    pub(super) overdue: u32,
    pub(super) health: TargetHealth,
    pub(super) pace: Pace,
    pub(super) alarms: Alarms,
}

/// The scheduler's entries for the webhook.
#[derive(Debug, Default)]
pub(super) struct Alarms {
    /// The time of its timer.
    pub(super) timer: Option<Instant>,
    /// The time since which it is idle.
    pub(super) idle: Option<Instant>,
}

/// The health of the target.
#[derive(Debug)]
pub(super) struct TargetHealth {
    class: Class,
    responded: Option<Instant>,
    /// Incremented for each slow request, decremented for each other.
    slow: u32,
    /// Consecutive connect failures.
    failures: u32,
    /// The maximum number of requests in flight: one more after as many responses, half after a
    /// sign of trouble.
    limit: u32,
    responses: u32,
    /// The time at which the limit was lowered: requests that began earlier are signs of the same
    /// trouble.
    lowered: Option<Instant>,
}

impl Target {
    /// Creates the state of an unknown webhook, by its row.
    pub(super) fn new(webhook: &Webhook, record: History) -> Self {
        let class = match record {
            History::New => Class::New,
            History::Before => Class::Proven,
            History::Failing => Class::Slow,
        };
        Self {
            webhook: webhook.clone(),
            queues: Queues::default(),
            places: [None; LINES],
            in_flight: 0,
            overdue: 0,
            health: TargetHealth {
                class,
                responded: None,
                slow: 0,
                failures: 0,
                limit: 1,
                responses: 0,
                lowered: None,
            },
            pace: Pace::default(),
            alarms: Alarms::default(),
        }
    }

    /// Updates the webhook's properties, unless newer ones are known.
    pub(super) fn know(&mut self, webhook: &Webhook) {
        if self.webhook.revision <= webhook.revision {
            let known = self.webhook.settings;
            self.webhook = webhook.clone();
            self.webhook.settings = webhook.settings.or(known);
        }
    }

    pub(super) fn settings(&self) -> Settings {
        self.webhook.settings.unwrap_or_default()
    }

    /// See [`Scheduler::claimed`](super::Scheduler::claimed).
    pub(super) fn claimed(&mut self, queue: QueueClass, count: u32, due: Instant, now: Instant) {
        let more = self.queues.claimed(queue, count);
        if let Some(more) = more.filter(|_| line_of(queue) == 0) {
            self.pace.found(more, due, now);
        }
    }

    pub(super) fn at(&self) -> At {
        At::of(self.webhook.place, self.webhook.owner)
    }

    pub(super) fn rates(&self, config: &Config, processes: Processes) -> PaceRates {
        PaceRates {
            own: self.settings().rate,
            resumed: config.resumed_per_second,
            processes,
        }
    }

    /// Notes that this queue has deliveries that are due.
    pub(super) fn add(&mut self, queue: QueueClass, waiting: Waiting, added: u64, now: Instant) {
        let was_empty = self.queues.waiting(queue) == 0;
        self.queues.add(queue, waiting.count, added);
        if was_empty && line_of(queue) == 0 {
            let count = self.queues.waiting(queue);
            self.pace.found(count, waiting.due, now);
        }
    }

    /// Returns the entry of a group that could send immediately.
    pub(super) fn place(&self, line: usize, now: Instant) -> Option<(Class, Instant)> {
        let next = self.next(line).filter(|_| self.has_room())?;
        let (class, deadline) = self.turn(next, now);
        // It keeps the time for which it has waited.
        let kept = self.places[line].map_or(deadline, |(_, before)| before.min(deadline));
        Some((class, kept))
    }

    /// Takes the group of this class from those that are ready. Returns the queue that goes next.
    pub(super) fn take_place(&mut self, class: Class) -> Option<QueueClass> {
        let line = match class {
            Class::Lost => 1,
            Class::Quarantine => 2,
            _ => 0,
        };
        self.places[line] = None;
        self.next(line)
    }

    fn next(&self, line: usize) -> Option<QueueClass> {
        self.queues.next(line, self.settings().in_order)
    }

    /// Returns the class and the deadline of a queue that is ready: now, and for a target that has
    /// been silent for longer than [`Class::Regular`], as much later as it was silent.
    pub(super) fn turn(&self, queue: QueueClass, now: Instant) -> (Class, Instant) {
        let class = self.class(queue, now);
        let behind = self.health.silent(now) * u32::from(class >= Class::Proven);
        (class, now + behind)
    }

    /// Notes that the target asks to wait until then, and sends it one request at a time
    /// afterwards.
    pub(super) fn hold(&mut self, until: Instant, processes: Processes, now: Instant) {
        self.health.hold(1, now);
        self.pace.hold(until, processes, now);
    }

    fn class(&self, queue: QueueClass, now: Instant) -> Class {
        match queue {
            QueueClass::Lost => Class::Lost,
            QueueClass::Quarantine => Class::Quarantine,
            _ if self.overdue > 0 => Class::Slow,
            _ => self.health.class(now),
        }
    }

    /// Whether the target accepts one more request.
    pub(super) fn has_room(&self) -> bool {
        let limit = match self.settings().in_order {
            true => 1,
            false => self.health.limit,
        };
        self.in_flight < limit
    }
}

impl TargetHealth {
    fn class(&self, now: Instant) -> Class {
        let silent = self.silent(now);
        let class = SILENT.into_iter().find(|(most, _)| silent <= *most);
        match (self.class, class) {
            (Class::Proven, Some((_, class))) => class,
            (class, _) => class,
        }
    }

    /// Returns how long the target has been silent.
    pub(super) fn silent(&self, now: Instant) -> Duration {
        let responded = self.responded.map(|at| now - at);
        responded.map_or(MINUTE, |silent| silent.min(MINUTE))
    }

    /// Lowers the limit, unless the request that shows the trouble began before it was last
    /// lowered.
    fn lower(&mut self, limit: u32, began: Instant, now: Instant) -> bool {
        if self.lowered.is_some_and(|lowered| began < lowered) {
            return false;
        }
        self.hold(limit, now);
        true
    }

    /// Sets the limit, which the target is not to exceed from now on.
    fn hold(&mut self, limit: u32, now: Instant) {
        self.limit = limit.max(1);
        self.responses = 0;
        self.lowered = Some(now);
    }

    fn raise(&mut self, most: u32) {
        if self.class == Class::New {
            self.limit = most;
            return;
        }
        self.responses += 1;
        if self.responses >= self.limit {
            self.responses = 0;
            self.limit = (self.limit + 1).min(most);
        }
    }

    /// Notes how an attempt ended. Returns for how long no request is sent.
    pub(super) fn learn(
        &mut self,
        outcome: Outcome,
        took: Duration,
        config: &Config,
        now: Instant,
    ) -> Option<Wait> {
        let began = now.checked_sub(took).unwrap_or(now);
        let mut wait = None;
        match outcome {
            Outcome::Unclaimed | Outcome::Empty | Outcome::Unsent => return None,
            Outcome::Responded => self.raise(config.per_webhook),
            Outcome::Overloaded(asked) => {
                let asked = asked.filter(|asked| !asked.is_zero());
                let limit = asked.map_or(self.limit / 2, |_| 1);
                if self.lower(limit, began, now) {
                    wait = asked.map(Wait::Asked);
                }
            }
            Outcome::TimedOut => drop(self.lower(self.limit / 2, began, now)),
            Outcome::Unreachable => {
                self.failures = self.failures.saturating_add(1);
                let more = self.failures.checked_sub(config.breaker.threshold);
                if let Some(more) = more {
                    self.hold(1, now);
                    wait = Some(Wait::Breaker(more));
                }
            }
        }
        if outcome != Outcome::Unreachable {
            self.failures = 0;
        }
        let responded = matches!(outcome, Outcome::Responded | Outcome::Overloaded(_));
        if responded {
            self.responded = Some(now);
        }
        self.slow = match took >= SLOW {
            true => SLOW_REQUESTS.min(self.slow + 1),
            false => self.slow.saturating_sub(1),
        };
        self.class = match responded && self.slow < SLOW_REQUESTS {
            true => Class::Proven,
            false => Class::Slow,
        };
        wait
    }
}

/// The reason for which no request is sent for a time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Wait {
    /// The target asks for it.
    Asked(Duration),
    /// It could not be connected to, this many times beyond the breaker's threshold.
    Breaker(u32),
}
