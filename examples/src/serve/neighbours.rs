//! The state that the connections of one network share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::callers::Callers;
use super::limits::ServeLimits;
use super::turns::Turns;

/// Bytes of requests that wait for the rest of their body, or for a turn.
const AHEAD: usize = 4 * 1024 * 1024;

/// The shared state; kept as long as one of the connections is open.
#[derive(Debug)]
pub(super) struct Neighbours {
    pub turns: Turns,
    pub callers: Callers,
    /// A permit for each byte that may be read before its request has a turn.
    pub ahead: Arc<Semaphore>,
}

impl Neighbours {
    pub(super) fn new(limits: &ServeLimits) -> Self {
        Self {
            turns: Turns::new(limits),
            callers: Callers::default(),
            ahead: Arc::new(Semaphore::new(AHEAD)),
        }
    }
}
