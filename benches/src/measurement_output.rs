//! Measurements in one line, and in a file for the command that compares them with stored ones.

use std::io::Write as _;

use serde_json::json;

/// The variable that names the file to which [`keep`] adds a line for each measurement.
pub const FIGURES: &str = "GATEPOST_FIGURES";

/// Returns the median of some measurements, with the smallest and the largest.
#[must_use]
pub fn spread(mut figures: Vec<f64>) -> (f64, f64, f64) {
    figures.sort_by(f64::total_cmp);
    (
        figures[figures.len() / 2],
        figures[0],
        figures[figures.len() - 1],
    )
}

/// The better one of two measurements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Better {
    /// The smaller one: a time, a count, memory.
    Less,
    /// The larger one: a rate.
    More,
}

/// Reports a ratio to the command that compares measurements with stored ones (`benches/kept`): its
/// name, which no other ratio of the same bench has, and the value of each round. It does nothing
/// if that command does not run.
///
/// # Panics
/// If the file cannot be written, or there is no round.
pub fn keep(name: &str, rounds: &[f64], better: Better) {
    let Some(path) = std::env::var_os(FIGURES) else {
        return;
    };
    let (median, low, high) = spread(rounds.to_vec());
    let less = better == Better::Less;
    let line =
        json!({"name": name, "median": median, "low": low, "high": high, "less_is_better": less});
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .expect("the file for figures");
    writeln!(file, "{line}").expect("room for a line");
}
