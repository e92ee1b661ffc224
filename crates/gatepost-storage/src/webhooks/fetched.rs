//! Deliveries that their receiver fetches.

use std::time::Duration;

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

use super::delivery::{AttemptRecord, DeliveryId, Phases};

/// The status info of a delivery that was fetched, and of its attempt.
pub const FETCHED_INFO: &str = "fetched";

/// A delivery as it was handed out: a replay of it since, or an attempt to send it, makes it
/// another one, which is not ended by what was said of this one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct HandedOut {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Its attempts until then ([`Delivery::attempts`](super::Delivery::attempts)).
    pub attempts: u32,
}

/// What a receiver says it has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Acknowledgement {
    /// The webhook. Deliveries of another are passed over.
    pub webhook: WebhookId,
    /// What was handed out; each delivery once.
    pub deliveries: Vec<HandedOut>,
    /// Whether the messages are kept, as in a [`Settlement`](super::Settlement).
    pub keep_messages: bool,
}

/// A delivery that an [`Acknowledgement`] ended.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Acknowledged {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Bytes of its message, as it is stored.
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
            info: FETCHED_INFO.to_owned(),
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
