//! Events from outside, and their times.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// The behaviour of a target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mood {
    /// It answers 200 immediately.
    Well,
    /// It answers 200 after this many milliseconds.
    Slow(u64),
    /// It answers with this status.
    Status(u16),
    /// It answers 429 with a `Retry-After` of this many seconds.
    Busy(u64),
    /// It refuses connections.
    Refusing,
    /// Connections to it are neither made nor refused.
    Unreachable,
    /// It takes the request and does not answer.
    Hanging,
    /// It takes the request and closes the connection.
    Resetting,
    /// It closes the connection within the head of its answer.
    Stuttering,
}

/// The credentials that a webhook shows its target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Shown {
    /// The token of its authorization.
    Token,
    /// The signature by its newest secret, and by the one before.
    Secret,
}

/// One act. Numbers are taken modulo the existing ones, so that every script makes sense, also one
/// without some of its steps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Act {
    /// Something happens to a user's object, and one process emits that, a number of times
    /// concurrently.
    Emit { process: u8, user: u8, times: u8 },
    /// The same, in one call.
    EmitMany { process: u8, user: u8, times: u8 },
    /// The same, through the outbox.
    EmitLater { process: u8, user: u8, times: u8 },
    /// The occurrence before the last `back` ones is emitted once more, under the same id.
    Repeat { process: u8, back: u8 },
    /// A user makes a one-time task, and two occurrences match it, through two processes.
    Once { process: u8, user: u8 },
    /// A webhook is paused.
    Pause { process: u8, hook: u8 },
    /// A webhook is resumed.
    Resume { process: u8, hook: u8 },
    /// A webhook that may change gets other retries and another timeout; it keeps the order from
    /// now on if the retries are odd, and does not otherwise.
    Edit { process: u8, hook: u8, retries: u8 },
    /// A webhook that may change is deleted, with its tasks.
    Delete { process: u8, hook: u8 },
    /// Failed deliveries of a webhook are sent again.
    Replay { process: u8, hook: u8 },
    /// Waiting deliveries of a webhook that may change are cancelled.
    Cancel { process: u8, hook: u8 },
    /// Deliveries that wait for a later time become due immediately.
    Hasten { process: u8, hook: u8 },
    /// A webhook shows its target another credential.
    Rotate { process: u8, hook: u8, shown: Shown },
    /// The platform limits a user to this number of waiting deliveries, and to fewer webhooks.
    Limit { user: u8, waiting: u8 },
    /// The platform lifts the limits of a user.
    Lift { user: u8 },
    /// A user makes two webhooks, through two processes at the same time.
    AddWebhooks { process: u8, user: u8 },
    /// A user rolls the newest API key; the old one is valid for a number of seconds.
    RollKey { process: u8, user: u8, overlap: u16 },
    /// The newest API keys of a user are presented.
    UseKeys { process: u8, user: u8 },
    /// A target changes.
    Target { host: u8, mood: Mood },
    /// A process is killed; it starts again after a number of seconds.
    Kill { process: u8, back_after: u16 },
    /// A process is shut down in good order, and starts again after a number of seconds.
    Stop { process: u8, back_after: u16 },
    /// A process's clock is set wrong by a number of seconds.
    Jump { process: u8, seconds: i16 },
    /// The store refuses everything for a number of seconds.
    StoreDown { seconds: u16 },
    /// One in ten of a process's calls of the store goes wrong for a number of seconds.
    StoreBad { process: u8, seconds: u16 },
}

impl Act {
    fn is_calm(self) -> bool {
        !matches!(
            self,
            Self::Kill { .. }
                | Self::Stop { .. }
                | Self::Jump { .. }
                | Self::StoreDown { .. }
                | Self::StoreBad { .. }
        )
    }
}

/// An act, and the pause before it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Step {
    /// The pause before it.
    pub(super) after: Duration,
    /// The act.
    pub(super) act: Act,
}

/// All acts of one run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Script {
    /// Decides the rest: faults of the store, jitter, message ids.
    pub(super) seed: u64,
    /// The number of processes, 2 to 5.
    pub(super) processes: u8,
    /// The time of failing after which a webhook is disabled.
    pub(super) disable_after: Duration,
    /// The steps.
    pub(super) steps: Vec<Step>,
}

