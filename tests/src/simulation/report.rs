//! The report of a run that broke a promise.

use std::fmt::Write as _;

use super::run::{Outcome, run};
use super::script::Script;
use super::shrink::shrunk;

/// The number of smaller scripts that are tried.
const TRIES: u32 = 100;
/// The number of shown lines of the trace.
const LINES: usize = 60;

/// Returns the seed, the broken promise, the smallest script found that breaks it too, and the end
/// of its trace.
#[must_use]
pub fn told(script: &Script, outcome: &Outcome) -> String {
    let mut text = format!("seed {} breaks promises:\n", script.seed);
    for breach in outcome.breaches.iter().take(10) {
        let _ = writeln!(text, "  {breach}");
    }
    let Some(promise) = outcome.breaches.first().map(|breach| breach.promise) else {
        return text;
    };
    let breaks = |script: &Script| run(script).breaches.iter().any(|b| b.promise == promise);
    let few = shrunk(script, breaks, TRIES);
    let _ = writeln!(text, "{promise:?} by these steps alone: {:#?}", few.steps);
    let trace = run(&few).trace;
    for line in &trace[trace.len().saturating_sub(LINES)..] {
        let _ = writeln!(text, "{line}");
    }
    text
}
