//! Deliveries: their rows.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryRow, Lane, LaneClass};
use redb::ReadableTable;
use webhook_model::WebhookId;

use super::codec::{self, corrupt};
use super::error::{Answer, failed};

/// In the order of lanes.
pub(super) const CLASSES: [LaneClass; 3] = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];

/// The number by which a class is stored: its place among [`CLASSES`].
pub(super) fn class_number(class: LaneClass) -> u8 {
    match class {
        LaneClass::First => 0,
        LaneClass::Retry => 1,
        LaneClass::Alone => 2,
    }
}

pub(super) fn lane(webhook: i64, class: u8) -> Answer<Lane> {
    let class = CLASSES.get(usize::from(class));
    Ok(Lane {
        webhook: WebhookId(webhook),
        class: *class.ok_or_else(|| corrupt("class"))?,
    })
}

pub(super) fn slot(
    rows: &impl ReadableTable<i64, &'static str>,
    id: i64,
) -> Answer<Option<DeliveryRow>> {
    super::tables::row(rows, id)?
        .map(|row| codec::decode(&row))
        .transpose()
}

/// Whether the delivery's webhook is gone.
pub(super) fn is_gone(
    gone: &impl ReadableTable<i64, &'static str>,
    slot: &DeliveryRow,
) -> Answer<bool> {
    let webhook = slot.delivery.webhook.0;
    Ok(gone.get(webhook).map_err(failed)?.is_some())
}

/// As it is stored.
pub(super) fn to_micros(time: DateTime<Utc>) -> DateTime<Utc> {
    chrono::SubsecRound::trunc_subsecs(time, 6)
}