impl Script {
    /// Returns a script of this many steps over this time, drawn by the seed.
    #[must_use]
    pub fn drawn(seed: u64, steps: usize, span: Duration) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let processes = rng.random_range(2..=5);
        // Most steps come in bursts; a quarter of the pauses share nearly all the time.
        let long = span / u32::try_from(steps / 8).unwrap().max(1);
        let drawn = (0..steps).map(|_| Step {
            after: pause(&mut rng, long),
            act: act(&mut rng),
        });
        let mut steps: Vec<Step> = drawn.collect();
        if seed.is_multiple_of(4) {
            steps.retain(|step| step.act.is_calm());
        }
        Self {
            seed,
            processes,
            disable_after: span / 4,
            steps,
        }
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns whether no process dies or is stopped, no clock jumps, and the store is well
    /// throughout. One seed in four is drawn so: it permits many promises that others do not.
    pub(super) fn is_calm(&self) -> bool {
        self.steps.iter().all(|step| step.act.is_calm())
    }
}

fn pause(rng: &mut StdRng, long: Duration) -> Duration {
    let longest = match rng.random_range(0..4) {
        0 => return Duration::ZERO,
        1 => Duration::from_millis(200),
        2 => Duration::from_secs(10),
        _ => long,
    };
    rng.random_range(Duration::ZERO..=longest)
}

fn act(rng: &mut StdRng) -> Act {
    let [process, hook, user]: [u8; 3] = rng.random();
    match rng.random_range(0..128) {
        0..20 => Act::Emit {
            process,
            user,
            times: rng.random_range(1..6),
        },
        20..24 => Act::EmitMany {
            process,
            user,
            times: rng.random_range(1..30),
        },
        24..32 => Act::EmitLater {
            process,
            user,
            times: rng.random_range(1..20),
        },
        32..37 => Act::Repeat {
            process,
            back: rng.random_range(0..20),
        },
        37..44 => Act::Once { process, user },
        44..48 => Act::Pause { process, hook },
        48..53 => Act::Resume { process, hook },
        53..56 => Act::Edit {
            process,
            hook,
            retries: rng.random_range(0..6),
        },
        56..57 => Act::Delete { process, hook },
        57..60 => Act::Replay { process, hook },
        60..62 => Act::Cancel { process, hook },
        62..64 => Act::Hasten { process, hook },
        64..84 => Act::Target {
            host: hook,
            mood: mood(rng),
        },
        84..90 => Act::Kill {
            process,
            back_after: rng.random_range(0..900),
        },
        90..92 => Act::Stop {
            process,
            back_after: rng.random_range(0..60),
        },
        92..94 => Act::Jump {
            process,
            seconds: rng.random_range(-3_600..3_600),
        },
        94..96 => Act::StoreDown {
            seconds: rng.random_range(1..240),
        },
        96..103 => Act::Rotate {
            process,
            hook,
            shown: *[Shown::Token, Shown::Secret].choose(rng).unwrap(),
        },
        103..106 => Act::Limit {
            user,
            waiting: *[0, 0, 3, 20].choose(rng).unwrap(),
        },
        106..109 => Act::Lift { user },
        109..111 => Act::AddWebhooks { process, user },
        111..115 => Act::RollKey {
            process,
            user: user % 3,
            overlap: rng.random_range(0..600),
        },
        115..124 => Act::UseKeys {
            process,
            user: user % 3,
        },
        _ => Act::StoreBad {
            process,
            seconds: rng.random_range(1..600),
        },
    }
}

fn mood(rng: &mut StdRng) -> Mood {
    let some = [
        Mood::Well,
        Mood::Well,
        Mood::Well,
        Mood::Slow(rng.random_range(1..20_000)),
        Mood::Status(*[204, 301, 400, 404, 410, 500, 503].choose(rng).unwrap()),
        Mood::Busy(rng.random_range(1..7_200)),
        Mood::Refusing,
        Mood::Unreachable,
        Mood::Hanging,
        Mood::Resetting,
        Mood::Stuttering,
    ];
    *some.choose(rng).unwrap()
}
