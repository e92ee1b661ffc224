//! Whole engines in virtual time, from seeds (`tests/src/simulation`). For more of them than here:
//! `cargo run --release -p tests --bin simulate`.

use std::io::Write as _;
use std::time::Duration;

use tests::simulation::{Promise, Sabotage, Script, pairs, run, run_sabotaged, told};

/// Returns an hour of trouble, and another hour until the last retry has ended.
fn script(seed: u64) -> Script {
    Script::drawn(seed, 200, Duration::from_secs(3_600))
}

/// Runs each script and checks that it breaks no promise. Two tests have half of the seeds each, so
/// that they run in parallel.
fn none_is_broken(scripts: impl Iterator<Item = Script>) {
    for script in scripts {
        let outcome = run(&script);
        assert!(outcome.requests > 0, "nothing happened in {script:?}");
        assert!(outcome.breaches.is_empty(), "{}", told(&script, &outcome));
    }
}

#[test]
fn promises_hold_for_even_seeds() {
    none_is_broken((0..200).step_by(2).map(script));
}

#[test]
fn promises_hold_for_odd_seeds() {
    none_is_broken((1..200).step_by(2).map(script));
}

#[test]
fn outages_of_hours_break_no_promise() {
    none_is_broken((0..8).map(Script::of_outages));
}

#[test]
fn promises_hold_for_every_pair_of_faults() {
    let mut tried = 0;
    for script in pairs() {
        let outcome = run(&script);
        assert!(outcome.requests > 0, "nothing happened");
        assert!(outcome.breaches.is_empty(), "{}", told(&script, &outcome));
        tried += 1;
    }
    assert_eq!(tried, 2 * 12 * 12);
}

#[test]
fn simulation_run_is_byte_identical_for_same_script() {
    for seed in [0, 1] {
        let (one, two) = (run(&script(seed)), run(&script(seed)));
        let differ = one
            .trace
            .iter()
            .zip(&two.trace)
            .find(|(one, two)| one != two);
        assert_eq!(differ, None, "seed {seed}");
        assert_eq!(
            one.digest, two.digest,
            "seed {seed}: each call of the store"
        );
        assert_ne!(one.digest, run(&script(seed + 2)).digest);
    }
}

#[test]
fn each_engine_that_is_wrong_is_found_out() {
    let mut most = 0;
    for (sabotage, promise) in Sabotage::ALL {
        let found = (0..16).find(|seed| {
            let script = match promise {
                Promise::EndpointStatesAreTrue => Script::of_outages(*seed),
                _ => script(*seed),
            };
            let breaches = run_sabotaged(&script, sabotage).breaches;
            breaches.iter().any(|breach| breach.promise == promise)
        });
        let Some(seeds) = found.map(|seed| seed + 1) else {
            panic!("{sabotage:?} does not break {promise:?} in 16 seeds");
        };
        eprintln!("{sabotage:?} breaks {promise:?}: found within {seeds} seeds");
        most = most.max(seeds);
    }
    // A passing test's output is hidden; this must be visible.
    let all = Sabotage::ALL.len();
    let line = format!("{all} of {all} wrong engines found, each within {most} seeds\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

#[test]
fn requests_end_within_lease_despite_late_claim_answers() {
    for seed in (0..16).step_by(4) {
        let outcome = run_sabotaged(&script(seed), Sabotage::AnswersClaimsLate);
        assert!(outcome.requests > 0, "seed {seed}: nothing happened");
        let mut breaches = outcome.breaches.iter();
        let outlasts = breaches.find(|breach| breach.promise == Promise::LeasesOutlastRequests);
        assert!(outlasts.is_none(), "seed {seed}: {outlasts:?}");
    }
}

#[test]
fn broken_promise_is_shrunk_to_few_steps() {
    let whole = script(0);
    let breaks = |script: &Script| {
        let breaches = run_sabotaged(script, Sabotage::ForgetsIds).breaches;
        !breaches.is_empty()
    };
    assert!(breaks(&whole));
    let few = tests::simulation::shrunk(&whole, breaks, 60);
    assert!(breaks(&few) && few.len() <= 8, "{few:#?}");
}
