//! What the drain of the outbox needs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::{Audience, Place};
use gatepost_storage::webhooks::WebhookStore;
use tokio::sync::Semaphore;

use super::emitter::Emitter;
use crate::clock::EngineClock;
use crate::error::EmitError;
use crate::lifecycle::Lifecycle;

/// Rows that may wait for the platform's answer in this process.
const WAITING: usize = 32;

/// Where the rows of an audience are heard; `None` when that is not known soon.
pub(super) type Places = HashMap<Audience, Option<Result<Vec<Place>, EmitError>>>;

#[derive(Debug)]
pub(crate) struct OutboxDrain {
    pub(super) store: Arc<dyn WebhookStore>,
    pub(super) emitter: Arc<Emitter>,
    pub(super) clock: Arc<EngineClock>,
    pub(super) lifecycle: Lifecycle,
    /// How often the store is asked for what others wrote.
    pub(super) poll: Duration,
    /// Under which this process takes rows.
    pub(super) holder: u128,
    /// Room for rows that wait for the platform's answer.
    pub(super) waiting: Arc<Semaphore>,
}

impl OutboxDrain {
    pub(crate) fn new(
        store: Arc<dyn WebhookStore>,
        emitter: Arc<Emitter>,
        clock: Arc<EngineClock>,
        lifecycle: Lifecycle,
        poll: Duration,
        holder: u128,
    ) -> Self {
        Self {
            store,
            emitter,
            clock,
            lifecycle,
            poll,
            holder,
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }
}
