//! The results of a run.

use std::fmt;
use std::time::Duration;

/// A latency that nobody complains about, though the platform by itself needs only part of it.
const P99: Duration = Duration::from_millis(20);
const RESIDENT: u64 = 200 * 1024 * 1024;

/// One phase, as the nine experienced it.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The time of each of their requests from its due time on, in order of length.
    pub times: Vec<Duration>,
    /// The errors, with their texts.
    pub errors: Vec<String>,
    /// Occurrences that were accepted; each makes three deliveries.
    pub occurrences: usize,
    /// The most bytes that the platform held in memory.
    pub resident: u64,
}

impl Phase {
    /// Returns the time within which this share of the requests ended, in per mille.
    ///
    /// # Panics
    /// If there was no request.
    #[must_use]
    pub fn within(&self, per_mille: usize) -> Duration {
        let last = self.times.len() - 1;
        self.times[(self.times.len() * per_mille / 1000).min(last)]
    }
}

/// Both phases.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The nine users without the attack.
    pub alone: Phase,
    /// The nine users during the attack.
    pub beside: Phase,
    /// Deliveries that did not arrive.
    pub missing: usize,
}

impl Figures {
    /// Returns whether the attack hardly affects the nine: p99 at most 20 ms and memory at most 200
    /// MiB, or twice the values without it; no error, everything arrived.
    #[must_use]
    pub fn is_well(&self) -> bool {
        let (alone, beside) = (&self.alone, &self.beside);
        beside.within(990) <= P99.max(2 * alone.within(990))
            && beside.resident <= RESIDENT.max(2 * alone.resident)
            && alone.errors.is_empty()
            && beside.errors.is_empty()
            && self.missing == 0
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| the nine | alone | beside him | ratio |")?;
        writeln!(f, "|---|---|---|---|")?;
        for (name, per_mille) in [("p50", 500), ("p99", 990), ("longest", 1000)] {
            let [alone, beside] =
                [&self.alone, &self.beside].map(|p| p.within(per_mille).as_secs_f64() * 1e3);
            let ratio = beside / alone;
            writeln!(
                f,
                "| {name} | {alone:.1} ms | {beside:.1} ms | {ratio:.1} |"
            )?;
        }
        let [alone, beside] =
            [&self.alone, &self.beside].map(|p| p.resident as f64 / 1024.0 / 1024.0);
        let ratio = beside / alone;
        writeln!(
            f,
            "| resident | {alone:.0} MiB | {beside:.0} MiB | {ratio:.1} |"
        )?;
        let [alone, beside] = [&self.alone, &self.beside].map(|p| (p.times.len(), p.errors.len()));
        writeln!(f, "| requests | {} | {} | |", alone.0, beside.0)?;
        writeln!(f, "| errors | {} | {} | |", alone.1, beside.1)?;
        write!(f, "| deliveries missing | | {} | |", self.missing)?;
        let errors = self.alone.errors.iter().chain(&self.beside.errors);
        for error in errors.take(5) {
            write!(f, "\n{error}")?;
        }
        Ok(())
    }
}
