//! Faults between one process and the store.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gatepost_testkit::fault::Fault;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::Instant;

use super::trace::Trace;

/// Longer than any run.
const FOR_EVER: Duration = Duration::from_secs(1_000_000_000);

/// The state of the connection from one process to the store.
#[derive(Debug)]
pub(super) struct Way {
    seed: u64,
    process: u64,
    trace: Arc<Mutex<Trace>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    rng: StdRng,
    /// Whether the process was killed: no further call of it is carried out or answered.
    dead: bool,
    down_until: Instant,
    bad_until: Instant,
}

impl Way {
    pub(super) fn new(seed: u64, process: u64, trace: Arc<Mutex<Trace>>) -> Self {
        let now = Instant::now();
        let state = State {
            rng: StdRng::seed_from_u64(seed),
            dead: false,
            down_until: now,
            bad_until: now,
        };
        Self {
            seed,
            process,
            trace,
            state: Mutex::new(state),
        }
    }

    /// Kills the process.
    pub(super) fn cut(&self) {
        self.state.lock().unwrap().dead = true;
    }

    /// Makes the store refuse everything for this time.
    pub(super) fn down(&self, time: Duration) {
        self.state.lock().unwrap().down_until = Instant::now() + time;
    }

    /// Makes one call in ten go wrong for this time.
    pub(super) fn bad(&self, time: Duration) {
        self.state.lock().unwrap().bad_until = Instant::now() + time;
    }

    /// Ends the trouble.
    pub(super) fn heal(&self) {
        self.down(Duration::ZERO);
        self.bad(Duration::ZERO);
    }

    /// Returns the fault of this call.
    pub(super) fn decide(&self, method: &'static str) -> Option<Fault> {
        let (mut state, now) = (self.state.lock().unwrap(), Instant::now());
        if state.dead {
            return Some(Fault::Hang(FOR_EVER));
        }
        self.trace.lock().unwrap().count(self.process, method);
        if now < state.down_until {
            return Some(Fault::Refused);
        }
        let fault = if now < state.bad_until && state.rng.random_ratio(1, 10) {
            drawn(&mut state.rng)
        } else {
            return None;
        };
        let mut trace = self.trace.lock().unwrap();
        trace.line(format_args!(
            "process {}: {method}: {fault:?}",
            self.process
        ));
        Some(fault)
    }
}

impl Way {
    /// Returns the fault of this call of the key store. Key strings are random, and so is
    /// everything that depends on them: other actions must not depend on how often keys are read.
    /// So only time decides, and nothing is drawn or counted.
    pub(super) fn decide_keys(&self, method: &'static str) -> Option<Fault> {
        let (state, now) = (self.state.lock().unwrap(), Instant::now());
        if state.dead {
            return Some(Fault::Hang(FOR_EVER));
        }
        if now < state.down_until {
            return Some(Fault::Refused);
        }
        if now >= state.bad_until || method == "key_changes" {
            return None;
        }
        let mut moment = DefaultHasher::new();
        moment.write_u64(self.seed);
        moment.write(method.as_bytes());
        moment.write_u128((state.bad_until - now).as_micros());
        let mut rng = StdRng::seed_from_u64(moment.finish());
        rng.random_ratio(1, 10).then(|| drawn(&mut rng))
    }
}

fn drawn(rng: &mut StdRng) -> Fault {
    match rng.random_range(0..4) {
        0 => Fault::Refused,
        1 => Fault::AnswerLost,
        2 => Fault::Hang(Duration::from_millis(rng.random_range(1..20_000))),
        _ => Fault::Late(Duration::from_millis(rng.random_range(1..5_000))),
    }
}
