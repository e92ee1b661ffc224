//! One chaotic run: its setup, its reports, and its evidence at the end.

use std::collections::HashSet;
use std::process::{Command, Stdio};
use std::time::Duration;

use gatepost_storage::webhooks::DeliveryQuery;
use gatepost_storage::{AtMost, Page};
use webhook_model::{Action, Event, OwnerId, Retries, TagId, Target, Task, Timeout, Webhook};

use super::child::{Child, Mode};
use super::now;
use super::receiver::Counting;
use super::store_location::Place;
use super::verdict::Evidence;

/// The tag of every ordinary occurrence.
pub(super) const EVERYDAY: i64 = 1;
/// Attempts after the first.
pub(super) const RETRIES: u32 = 2;
/// The length of the child's leases: the longest timeout of the class of short ones, and half a
/// second.
const LEASE: Duration = Duration::from_millis(10_500);
/// The interval at which an engine looks for lost claims.
const LOOK: Duration = Duration::from_secs(5);
/// The time that starting a process and sending the backlog may take on a machine with other work.
const SLACK: Duration = Duration::from_secs(60);
/// The time after which a run gives up and shows the remaining deliveries.
const NEVER: Duration = Duration::from_secs(180);

/// The lines that the children printed.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Ordinary occurrences that were accepted.
    pub accepted: Vec<i64>,
    /// One-time tasks that ran.
    pub ran: Vec<i64>,
}

impl Told {
    /// Adds the lines of a child.
    ///
    /// # Panics
    /// If a line is not as a child writes it.
    pub fn add(&mut self, lines: &[String]) {
        for line in lines {
            if let Some(n) = line.strip_prefix("ACK ") {
                self.accepted.push(n.parse().unwrap());
            } else if let Some(n) = line.strip_prefix("RAN ") {
                self.ran.push(n.parse().unwrap());
            }
        }
    }
}

/// A run on one store.
#[derive(Debug)]
pub struct Run {
    /// The location of the store.
    pub place: Place,
    /// The receiver.
    pub receiver: Counting,
    /// The reports so far.
    pub told: Told,
    /// Whether the clocks of its children were set.
    pub clock_jumped: bool,
    program: &'static str,
    kills: usize,
}

impl Run {
    /// Sets a webhook, a task and an event up in a new store.
    ///
    /// # Panics
    /// If the store refuses.
    pub async fn new(place: Place, program: &'static str) -> Self {
        let receiver = Counting::start().await;
        let store = place.open().await;
        let url = format!("http://{}/hook", receiver.addr).parse().unwrap();
        let mut hook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
        hook.timeout = Timeout::MIN;
        hook.retries = Retries::new(u64::from(RETRIES)).unwrap();
        let hook = store
            .insert_webhook(&hook, AtMost::UNLIMITED, now())
            .await
            .unwrap();
        let message = r#"{"n":"${N}"}"#.parse().unwrap();
        let task = Task::new(
            OwnerId(1),
            "everyday".parse().unwrap(),
            Action::Send {
                webhook: hook.id,
                message,
            },
        );
        let task = store
            .insert_task(&task, AtMost::UNLIMITED, now())
            .await
            .unwrap();
        let event = Event::new(
            "vms".parse().unwrap(),
            "on".parse().unwrap(),
            Target::Tag(TagId(EVERYDAY)),
            task.id,
        );
        store
            .insert_event(&event, AtMost::UNLIMITED, now())
            .await
            .unwrap();
        Self {
            place,
            receiver,
            told: Told::default(),
            clock_jumped: false,
            program,
            kills: 0,
        }
    }

    /// Starts a child.
    pub fn child(&self, mode: Mode, number: u64) -> Child {
        Child::start(self.program, &self.place, mode, number)
    }

    /// Starts a child with another location of the store and with this environment. Its error
    /// output is not shown: it may start while the store cannot be reached.
    pub fn child_in(
        &self,
        place: &Place,
        environment: &[(&str, String)],
        mode: Mode,
        number: u64,
    ) -> Child {
        let mut program = Command::new(self.program);
        let environment = environment.iter().map(|(name, value)| (*name, value));
        program.envs(environment).stderr(Stdio::null());
        Child::start_in(&mut program, place, mode, number)
    }

    /// Kills a child and keeps its printed lines.
    pub fn kill(&mut self, child: Child) {
        let lines = child.kill();
        self.kills += 1;
        self.told.add(&lines);
    }

    /// Lets one child work until nothing waits any more, and collects the evidence.
    ///
    /// # Panics
    /// If the queue is not empty after three minutes.
    pub async fn end(self) -> Evidence {
        let store = self.place.open().await;
        let child = self.child(Mode::Work, 0);
        let began = tokio::time::Instant::now();
        let drained_in = loop {
            let figures = store.count_queue(now()).await.unwrap();
            if figures.queued + figures.running == 0 {
                break began.elapsed();
            }
            assert!(began.elapsed() < NEVER, "not empty: {figures:?}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        child.kill();
        let mut deliveries = Vec::new();
        let mut page = Page::first(1000);
        loop {
            let rows = store
                .list_deliveries(&DeliveryQuery::all(page))
                .await
                .unwrap();
            let Some(last) = rows.last() else { break };
            page = page.beyond(last.id);
            for row in rows {
                let attempts = store.attempts(row.id, 99).await.unwrap();
                deliveries.push((row, attempts));
            }
        }
        let tasks = store
            .routes(gatepost_ids::Realm::Shared, u32::MAX)
            .await
            .unwrap();
        let events = tasks.unwrap().events;
        let waiting: HashSet<i64> = events
            .iter()
            .filter_map(|event| match event.target {
                Target::Tag(tag) if tag.0 != EVERYDAY => Some(tag.0 - 1000),
                _ => None,
            })
            .collect();
        Evidence {
            told: self.told,
            seen: self.receiver.seen(),
            most_at_once: self.receiver.most_at_once(),
            deliveries,
            once_waiting: waiting,
            drained_in,
            drain_bound: LEASE + LOOK + SLACK,
            retries: RETRIES,
            at_once_bound: 64,
            kills: self.kills,
            clock_jumped: self.clock_jumped,
        }
    }
}
