//! The result of an emit.

use gatepost_storage::webhooks::DeliveryId;
use webhook_model::{RenderError, TaskId};

/// The result of an emitted occurrence.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Emitted {
    /// The deliveries that were stored.
    pub deliveries: Vec<DeliveryId>,
    /// The occurrence's id was known: an earlier call stored it, and this one did nothing.
    pub repeated: bool,
    /// The occurrence is stored, and some or all of its deliveries follow in the background: they
    /// do not fit into one transaction, or the platform has not said yet who may receive it.
    pub pending: bool,
    /// Tasks whose message could not be rendered: they did not run; a one-time task among them
    /// stays.
    pub unrendered: Vec<(TaskId, RenderError)>,
    /// Deliveries that were counted instead of stored, because their owner has as many pending
    /// deliveries as allowed, the occurrence ran too many of the owner's tasks, or the owner caused
    /// too much in a minute.
    pub rejected: u64,
    /// Tasks whose owner may not receive it.
    pub(crate) unheard: u64,
}

impl Emitted {
    pub(super) fn known() -> Self {
        Self {
            repeated: true,
            ..Self::default()
        }
    }

    pub(super) fn later() -> Self {
        Self {
            pending: true,
            ..Self::default()
        }
    }
}
