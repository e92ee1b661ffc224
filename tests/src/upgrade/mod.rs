//! Stores as earlier versions left them, with as many deliveries as wanted, and what it is like to
//! be beside them when this version opens them.

mod postgres;

use std::path::{Path, PathBuf};
use std::time::Duration;

use gatepost_storage::seal::{SealingKey, SealingKeys};
pub use postgres::OldDatabase;
use tokio::time::Instant;

/// Writes that every version can do: to a webhook, a task and an event.
const WRITES: [&str; 3] = [
    "UPDATE gatepost_webhook SET modified = modified WHERE id = 2",
    "UPDATE gatepost_task SET modified = modified WHERE id = 2",
    "UPDATE gatepost_event SET modified = modified WHERE id = 2",
];

/// What is in a store, whatever its version.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Contents {
    /// Deliveries in the log.
    pub deliveries: i64,
    /// Those of them that wait or run.
    pub open: i64,
}

/// What somebody noticed who wrote all the while.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noticed {
    /// Writes.
    pub writes: u32,
    /// How long the longest of them took.
    pub longest: Duration,
    /// Writes that were refused.
    pub refused: u32,
}

impl Noticed {
    fn note(&mut self, began: Instant, accepted: bool) {
        self.writes += 1;
        self.longest = self.longest.max(began.elapsed());
        self.refused += u32::from(!accepted);
    }
}

/// The key of what the fixtures have sealed.
fn sealing() -> SealingKeys {
    SealingKeys::new(SealingKey::new(1, [7; 32]))
}

/// A file of one of the backends, by its path below `crates`.
fn text(path: &str) -> String {
    std::fs::read_to_string(crates().join(path)).unwrap()
}

/// The steps of a backend, in order; the first makes version 1. A folder has the parts of one.
fn steps(backend: &str) -> Vec<String> {
    let steps = sorted(&crates().join(backend).join("migrations"));
    steps.iter().map(|step| step_of(step)).collect()
}

fn step_of(path: &Path) -> String {
    if path.is_dir() {
        return sorted(path).iter().map(|part| step_of(part)).collect();
    }
    std::fs::read_to_string(path).unwrap()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths
}

/// How many versions a backend has had: the newest one's number.
#[must_use]
pub fn versions(backend: &str) -> usize {
    steps(backend).len()
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}
