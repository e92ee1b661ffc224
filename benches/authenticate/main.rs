//! Authentication from the header to the principal, from memory, against only the pure check in the
//! same run: a key string that is parsed, its HMAC from two prepared states, compared; expiry;
//! addresses.
//!
//! A header comes from a socket, so it is in the processor's cache: each batch of headers is copied
//! to one buffer before it is timed. Each result is the median of its batches.
//!
//! `cargo bench -p benches --bench authenticate`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a measurement, not a library"
)]

mod stage;

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use benches::spread;

use self::stage::{Limited, Stage};

const ROUNDS: usize = 9;
/// The number of calls that are timed together.
const BATCH: usize = 256;
const BATCHES: usize = 1_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let stage = |keys, limited| runtime.block_on(Stage::of(keys, limited));
    let stages = [
        ("one key", stage(1, Limited::No)),
        ("one key with a limit", stage(1, Limited::Yes)),
        ("among 10,000", stage(10_000, Limited::No)),
        ("among 1,000,000", stage(1_000_000, Limited::No)),
    ];
    println!(
        "{ROUNDS} rounds in turn, each the median of {BATCHES} batches of {BATCH}; each key has 10 \
         IP entries and an HMAC digest"
    );
    let mut pure = Vec::new();
    let mut figures = vec![Vec::new(); stages.len()];
    for _ in 0..ROUNDS {
        let base = median(&stages[0].1, Stage::check);
        pure.push(base);
        for ((_, stage), figures) in stages.iter().zip(&mut figures) {
            stage.fill_buckets();
            figures.push((median(stage, Stage::authenticate), base));
        }
    }
    let (median, low, high) = spread(pure);
    println!("the pure check: {median:.1} ns ({low:.1} to {high:.1})");
    for ((name, stage), figures) in stages.iter().zip(figures) {
        let (ns, ..) = spread(figures.iter().map(|(ns, _)| *ns).collect());
        let ratios: Vec<f64> = figures.iter().map(|(ns, pure)| ns / pure).collect();
        benches::keep(
            &format!("{name} / the pure check"),
            &ratios,
            benches::Better::Less,
        );
        let (ratio, low, high) = spread(ratios);
        let counted = allocation_counter::measure(|| stage.authenticate(stage.header(3)));
        println!(
            "{name}: {ns:.1} ns = {ratio:.2} x ({low:.2} to {high:.2}); {} allocations",
            counted.count_total
        );
    }
    two_threads(&stages[0].1);
}

/// Returns the nanoseconds of a call.
fn median(stage: &Stage, call: fn(&Stage, &str)) -> f64 {
    let mut times = Vec::with_capacity(BATCHES);
    for batch in 0..BATCHES + BATCHES / 10 {
        let headers: Vec<String> = (0..BATCH)
            .map(|n| stage.header(batch * BATCH + n).to_owned())
            .collect();
        let begun = Instant::now();
        for header in &headers {
            call(stage, black_box(header));
        }
        times.push(begun.elapsed().as_secs_f64() * 1e9 / BATCH as f64);
    }
    // The first calls fill the caches.
    spread(times.split_off(BATCHES / 10)).0
}

/// Compares requests of two threads with one key with those of one, and with the possible gain of
/// two threads here.
fn two_threads(stage: &Stage) {
    let (mut ratios, mut possible) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let scaling = |call| rate(2, stage, call) / rate(1, stage, call);
        ratios.push(scaling(Stage::authenticate));
        possible.push(scaling(Stage::check));
    }
    let show = |(median, low, high)| format!("{median:.2} x ({low:.2} to {high:.2})");
    println!(
        "two threads with one key, against one: {}; the pure check: {}",
        show(spread(ratios)),
        show(spread(possible))
    );
}

/// Returns the calls per second of a number of threads together.
fn rate(threads: usize, stage: &Stage, call: fn(&Stage, &str)) -> f64 {
    let (begin, header) = (Barrier::new(threads), stage.header(0));
    let times: Vec<Duration> = std::thread::scope(|scope| {
        let work = || {
            let header = header.to_owned();
            begin.wait();
            let begun = Instant::now();
            for _ in 0..BATCH * BATCHES {
                call(stage, black_box(&header));
            }
            begun.elapsed()
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let longest = times.into_iter().max().unwrap();
    (threads * BATCH * BATCHES) as f64 / longest.as_secs_f64()
}
