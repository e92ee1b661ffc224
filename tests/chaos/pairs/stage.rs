//! The setup in which a process has pairs of faults: a store, a receiver, and a supervisor that
//! starts it again.

use std::time::Duration;

use rusqlite::Connection;
use tests::chaos::{CLOCK, Child, Evidence, Full, FullDisk, Mode, Place, Run};
use tokio::time::{Instant, sleep};

use super::CHILD;
use super::fault::{Fault, Pair};
use super::server::Server;

/// The time for which a single fault lasts, and for which two last.
const HOLD: Duration = Duration::from_millis(250);
/// The time limit until it recovers by itself: 3 s, and on SQLite sometimes 16 s after a kill.
const HEALED: Duration = Duration::from_secs(60);
/// The time limit until a write fails on a full disk.
const BITES: Duration = Duration::from_secs(10);
/// Recoveries that take longer are printed.
const SLOW: Duration = Duration::from_secs(3);
/// The interval at which the supervisor checks for ended processes.
const LOOK: Duration = Duration::from_millis(20);

pub(super) enum Backend {
    File {
        folder: tempfile::TempDir,
        disk: FullDisk,
        /// Holds the file's lock.
        lock: Option<Connection>,
    },
    Server(Box<Server>),
}

pub(super) struct Stage {
    pub(super) backend: Backend,
    run: Run,
    mode: Mode,
    child: Option<Child>,
    /// The number of started processes.
    children: u64,
    is_killed: bool,
    is_full: bool,
    /// The number of seconds by which the clock is wrong.
    clock: i64,
    /// The token that the webhook must show.
    token: u32,
    /// The number of writes that failed because the disk was full.
    pub(super) bites: u64,
    /// The longest time of a recovery.
    pub(super) longest: Duration,
}

impl Backend {
    pub(super) fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let disk = FullDisk::new(folder.path(), Full::Writes);
        Self::File {
            folder,
            disk,
            lock: None,
        }
    }

    fn place(&self) -> Place {
        match self {
            Self::File { folder, .. } => Place::in_folder(folder),
            Self::Server(server) => server.place(),
        }
    }

    fn disk(&self) -> &FullDisk {
        match self {
            Self::File { disk, .. } => disk,
            Self::Server(server) => &server.disk,
        }
    }
}

impl Stage {
    pub(super) async fn new(backend: Backend, mode: Mode) -> Self {
        Self {
            run: Run::new(backend.place(), CHILD).await,
            backend,
            mode,
            child: None,
            children: 0,
            is_killed: false,
            is_full: false,
            clock: 0,
            token: 0,
            bites: 0,
            longest: Duration::ZERO,
        }
    }

    /// Causes the first fault, then the second during the first; ends the first during the second,
    /// then the second, and waits until the process accepts and delivers again.
    pub(super) async fn bring(&mut self, pair: Pair) {
        let (first, second) = pair;
        self.heal(&format!("before {pair:?}")).await;
        self.inject(first).await;
        self.hold(HOLD).await;
        if first == Fault::DiskFull {
            self.hold_until_it_bites().await;
        }
        self.inject(second).await;
        self.hold(HOLD).await;
        self.lift(first).await;
        self.hold(HOLD / 2).await;
        self.lift(second).await;
        let took = self.heal(&format!("{pair:?}")).await;
        self.longest = self.longest.max(took);
    }

    async fn inject(&mut self, fault: Fault) {
        match (fault, &mut self.backend) {
            (Fault::Killed, _) => {
                self.is_killed = true;
                if let Some(child) = self.child.take() {
                    self.run.kill(child);
                }
            }
            (Fault::Restarted, Backend::Server(server)) => server.halt().await,
            (Fault::Cut, Backend::Server(server)) => server.wire.cut(),
            (Fault::Cut, Backend::File { folder, lock, .. }) => {
                let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
                file.busy_timeout(HEALED).unwrap();
                file.execute_batch("BEGIN IMMEDIATE").unwrap();
                *lock = Some(file);
            }
            (Fault::DiskFull, backend) => {
                self.is_full = true;
                backend.disk().fill();
            }
            (Fault::ClockSet, backend) => {
                // A clock that differs from a server's by more than 30 seconds claims nothing.
                let back = match backend {
                    Backend::File { .. } => -3_600,
                    Backend::Server(_) => -20,
                };
                self.set_clock(back);
            }
            (Fault::TargetHangs, _) => self.run.receiver.hang(true),
            (Fault::Rotated, backend) => {
                self.token += 1;
                if let Backend::Server(server) = backend {
                    server.rotate().await;
                }
                self.say_token();
            }
            (Fault::Restarted, Backend::File { .. }) => panic!("a file has no server"),
        }
    }

