//! Claimed deliveries, by message id.

use gatepost_storage::webhooks::Claimed;

pub(super) fn names(claimed: &[Claimed]) -> Vec<&str> {
    claimed
        .iter()
        .map(|c| c.delivery.message_id.as_str())
        .collect()
}
