//! The state of a leading process.

use gatepost_storage::webhooks::{LogHeadroom, WebhookQueue};
use tokio::time::Instant;

use super::chore::{BatchSize, CHORES};

/// The leading process' knowledge of its chores. It outlives a panic of one of them.
#[derive(Debug)]
pub(crate) struct Led {
    pub(super) due: [Instant; CHORES.len()],
    pub(super) done: [Option<Instant>; CHORES.len()],
    pub(super) size: BatchSize,
    /// The last queue that was read.
    pub(super) queue: Option<WebhookQueue>,
    pub(super) room: Option<LogHeadroom>,
}

impl Default for Led {
    fn default() -> Self {
        Self {
            due: [Instant::now(); CHORES.len()],
            done: [None; CHORES.len()],
            size: BatchSize::default(),
            queue: None,
            room: None,
        }
    }
}
