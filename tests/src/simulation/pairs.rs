//! Scripts in which one trouble follows another.

use std::time::Duration;

use super::script::{Act, Mood, Script, Shown, Step};

/// All troubles, of the first process and of another.
const TROUBLES: [Act; 12] = [
    Act::Kill {
        process: 0,
        back_after: 5,
    },
    Act::Kill {
        process: 1,
        back_after: 300,
    },
    Act::Stop {
        process: 0,
        back_after: 5,
    },
    Act::Jump {
        process: 0,
        seconds: 3_000,
    },
    Act::Jump {
        process: 1,
        seconds: -3_000,
    },
    Act::StoreDown { seconds: 45 },
    Act::StoreBad {
        process: 0,
        seconds: 60,
    },
    Act::Target {
        host: 1,
        mood: Mood::Hanging,
    },
    Act::Target {
        host: 1,
        mood: Mood::Resetting,
    },
    Act::Target {
        host: 1,
        mood: Mood::Refusing,
    },
    Act::Rotate {
        process: 1,
        hook: 1,
        shown: Shown::Token,
    },
    Act::Limit {
        user: 1,
        waiting: 0,
    },
];

/// The times from the first trouble to the second: during the effects of the first, and at the end
/// of leases.
const GAPS: [Duration; 2] = [Duration::from_millis(3), Duration::from_secs(40)];

/// The time of failing after which a webhook is disabled.
const DISABLE_AFTER: Duration = Duration::from_secs(900);

/// Returns every two troubles, in both orders and with each gap; something happens before, between
/// and after them.
pub fn pairs() -> impl Iterator<Item = Script> {
    let troubles = TROUBLES.into_iter().enumerate();
    troubles.flat_map(|(first, one)| {
        let others = TROUBLES.into_iter().enumerate();
        others.flat_map(move |(second, other)| {
            let gaps = GAPS.into_iter().enumerate();
            gaps.map(move |(gap, pause)| Script {
                seed: ((first * TROUBLES.len() + second) * GAPS.len() + gap) as u64 * 4 + 1,
                processes: 2,
                disable_after: DISABLE_AFTER,
                steps: steps(one, other, pause),
            })
        })
    })
}

fn steps(one: Act, other: Act, gap: Duration) -> Vec<Step> {
    let emits = |process| {
        let acts = [
            Act::Emit {
                process,
                user: 0,
                times: 3,
            },
            Act::EmitLater {
                process,
                user: 1,
                times: 3,
            },
            Act::Once { process, user: 0 },
            Act::Repeat { process, back: 1 },
        ];
        acts.map(|act| (Duration::from_millis(2), act))
    };
    let seconds = Duration::from_secs;
    let mut all = Vec::from(emits(0));
    all.push((Duration::from_millis(3), one));
    all.extend(emits(1));
    all.push((gap, other));
    all.extend(emits(0));
    all.extend(emits(1));
    all.push((
        seconds(90),
        Act::Repeat {
            process: 1,
            back: 3,
        },
    ));
    all.extend(emits(0));
    let steps = all.into_iter();
    steps.map(|(after, act)| Step { after, act }).collect()
}