    async fn lift(&mut self, fault: Fault) {
        match (fault, &mut self.backend) {
            (Fault::Killed, _) => self.is_killed = false,
            (Fault::Restarted, Backend::Server(server)) => server.run().await,
            (Fault::Cut, Backend::Server(server)) => server.wire.mend(),
            (Fault::Cut, Backend::File { lock, .. }) => *lock = None,
            (Fault::DiskFull, backend) => {
                self.is_full = false;
                self.bites += backend.disk().empty();
            }
            (Fault::ClockSet, _) => self.set_clock(0),
            (Fault::TargetHangs, _) => self.run.receiver.hang(false),
            (Fault::Rotated, Backend::Server(server)) => {
                while !server.catch_up().await {
                    sleep(LOOK).await;
                }
                server.tell();
            }
            (Fault::Rotated | Fault::Restarted, Backend::File { .. }) => {}
        }
    }

    async fn hold(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            self.tend().await;
            sleep(LOOK).await;
        }
    }

    /// Waits until the fault has an effect. With few writes, a file may have space for the next row
    /// in its last page.
    async fn hold_until_it_bites(&mut self) {
        let began = Instant::now();
        while self.backend.disk().bites() == 0 && began.elapsed() < BITES {
            self.hold(LOOK).await;
        }
    }

    /// Starts what should run and does not.
    async fn tend(&mut self) {
        if let Backend::Server(server) = &mut self.backend
            && !server.is_halted
        {
            if !self.is_full {
                server.keep_up().await;
            }
            server.catch_up().await;
        }
        if let Some(child) = &mut self.child
            && let Some(status) = child.ended()
        {
            let was_ready = child.told().iter().any(|line| line == "READY");
            assert!(!was_ready, "a process ended by itself: {status}");
            self.child = None;
        }
        if self.child.is_none() && !self.is_killed {
            self.start();
        }
    }

    fn start(&mut self) {
        let mut environment = vec![(CLOCK, self.clock.to_string())];
        let place = match &self.backend {
            Backend::File { disk, .. } => {
                environment.extend(disk.environment());
                self.run.place.clone()
            }
            Backend::Server(server) => {
                environment.push(server.environment());
                server.place_of_processes()
            }
        };
        self.children += 1;
        let number = self.children;
        let child = self.run.child_in(&place, &environment, self.mode, number);
        self.child = Some(child);
        self.say_token();
    }

    fn set_clock(&mut self, wrong: i64) {
        self.clock = wrong;
        self.run.clock_jumped = true;
        if let Some(child) = &mut self.child {
            child.say(&format!("CLOCK {wrong}"));
        }
    }

    fn say_token(&mut self) {
        if let Some(child) = &mut self.child {
            child.say(&format!("ROTATE {}", self.token));
        }
    }

    /// Returns the time until an occurrence that is accepted from now on has arrived with the
    /// newest token.
    async fn heal(&mut self, what: &str) -> Duration {
        let (began, token) = (Instant::now(), format!("Bearer token-{}", self.token));
        let (mut of, mut from) = (0, 0);
        loop {
            self.tend().await;
            let told = self.child.as_ref().map(Child::told).unwrap_or_default();
            if of != self.children {
                (of, from) = (self.children, told.len());
            }
            let mut accepted = told.iter().skip(from);
            let arrived = accepted.find_map(|line| {
                let body = format!(r#"{{"n":"{}"}}"#, line.strip_prefix("ACK ")?);
                self.run.receiver.last(|seen| {
                    seen.body == body && seen.answered == Some(200) && seen.authorization == token
                })
            });
            if arrived.is_some() {
                if began.elapsed() > SLOW {
                    eprintln!("{what}: healed after {:.1?}", began.elapsed());
                }
                return began.elapsed();
            }
            let waited = began.elapsed();
            assert!(waited < HEALED, "{what}: not healed after {waited:?}");
            sleep(LOOK).await;
        }
    }

    /// Kills the process, lets another end the waiting deliveries, and collects the evidence.
    pub(super) async fn end(mut self) -> (Evidence, Backend) {
        if let Some(child) = self.child.take() {
            self.run.kill(child);
        }
        (self.run.end().await, self.backend)
    }
}
