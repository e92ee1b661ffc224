//! What is known of one webhook: its queues, and how much its target takes.

use std::time::Duration;

use gatepost_storage::webhooks::QueueClass;
use tokio::time::Instant;

use super::config::Config;
use super::pace::{MINUTE, Pace, Processes, Rates};
use super::permit::Outcome;
use super::queues::{LINES, Queues, Record, Settings, Waiting, Webhook, line_of};
use super::realms::At;
use super::slots::Class;

/// A request that takes this long is slow.
pub(crate) const SLOW: Duration = Duration::from_secs(2);
/// This number of slow requests, less those that are not, make a slow webhook.
const SLOW_REQUESTS: u32 = 3;
/// Classes of targets that responded, by how long they have been silent.
const SILENT: [(Duration, Class); 3] = [
    (Duration::from_millis(250), Class::Busy),
    (Duration::from_secs(2), Class::Recent),
    (Duration::from_secs(16), Class::Regular),
];

#[derive(Debug)]
pub(super) struct Target {
    pub(super) webhook: Webhook,
    pub(super) queues: Queues,
    /// Where each line is among those that are ready: its class and deadline.
    pub(super) places: [Option<(Class, Instant)>; LINES],
    pub(super) in_flight: u32,
    /// Of these, requests that run for long.
    pub(super) overdue: u32,
    pub(super) health: Health,
    pub(super) pace: Pace,
    pub(super) alarms: Alarms,
}

/// Where the scheduler has noted the webhook.
#[derive(Debug, Default)]
pub(super) struct Alarms {
    /// Its timer.
    pub(super) timer: Option<Instant>,
    /// Since when it has nothing to do.
    pub(super) idle: Option<Instant>,
}

/// How the target does.
#[derive(Debug)]
pub(super) struct Health {
    class: Class,
    responded: Option<Instant>,
    /// Up for each slow request, down for each other.
    slow: u32,
    /// Failures to connect in a row.
    failures: u32,
    /// Requests in flight that it takes: one more after as many responses, half after a sign of
    /// trouble.
    limit: u32,
    responses: u32,
    /// When that was lowered: what began before says the same.
    lowered: Option<Instant>,
}

impl Target {
    /// A webhook that is not known yet, by what its row says.
    pub(super) fn new(webhook: &Webhook, record: Record) -> Self {
        let class = match record {
            Record::New => Class::New,
            Record::Before => Class::Proven,
            Record::Failing => Class::Slow,
        };
        Self {
            webhook: webhook.clone(),
            queues: Queues::default(),
            places: [None; LINES],
            in_flight: 0,
            overdue: 0,
            health: Health {
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

    /// What is said of the webhook, unless something newer is known.
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

    pub(super) fn rates(&self, config: &Config, processes: Processes) -> Rates {
        Rates {
            own: self.settings().rate,
            resumed: config.resumed_per_second,
            processes,
        }
    }

    /// Something is ready in this queue.
    pub(super) fn add(&mut self, queue: QueueClass, waiting: Waiting, added: u64, now: Instant) {
        let was_empty = self.queues.waiting(queue) == 0;
        self.queues.add(queue, waiting.count, added);
        if was_empty && line_of(queue) == 0 {
            let count = self.queues.waiting(queue);
            self.pace.found(count, waiting.due, now);
        }
    }

    /// The place of a line that could send now.
    pub(super) fn place(&self, line: usize, now: Instant) -> Option<(Class, Instant)> {
        let next = self.next(line).filter(|_| self.has_room())?;
        let (class, deadline) = self.turn(next, now);
        // It keeps the time for which it has waited.
        let before = self.places[line].map(|(_, before)| before);
        Some((
            class,
            before.map_or(deadline, |before| before.min(deadline)),
        ))
    }

    /// Takes the line of this class from those that are ready. Returns the queue that goes next.
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

    /// The class and the deadline of a queue that is ready now.
    pub(super) fn turn(&self, queue: QueueClass, now: Instant) -> (Class, Instant) {
        (self.class(queue, now), now + self.health.silent(now))
    }

    /// The target asks to wait until then, and gets one request at a time after it.
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

    /// Whether the target takes one more request now.
    pub(super) fn has_room(&self) -> bool {
        let limit = match self.settings().in_order {
            true => 1,
            false => self.health.limit,
        };
        self.in_flight < limit
    }
}

impl Health {
    fn class(&self, now: Instant) -> Class {
        let silent = self.silent(now);
        let class = SILENT.into_iter().find(|(most, _)| silent <= *most);
        match (self.class, class) {
            (Class::Proven, Some((_, class))) => class,
            (class, _) => class,
        }
    }

    /// How long the target has been silent.
    pub(super) fn silent(&self, now: Instant) -> Duration {
        let responded = self.responded.map(|at| now - at);
        responded.map_or(MINUTE, |silent| silent.min(MINUTE))
    }

    /// Lowers the limit, unless what says so began before it was lowered last.
    fn lower(&mut self, limit: u32, began: Instant, now: Instant) -> bool {
        if self.lowered.is_some_and(|lowered| began < lowered) {
            return false;
        }
        self.hold(limit, now);
        true
    }

    /// The target takes no more than this from now on.
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

    /// How an attempt ended. Returns for how long nothing is to be sent.
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

/// Why nothing is sent for a time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Wait {
    /// The target asks for it.
    Asked(Duration),
    /// It could not be connected to, this often more than opens the breaker.
    Breaker(u32),
}
