//! Processes, each with a scheduler, that send to targets in virtual time.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::time::Duration;

use delivery::Schedule;
use gatepost_ids::{Realm, TenantId};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::QueueClass;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use crate::config::BreakerLimits;
use crate::scheduler::{
    Config, Count, History, MOST, Outcome, Permit, SLOW, Scheduler, Settings, Waiting, Webhook,
};

/// The length of a lease: deliveries in flight in a killed process are found again after it.
const LEASE: Duration = Duration::from_secs(40);
/// The time to restart a process.
const RESTART: Duration = Duration::from_secs(1);

pub(super) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(super) fn config() -> Config {
    Config {
        total: 1024,
        per_webhook: 32,
        resumed_per_second: 100.try_into().ok(),
        breaker: BreakerLimits::default(),
        webhooks: MOST,
    }
}

/// Returns a webhook whose owner is the only one in a tenant of that number.
pub(super) fn webhook(id: i64, tenant: u128) -> Webhook {
    Webhook {
        id: WebhookId(id),
        owner: OwnerId(tenant),
        place: Realm::Tenant(TenantId(tenant)),
        revision: Revision(1),
        settings: Some(Settings::default()),
    }
}

/// Returns the state of a queue to which a message was just added.
pub(super) fn added(now: Instant) -> Waiting {
    Waiting {
        count: Count::Added(1),
        due: now,
        record: History::New,
    }
}

/// A request that begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub webhook: i64,
    pub delivery: Delivery,
    pub at: Duration,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    /// In the order of arrival, from 0.
    pub number: u64,
    arrived: Duration,
    attempts: u32,
    lost: u32,
}

/// The reaction of a target.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reply {
    After(Duration, Outcome),
    /// The process that sends is killed by it.
    Kill,
}

pub(super) const fn responds(after: Duration) -> Reply {
    Reply::After(after, Outcome::Responded)
}

pub(super) const fn stalls() -> Reply {
    Reply::After(secs(120), Outcome::TimedOut)
}

/// 429.
pub(super) const fn waits(asked: Duration) -> Reply {
    Reply::After(millis(50), Outcome::Overloaded(Some(asked)))
}

#[derive(Debug)]
enum Event {
    Arrive(usize, Webhook, Waiting),
    Due(usize, i64, QueueClass, Delivery),
    Slow(u64),
    End(u64),
    Start(usize),
}

#[derive(Debug)]
struct Running {
    process: usize,
    permit: Permit,
    delivery: Delivery,
    began: Instant,
    outcome: Outcome,
}

#[derive(Debug)]
pub(super) struct Sim {
    pub config: Config,
    pub processes: Vec<Scheduler>,
    pub retries: u32,
    pub start: Instant,
    pub now: Instant,
    /// The wait of each first attempt.
    pub waits: HashMap<i64, Vec<Duration>>,
    pub permits: u64,
    pub requests: u64,
    /// Received deliveries, failed ones, and those whose claim was lost too often.
    pub sent: Vec<(Duration, u64)>,
    pub failed: u64,
    pub poisoned: Vec<u64>,
    pub kills: u64,
    pub most_in_flight: u32,
    events: BTreeMap<(Instant, u64), Event>,
    count: u64,
    queues: BTreeMap<(usize, i64, QueueClass), VecDeque<Delivery>>,
    webhooks: HashMap<i64, (Webhook, History)>,
    running: BTreeMap<u64, Running>,
    rng: StdRng,
}

impl Sim {
    pub(super) fn new() -> Self {
        Self::with(1, config())
    }

    pub(super) fn with(processes: u32, config: Config) -> Self {
        let scheduler = |own| {
            let rng = StdRng::seed_from_u64(u64::from(own));
            let mut scheduler = Scheduler::new(config.clone(), rng);
            scheduler.set_processes(processes, own);
            scheduler
        };
        let now = Instant::now();
        Self {
            processes: (0..processes).map(scheduler).collect(),
            config,
            retries: 0,
            start: now,
            now,
            waits: HashMap::new(),
            permits: 0,
            requests: 0,
            sent: Vec::new(),
            failed: 0,
            poisoned: Vec::new(),
            kills: 0,
            most_in_flight: 0,
            events: BTreeMap::new(),
            count: 0,
            queues: BTreeMap::new(),
            webhooks: HashMap::new(),
            running: BTreeMap::new(),
            rng: StdRng::seed_from_u64(7),
        }
    }

