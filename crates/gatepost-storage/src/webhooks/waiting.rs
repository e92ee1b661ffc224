//! Changes of waiting deliveries.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::delivery::{AttemptRecord, Delivery, DeliveryId, Phases};
use super::end_reason::EndReason;

/// A delivery to change, if it waits and matches these conditions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct IfWaiting {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Only if it belongs to this webhook.
    pub webhook: Option<WebhookId>,
    /// Only if it has had this number of attempts ([`Delivery::attempts`]).
    pub attempts: Option<u32>,
}

impl IfWaiting {
    /// Selects a delivery without conditions other than that it waits.
    #[must_use]
    pub fn any(delivery: DeliveryId) -> Self {
        Self {
            delivery,
            webhook: None,
            attempts: None,
        }
    }

    /// Selects a delivery in its current state: an attempt or a replay in the meantime excludes it.
    #[must_use]
    pub fn as_is(delivery: &Delivery) -> Self {
        Self {
            delivery: delivery.id,
            webhook: Some(delivery.webhook),
            attempts: Some(delivery.attempts),
        }
    }
}

/// A change of waiting deliveries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum WaitingChange {
    /// Their receiver fetched them: `sent` with [`EndReason::Fetched`].
    Fetched {
        /// Whether the messages are kept, as in a [`Settlement`](super::Settlement).
        keep_messages: bool,
    },
    /// They are cancelled: `error`.
    Cancelled {
        /// The new `status_info`.
        reason: String,
    },
    /// They are due immediately, if they are due later.
    Due,
}

/// A waiting delivery that was changed.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ChangedDelivery {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Its webhook.
    pub webhook: WebhookId,
    /// Its owner.
    pub owner: OwnerId,
    /// The stored bytes of its message.
    pub bytes: u64,
}

impl AttemptRecord {
    /// Returns the attempt of a delivery that was fetched at `now`: its class is `ok`, and it has
    /// no request or response.
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
