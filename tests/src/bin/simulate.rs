//! Simulates engines, seed by seed, as many as asked for:
//! `cargo run --release -p tests --bin simulate -- --seeds 1000 --hours 24`.
#![allow(
    clippy::print_stdout,
    reason = "a program that is run by hand tells what it found"
)]

use std::time::Duration;

use lexopt::prelude::*;
use tests::simulation::{Script, run, told};
use tokio::time::Instant;

fn main() -> Result<(), lexopt::Error> {
    let (mut from, mut seeds, mut hours, mut steps) = (0, 100, 24, 400);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("from") => from = arguments.value()?.parse()?,
            Long("seeds") => seeds = arguments.value()?.parse()?,
            Long("hours") => hours = arguments.value()?.parse()?,
            Long("steps") => steps = arguments.value()?.parse()?,
            _ => return Err(argument.unexpected()),
        }
    }
    let (began, mut time, mut requests, mut broken) = (Instant::now(), Duration::ZERO, 0, 0);
    for seed in from..from + seeds {
        let script = Script::drawn(seed, steps, Duration::from_secs(hours * 3_600));
        let outcome = run(&script);
        time += outcome.virtual_time;
        requests += outcome.requests;
        if !outcome.breaches.is_empty() {
            broken += 1;
            println!("{}", told(&script, &outcome));
        }
    }
    let took = began.elapsed();
    let years = time.as_secs_f64() / (365.25 * 86_400.0);
    println!(
        "{seeds} seeds from {from}: {broken} break promises; {requests} requests in {years:.2} \
         virtual years, {:.1} in an hour",
        years / took.as_secs_f64() * 3_600.0
    );
    Ok(())
}
