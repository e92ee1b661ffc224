//! Webhooks in sixteen lots: who sends the backlogs of a lot is alone with them.

use webhook_model::WebhookId;

/// Sixteen processes share the work at most.
const LOTS: u8 = 16;

/// Webhooks whose backlogs are sent by one process.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Lot(pub u8);

impl Lot {
    pub(super) fn of(webhook: WebhookId) -> Self {
        let lot = webhook.0.rem_euclid(i64::from(LOTS));
        Self(u8::try_from(lot).unwrap_or_default())
    }
}
