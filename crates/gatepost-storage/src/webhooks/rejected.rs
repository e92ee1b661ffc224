//! Rejected deliveries, which are counted instead of stored.

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

/// The reason why a task that matched made no delivery.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum RejectReason {
    /// The owner had reached the limit of waiting deliveries or of their bytes.
    Waiting,
    /// The occurrence had reached the limit of the owner's tasks or bytes for one occurrence.
    Occurrence,
    /// The owner caused the occurrence, and had reached the limit of task runs per minute.
    Rate,
}

impl RejectReason {
    /// Returns the word that is stored and shown: `waiting`, `occurrence`, `rate`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Occurrence => "occurrence",
            Self::Rate => "rate",
        }
    }

    /// Returns the reason for this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Occurrence, Self::Rate]
            .into_iter()
            .find(|reason| reason.as_str() == word)
    }
}

/// Rejected deliveries of a webhook. Engines count by the hour.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RejectedCount {
    /// The webhook.
    pub webhook: WebhookId,
    /// The reason.
    pub reason: RejectReason,
    /// The beginning of the bucket in which they were counted.
    pub minute: DateTime<Utc>,
    /// The number of deliveries.
    pub count: u64,
}
