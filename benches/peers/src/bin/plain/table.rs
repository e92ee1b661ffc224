//! Contenders in turn, and their table.

use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
/// The approximate length of a round.
const ROUND: Duration = Duration::from_millis(100);
const LOCK: &str = include_str!("../../../Cargo.lock");

/// A contender, and the part of its work that the others do not do.
pub(crate) struct Contender {
    pub(crate) package: &'static str,
    pub(crate) does: &'static str,
    pub(crate) call: Box<dyn Fn() -> usize>,
}

/// Prints the table. The first contender is ours, and all are compared with it.
pub(crate) fn print(what: &str, contenders: &[Contender]) {
    let times: Vec<u32> = contenders.iter().map(|one| times(&one.call)).collect();
    let mut nanos = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for ((contender, times), all) in contenders.iter().zip(&times).zip(&mut nanos) {
            all.push(time(&contender.call, *times).as_secs_f64() * 1e9 / f64::from(*times));
        }
    }
    println!("| {what} | ns, median (span) | over ours (span) | its work |\n|---|---|---|---|");
    for (contender, own) in contenders.iter().zip(&nanos) {
        let ratios = own.iter().zip(&nanos[0]).map(|(own, ours)| own / ours);
        println!(
            "| {} {} | {} | {} | {} |",
            contender.package,
            version(contender.package),
            spread(own.clone(), 0),
            spread(ratios.collect(), 2),
            contender.does,
        );
    }
    println!();
}

/// Returns the number of calls in a round of about [`ROUND`].
fn times(call: &dyn Fn() -> usize) -> u32 {
    let mut times = 1;
    while time(call, times) < ROUND / 4 {
        times *= 2;
    }
    times * 4
}

fn time(call: &dyn Fn() -> usize, times: u32) -> Duration {
    let begun = Instant::now();
    for _ in 0..times {
        black_box(call());
    }
    begun.elapsed()
}

/// Returns the median of some measurements, with the smallest and the largest.
pub(crate) fn spread(mut figures: Vec<f64>, digits: usize) -> String {
    figures.sort_by(f64::total_cmp);
    let (low, high) = (figures[0], figures[figures.len() - 1]);
    let median = figures[figures.len() / 2];
    format!("{median:.digits$} ({low:.digits$} to {high:.digits$})")
}

/// Returns the version in the lock file.
pub(crate) fn version(package: &str) -> &'static str {
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = LOCK.split_once(&name).expect("a package of the lock file");
    rest.split_once('"').expect("a version").0
}
