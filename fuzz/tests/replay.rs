//! The targets hold for every stored input, and for such inputs changed at random. A seed decides
//! the changes, and a failure prints it; `GATEPOST_FUZZ_SEED` repeats it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use fuzz::{TARGETS, Target};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// The number of changed inputs for each target.
const CHANGED: usize = 20_000;
/// The number for the target that calls a whole API.
const CHANGED_FILTERS: usize = 2_000;
/// Bytes that parsers look for.
const TELLING: &[u8] = b"\0\t\r\n \"#$%&'()*,-./0:;<=>?@[\\]_{|}~\x80\xff";

#[test]
fn fuzz_targets_hold_for_corpus_and_mutations() {
    let given = std::env::var("GATEPOST_FUZZ_SEED").ok();
    let seed = given.map_or_else(rand::random, |seed| seed.parse().unwrap());
    for (name, target) in TARGETS {
        let kept = kept(name);
        assert!(kept.len() > 20, "{name}: the inputs that are kept are gone");
        let changed = match name {
            "filter" => CHANGED_FILTERS,
            _ => CHANGED,
        };
        tried(name, target, &kept, changed, seed).unwrap();
        println!("{name}: {} kept inputs, {changed} changed ones", kept.len());
    }
}

#[test]
fn failing_fuzz_target_is_reported_with_seed() {
    let target: Target = |input| assert!(!input.contains(&b'\r'), "a carriage return");
    let kept = [b"plain".to_vec(), b"words".to_vec()];
    let told = tried("no_returns", target, &kept, CHANGED, 7).unwrap_err();
    assert!(
        told.starts_with("no_returns does not hold of ") && told.contains("seed 7"),
        "{told}"
    );
    assert!(told.contains("\\r"), "{told}");
}

/// Tries a target; returns a text about the failure.
fn tried(
    name: &str,
    target: Target,
    kept: &[Vec<u8>],
    changed: usize,
    seed: u64,
) -> Result<(), String> {
    let mut random = StdRng::seed_from_u64(seed);
    let made = (0..changed).map(|_| changed_input(kept, &mut random));
    for input in kept.iter().cloned().chain(made) {
        if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
            let input = input.escape_ascii();
            return Err(format!("{name} does not hold of \"{input}\" (seed {seed})"));
        }
    }
    Ok(())
}

fn kept(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

/// Returns one of the stored inputs with one to four changes.
fn changed_input(kept: &[Vec<u8>], random: &mut StdRng) -> Vec<u8> {
    let mut input = kept[random.random_range(0..kept.len())].clone();
    for _ in 0..random.random_range(1..=4) {
        let (from, to) = (
            random.random_range(0..=input.len()),
            random.random_range(0..=input.len()),
        );
        let (from, to) = (from.min(to), from.max(to));
        match random.random_range(0..6) {
            0 => input.insert(from, TELLING[random.random_range(0..TELLING.len())]),
            1 => input.insert(from, random.random()),
            2 if from < input.len() => input[from] ^= 1 << random.random_range(0..8),
            3 => drop(input.drain(from..to)),
            4 => {
                let again = input[from..to].to_vec();
                input.splice(to..to, again);
            }
            _ => {
                // The beginning of one input, and the end of another.
                let other = &kept[random.random_range(0..kept.len())];
                input.truncate(from);
                input.extend_from_slice(&other[from.min(other.len())..]);
            }
        }
        input.truncate(4_096);
    }
    input
}
