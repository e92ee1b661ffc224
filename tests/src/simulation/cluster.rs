//! All processes of the platform: they die, and are started again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::Clock as _;
use tokio::time::Instant;

use super::clock::VirtualClock;
use super::faults::Way;
use super::process::{Ground, Process};

/// A slot for a process.
#[derive(Debug)]
enum Slot {
    Runs(Box<Process>),
    /// The process will be started at this time.
    Away(Instant),
}

/// The slots, and the state that they share.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) ground: Ground,
    slots: Vec<Slot>,
    /// The number of processes ever started.
    started: u64,
    down_until: Instant,
    /// The times at which processes were killed, by their number.
    pub(super) killed: BTreeMap<u64, DateTime<Utc>>,
    /// The times between which processes ran, by their number.
    pub(super) lives: BTreeMap<u64, Life>,
}

/// The time in which a process ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub from: DateTime<Utc>,
    /// The time at which it was killed or shut down; far in the future, if it was not.
    pub until: DateTime<Utc>,
}

impl Cluster {
    pub(super) fn new(ground: Ground, processes: u8) -> Self {
        let now = ground.began;
        Self {
            ground,
            slots: (0..processes).map(|_| Slot::Away(now)).collect(),
            started: 0,
            down_until: now,
            killed: BTreeMap::new(),
            lives: BTreeMap::new(),
        }
    }

    /// Returns the process in a slot, if one runs there; the number is taken modulo the number of
    /// slots.
    pub(super) fn process(&self, slot: u8) -> Option<&Process> {
        match &self.slots[usize::from(slot) % self.slots.len()] {
            Slot::Runs(process) => Some(process),
            Slot::Away(_) => None,
        }
    }

    /// Returns all running processes.
    pub(super) fn running(&self) -> impl Iterator<Item = &Process> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Runs(process) => Some(&**process),
            Slot::Away(_) => None,
        })
    }

    /// Lets time pass, and starts the processes that are due.
    pub(super) async fn pass(&mut self, time: Duration) {
        let until = Instant::now() + time;
        loop {
            self.start_due().await;
            let back = self.slots.iter().filter_map(|slot| match slot {
                Slot::Runs(_) => None,
                Slot::Away(at) => Some(*at),
            });
            let next = back.min().map_or(until, |back| back.min(until));
            tokio::time::sleep_until(next).await;
            if Instant::now() >= until {
                return;
            }
        }
    }

    async fn start_due(&mut self) {
        for index in 0..self.slots.len() {
            let now = Instant::now();
            if matches!(&self.slots[index], Slot::Away(at) if *at <= now) {
                self.started += 1;
                let way = self.way();
                let begun = Process::start(&self.ground, self.started, way).await;
                if begun.is_some() {
                    let life = Life {
                        from: self.now(),
                        until: DateTime::<Utc>::MAX_UTC,
                    };
                    self.lives.insert(self.started, life);
                }
                self.slots[index] = begun.map_or_else(
                    || Slot::Away(Instant::now() + Duration::from_secs(1)),
                    |process| Slot::Runs(Box::new(process)),
                );
                self.tell(format_args!(
                    "slot {index}: process {} starts",
                    self.started
                ));
            }
        }
    }

    fn way(&self) -> Arc<Way> {
        let seed = self.ground.seed.wrapping_mul(31).wrapping_add(self.started);
        let way = Way::new(seed, self.started, self.ground.trace.clone());
        way.down(self.down_until.saturating_duration_since(Instant::now()));
        Arc::new(way)
    }

    /// Kills a process. Its unfinished work stays undone.
    pub(super) fn kill(&mut self, slot: u8, back_after: u16) {
        if let Some(number) = self.process(slot).map(|process| process.number) {
            self.killed.insert(number, self.now());
        }
        self.away(slot, back_after, |process| process.kill());
    }

    /// Shuts a process down: it may finish its work for ten seconds.
    pub(super) fn stop(&mut self, slot: u8, back_after: u16) {
        self.away(slot, back_after, |process| {
            let engine = process.engine.clone();
            tokio::spawn(async move { engine.shutdown(Duration::from_secs(10)).await });
        });
    }

    fn away(&mut self, slot: u8, back_after: u16, end: impl FnOnce(&Process)) {
        let index = usize::from(slot) % self.slots.len();
        if let Slot::Runs(process) = &self.slots[index] {
            end(process);
            let now = VirtualClock::since(self.ground.began).now();
            if let Some(life) = self.lives.get_mut(&process.number) {
                life.until = now;
            }
            let back = Instant::now() + Duration::from_secs(u64::from(back_after));
            self.slots[index] = Slot::Away(back);
        }
    }

    /// Makes the store refuse everybody for this time.
    pub(super) fn store_down(&mut self, time: Duration) {
        self.down_until = Instant::now() + time;
        self.running().for_each(|process| process.way.down(time));
    }

    /// Ends all trouble: every clock is right, the store is well, and every process starts.
    pub(super) async fn heal(&mut self) {
        let now = Instant::now();
        self.down_until = now;
        for process in self.running() {
            process.way.heal();
            process.clock.set_wrong(0);
        }
        for slot in &mut self.slots {
            if let Slot::Away(at) = slot {
                *at = now;
            }
        }
        self.start_due().await;
    }

    /// Returns the true time.
    pub(super) fn now(&self) -> DateTime<Utc> {
        VirtualClock::since(self.ground.began).now()
    }

    /// Writes a line about what happens.
    pub(super) fn tell(&self, text: impl std::fmt::Display) {
        self.ground.trace.lock().unwrap().line(text);
    }
}