    /// Adds a message for this webhook at that time, to each process in turn.
    pub(super) fn arrive(&mut self, at: Duration, webhook: Webhook) {
        self.arrive_as(at, webhook, History::New);
    }

    /// As [`arrive`](Self::arrive), for a webhook known only by its row.
    pub(super) fn arrive_as(&mut self, at: Duration, webhook: Webhook, record: History) {
        let process = usize::try_from(self.count).unwrap() % self.processes.len();
        let at = self.start + at;
        let waiting = Waiting {
            record,
            ..added(at)
        };
        self.schedule(at, Event::Arrive(process, webhook, waiting));
    }

    /// Adds pending deliveries of this webhook that lost two claims, in the first process.
    pub(super) fn lost(&mut self, webhook: Webhook, number: u64) {
        let delivery = Delivery {
            number,
            arrived: Duration::ZERO,
            attempts: 0,
            lost: 2,
        };
        let id = webhook.id.0;
        self.webhooks.insert(id, (webhook, History::New));
        self.schedule(self.now, Event::Due(0, id, QueueClass::Lost, delivery));
    }

    /// Runs until nothing happens any more, or until this time.
    pub(super) fn run(&mut self, until: Duration, mut reply: impl FnMut(Request) -> Reply) {
        let until = self.start + until;
        loop {
            let events = self.events.keys().next().map(|(at, _)| *at);
            let timers = self.processes.iter().filter_map(Scheduler::next_time);
            let next = events.into_iter().chain(timers).min();
            let Some(next) = next.filter(|next| *next <= until) else {
                break;
            };
            self.now = self.now.max(next);
            while let Some(first) = self.events.first_entry() {
                if first.key().0 > self.now {
                    break;
                }
                let event = first.remove();
                self.happen(event);
            }
            for process in 0..self.processes.len() {
                self.send(process, &mut reply);
            }
        }
        self.now = until;
    }

    /// Returns the median, the 99th percentile, and the longest wait of these webhooks' first
    /// attempts.
    pub(super) fn wait(&self, webhooks: Range<i64>) -> (Duration, Duration, Duration) {
        let waits = self.waits.iter().filter(|(id, _)| webhooks.contains(id));
        let mut waits: Vec<_> = waits.flat_map(|(_, waits)| waits).copied().collect();
        waits.sort();
        assert!(!waits.is_empty(), "nothing was sent");
        let at = |percent: usize| waits[(waits.len() - 1) * percent / 100];
        (at(50), at(99), at(100))
    }

    /// Returns the number of pending and future deliveries of these webhooks.
    pub(super) fn unsent(&self, webhooks: Range<i64>) -> usize {
        let queues = self.queues.iter();
        let queues = queues.filter(|((_, webhook, _), _)| webhooks.contains(webhook));
        queues.map(|(_, queue)| queue.len()).sum()
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn enqueue(&mut self, process: usize, webhook: i64, queue: QueueClass, delivery: Delivery) {
        let queue = self.queues.entry((process, webhook, queue));
        queue.or_default().push_back(delivery);
    }

    fn happen(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Arrive(process, webhook, waiting) => {
                let delivery = Delivery {
                    number: self.count,
                    arrived: now - self.start,
                    attempts: 0,
                    lost: 0,
                };
                let id = webhook.id.0;
                self.enqueue(process, id, QueueClass::First, delivery);
                self.processes[process].ready(&webhook, QueueClass::First, waiting, now);
                self.webhooks.insert(id, (webhook, waiting.record));
            }
            Event::Due(process, webhook, queue, delivery) => {
                self.enqueue(process, webhook, queue, delivery);
                if queue != QueueClass::Retry {
                    let (webhook, _) = &self.webhooks[&webhook];
                    self.processes[process].ready(webhook, queue, added(now), now);
                }
            }
            Event::Slow(id) => {
                if let Some(running) = self.running.get_mut(&id) {
                    self.processes[running.process].became_slow(&mut running.permit, now);
                }
            }
            Event::End(id) => {
                if let Some(running) = self.running.remove(&id) {
                    self.end(running);
                }
            }
            Event::Start(process) => self.start(process),
        }
    }

