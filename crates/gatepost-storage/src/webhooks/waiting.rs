//! Changes of deliveries that wait.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::delivery::{AttemptRecord, Delivery, DeliveryId, Phases};
use super::end_reason::EndReason;

/// A delivery to change if it waits, and is as it is said here.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct IfWaiting {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Only if it is this webhook's.
    pub webhook: Option<WebhookId>,
    /// Only if it has had as many attempts ([`Delivery::attempts`]).
    pub attempts: Option<u32>,
}

impl IfWaiting {
    /// A delivery, however it waits.
    #[must_use]
    pub fn any(delivery: DeliveryId) -> Self {
        Self {
            delivery,
            webhook: None,
            attempts: None,
        }
    }

    /// A delivery as it is here: an attempt or a replay since makes it another one.
    #[must_use]
    pub fn as_is(delivery: &Delivery) -> Self {
        Self {
            delivery: delivery.id,
            webhook: Some(delivery.webhook),
            attempts: Some(delivery.attempts),
        }
    }
}

/// What becomes of deliveries that wait.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum WaitingChange {
    /// Their receiver has them: `sent` with [`EndReason::Fetched`].
    Fetched {
        /// Whether the messages are kept, as in a [`Settlement`](super::Settlement).
        keep_messages: bool,
    },
    /// `error`.
    Cancelled {
        /// The new `status_info`.
        reason: String,
    },
    /// Due at once, if they are due later.
    Due,
}

/// A delivery that waited and was changed.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ChangedDelivery {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Its webhook.
    pub webhook: WebhookId,
    /// Its owner.
    pub owner: OwnerId,
    /// Bytes of its message, as it was stored.
    pub bytes: u64,
}

impl AttemptRecord {
    /// The attempt of a delivery that was fetched at `now`: class `ok`, and nothing that a request
    /// would have.
    #[must_use]
    pub fn fetched(now: DateTime<Utc>) -> Self {
        Self {
            number: 0,
            started: now,
            duration: Duration::ZERO,
            phases: Phases::default(),
            class: "ok".to_owned(),
            info: EndReason::Fetched.as_str().to_owned(),
            status: None,
            remote: None,
            protocol: None,
            request_head: Vec::new(),
            response_head: Vec::new(),
            response_body: Vec::new(),
            truncated: false,
            kept: true,
        }
    }
}
