//! What an emit is asked for, and what comes of it.

use gatepost_storage::webhooks::DeliveryId;
use webhook_model::{RenderError, TaskId};

/// What an occurrence made.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Emitted {
    /// The deliveries that were stored.
    pub deliveries: Vec<DeliveryId>,
    /// The occurrence's id was known: it was stored by an earlier call, and this one did nothing.
    pub repeated: bool,
    /// Tasks whose message could not be rendered: they did not run; a one-time task among them
    /// stays.
    pub unrendered: Vec<(TaskId, RenderError)>,
}

impl Emitted {
    pub(super) fn nothing(repeated: bool) -> Self {
        Self {
            deliveries: Vec::new(),
            repeated,
            unrendered: Vec::new(),
        }
    }
}

/// What is to be run: the tasks that match an occurrence, or one task by hand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    Matching,
    Task(TaskId),
}
