//! The events of a run, line by line, for comparison with the same run again.

use std::hash::{DefaultHasher, Hasher as _};

use tokio::time::Instant;

/// Lines with the time at which they were written, and a digest over all of them and over events
/// that were only counted.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    began: Instant,
    lines: Vec<String>,
    digest: DefaultHasher,
}

impl Trace {
    pub(super) fn since(began: Instant) -> Self {
        Self {
            began,
            lines: Vec::new(),
            digest: DefaultHasher::new(),
        }
    }

    /// Keeps a line.
    pub(super) fn line(&mut self, text: impl std::fmt::Display) {
        let line = format!("{:12.6} {text}", self.began.elapsed().as_secs_f64());
        self.digest.write(line.as_bytes());
        self.lines.push(line);
    }

    /// Counts an event that is too frequent to be kept.
    pub(super) fn count(&mut self, process: u64, what: &str) {
        self.digest.write_u128(self.began.elapsed().as_micros());
        self.digest.write_u64(process);
        self.digest.write(what.as_bytes());
    }

    /// Returns the lines, and the digest.
    pub(super) fn end(self) -> (Vec<String>, u64) {
        (self.lines, self.digest.finish())
    }
}
