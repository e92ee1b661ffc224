//! Figures in one line, and in a file for the command that holds them against those of before.

use std::io::Write as _;

use serde_json::json;

/// Names the file to which [`keep`] adds a line for each figure.
pub const FIGURES: &str = "GATEPOST_FIGURES";

/// The median of some figures, with the smallest and the largest.
#[must_use]
pub fn spread(mut figures: Vec<f64>) -> (f64, f64, f64) {
    figures.sort_by(f64::total_cmp);
    (
        figures[figures.len() / 2],
        figures[0],
        figures[figures.len() - 1],
    )
}

/// Which of two figures is the better one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Better {
    /// The smaller one: a time, a count, memory.
    Less,
    /// The larger one: a rate.
    More,
}

/// Tells the command that holds figures against those of before (`benches/kept`) about a ratio:
/// its name, which no other figure of the same bench has, and what each round gave. It does nothing
/// where that command does not listen.
///
/// # Panics
/// When the file cannot be written, or there is no round.
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
