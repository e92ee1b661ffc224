//! Scripts of targets that fail for hours, while processes come and go.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::furnish::HOSTS;
use super::script::{Act, Mood, Script, Step};

/// Steps of a script; with [`PAUSE`] it takes some five hours.
const STEPS: usize = 200;
/// The longest pause before a step.
const PAUSE: Duration = Duration::from_secs(180);
/// A fifth of that.
const DISABLE_AFTER: Duration = Duration::from_secs(3_600);

impl Script {
    /// Returns a script of five hours, drawn by the seed, in which a third of the targets fails
    /// from the beginning, a third fails and is well by turns, and the rest is well. No clock is
    /// set.
    #[must_use]
    pub fn of_outages(seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let processes = rng.random_range(2..=5);
        let dead = hosts(0).map(|host| Step {
            after: Duration::ZERO,
            act: Act::Target {
                host,
                mood: trouble(&mut rng),
            },
        });
        let mut steps: Vec<Step> = dead.collect();
        steps.extend((0..STEPS).map(|_| Step {
            after: rng.random_range(Duration::ZERO..=PAUSE),
            act: act(&mut rng),
        }));
        Self {
            seed,
            processes,
            disable_after: DISABLE_AFTER,
            steps,
        }
    }
}

/// Returns a third of all hosts.
fn hosts(third: u8) -> impl Iterator<Item = u8> {
    (third..u8::try_from(HOSTS).unwrap()).step_by(3)
}

fn act(rng: &mut StdRng) -> Act {
    let [process, hook, user]: [u8; 3] = rng.random();
    match rng.random_range(0..100) {
        0..50 => Act::Emit {
            process,
            user,
            times: rng.random_range(1..4),
        },
        50..55 => Act::Once { process, user },
        55..84 => {
            let turns: Vec<u8> = hosts(1).collect();
            Act::Target {
                host: *turns.choose(rng).unwrap(),
                mood: match rng.random_ratio(1, 2) {
                    true => Mood::Well,
                    false => trouble(rng),
                },
            }
        }
        84..90 => Act::Kill {
            process,
            back_after: rng.random_range(0..900),
        },
        90..93 => Act::Stop {
            process,
            back_after: rng.random_range(0..60),
        },
        93..96 => Act::Resume { process, hook },
        96..97 => Act::Cancel { process, hook },
        97..99 => Act::StoreBad {
            process,
            seconds: rng.random_range(1..120),
        },
        _ => Act::StoreDown {
            seconds: rng.random_range(1..60),
        },
    }
}

fn trouble(rng: &mut StdRng) -> Mood {
    let some = [
        Mood::Status(500),
        Mood::Status(503),
        Mood::Refusing,
        Mood::Unreachable,
        Mood::Hanging,
        Mood::Resetting,
    ];
    *some.choose(rng).unwrap()
}