    fn send(&mut self, process: usize, reply: &mut impl FnMut(Request) -> Reply) {
        let (mut permits, now) = (Vec::new(), self.now);
        self.processes[process].next_batch(usize::MAX, now, &mut permits);
        self.permits += permits.len() as u64;
        for permit in permits {
            let webhook = permit.webhook.0;
            let queue = self.queues.get_mut(&(process, webhook, permit.queue));
            let Some(delivery) = queue.and_then(VecDeque::pop_front) else {
                self.processes[process].release(permit, Outcome::Empty, Duration::ZERO, now);
                continue;
            };
            let at = now - self.start;
            if delivery.attempts == 0 {
                let waits = self.waits.entry(webhook).or_default();
                waits.push(at - delivery.arrived);
            }
            self.requests += 1;
            let answer = reply(Request {
                webhook,
                delivery,
                at,
            });
            let (took, outcome) = match answer {
                Reply::After(took, outcome) => (took, outcome),
                Reply::Kill => (Duration::MAX, Outcome::Unsent),
            };
            self.count += 1;
            let id = self.count;
            let running = Running {
                process,
                permit,
                delivery,
                began: now,
                outcome,
            };
            self.running.insert(id, running);
            if let Reply::Kill = answer {
                return self.kill(process);
            }
            if took > SLOW {
                self.schedule(now + SLOW, Event::Slow(id));
            }
            self.schedule(now + took, Event::End(id));
        }
        let in_flight = self.processes.iter().map(Scheduler::in_flight).sum();
        self.most_in_flight = self.most_in_flight.max(in_flight);
    }

    fn end(&mut self, running: Running) {
        let (now, process, outcome) = (self.now, running.process, running.outcome);
        let (webhook, mut delivery) = (running.permit.webhook, running.delivery);
        let took = now - running.began;
        self.processes[process].release(running.permit, outcome, took, now);
        delivery.attempts += 1;
        if outcome == Outcome::Responded {
            self.sent.push((now - self.start, delivery.number));
        } else if delivery.attempts > self.retries {
            self.failed += 1;
        } else {
            let delay = Schedule::default().delay(delivery.attempts, &mut self.rng);
            let asked = match outcome {
                Outcome::Overloaded(asked) => asked.unwrap_or_default(),
                _ => Duration::ZERO,
            };
            let due = now + delay.max(asked);
            self.processes[process].ready_at(webhook, QueueClass::Retry, due);
            self.schedule(
                due,
                Event::Due(process, webhook.0, QueueClass::Retry, delivery),
            );
        }
    }

    /// Kills a process: all deliveries in flight there lose their claims. Only the losses in the
    /// most suspect queue count.
    fn kill(&mut self, process: usize) {
        self.kills += 1;
        let running = self.running.iter();
        let of_it = running.filter(|(_, running)| running.process == process);
        let ids: Vec<u64> = of_it.map(|(id, _)| *id).collect();
        let lost = ids.iter().filter_map(|id| self.running.remove(id));
        let lost: Vec<Running> = lost.collect();
        let most = lost.iter().map(|running| running.permit.queue).max();
        let suspect = most.filter(|queue| *queue >= QueueClass::Lost);
        for running in lost {
            let mut delivery = running.delivery;
            if suspect.is_none_or(|suspect| running.permit.queue == suspect) {
                delivery.lost += 1;
            }
            let queue = match delivery.lost {
                0 => QueueClass::First,
                1 | 2 => QueueClass::Lost,
                3 => QueueClass::Quarantine,
                _ => {
                    self.poisoned.push(delivery.number);
                    continue;
                }
            };
            let webhook = running.permit.webhook.0;
            let due = Event::Due(process, webhook, queue, delivery);
            self.schedule(self.now + LEASE, due);
        }
        self.processes[process] =
            Scheduler::new(self.config.clone(), StdRng::seed_from_u64(self.count));
        self.schedule(self.now + RESTART, Event::Start(process));
    }

    /// Starts a process, which finds pending deliveries.
    fn start(&mut self, process: usize) {
        for ((of, id, queue), deliveries) in &self.queues {
            if *of == process && !deliveries.is_empty() {
                let (webhook, record) = &self.webhooks[id];
                let waiting = Waiting {
                    count: Count::AtLeast(u32::try_from(deliveries.len()).unwrap()),
                    record: *record,
                    ..added(self.now)
                };
                self.processes[process].ready(webhook, *queue, waiting, self.now);
            }
        }
    }
}
