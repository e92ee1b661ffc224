//! The state of a leading process.

use gatepost_storage::webhooks::{Lane, LogRoom};
use tokio::time::Instant;

use super::chore::{Bite, CHORES};

/// The leading process' knowledge of its chores. It outlives a panic of one of them.
#[derive(Debug)]
pub(crate) struct Led {
    pub(super) due: [Instant; CHORES.len()],
    pub(super) done: [Option<Instant>; CHORES.len()],
    pub(super) bite: Bite,
    /// The last queue that was read.
    pub(super) lane: Option<Lane>,
    pub(super) room: Option<LogRoom>,
}

impl Default for Led {
    fn default() -> Self {
        Self {
            due: [Instant::now(); CHORES.len()],
            done: [None; CHORES.len()],
            bite: Bite::default(),
            lane: None,
            room: None,
        }
    }
}
