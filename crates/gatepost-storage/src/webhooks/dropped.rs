//! What was counted instead of stored.

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

/// Why a task that matched made no delivery.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum DropReason {
    /// The owner had as many deliveries waiting, or as many bytes, as allowed.
    Waiting,
    /// The occurrence ran as many tasks of the owner, or made as many bytes, as allowed.
    Occurrence,
    /// The owner caused the occurrence, and had run as many tasks in a minute as allowed.
    Rate,
}

impl DropReason {
    /// The word that is stored and shown: `waiting`, `occurrence`, `rate`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Occurrence => "occurrence",
            Self::Rate => "rate",
        }
    }

    /// The reason of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Occurrence, Self::Rate]
            .into_iter()
            .find(|reason| reason.as_str() == word)
    }
}

/// Deliveries of a webhook that were counted instead of stored. Engines count by the hour.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Dropped {
    /// The webhook.
    pub webhook: WebhookId,
    /// Why.
    pub reason: DropReason,
    /// The beginning of the time in which they were counted.
    pub minute: DateTime<Utc>,
    /// How many.
    pub count: u64,
}
