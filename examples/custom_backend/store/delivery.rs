//! Deliveries: their rows.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, Lane, LaneClass};
use redb::ReadableTable;
use serde::{Deserialize, Serialize};
use webhook_model::WebhookId;

use super::codec::{self, corrupt};
use super::error::{Answer, failed};

/// In the order of lanes.
pub(super) const CLASSES: [LaneClass; 3] = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];

/// A delivery and what the store knows of it besides.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Slot {
    #[serde(flatten)]
    pub(super) delivery: Delivery,
    /// The token of the last claim, 0 before the first.
    pub(super) token: i64,
    /// Whether a claim of it was lost and no attempt was made since.
    pub(super) alone: bool,
    /// The token under which it was settled last.
    pub(super) settled: Option<i64>,
    /// Bytes of the responses in the log.
    pub(super) responses: u64,
}

impl Slot {
    pub(super) fn lane(&self) -> Lane {
        let class = match self.delivery.tries {
            _ if self.alone => LaneClass::Alone,
            0 => LaneClass::First,
            _ => LaneClass::Retry,
        };
        Lane {
            webhook: self.delivery.webhook,
            class,
        }
    }

    /// Bytes of the message and of the responses.
    pub(super) fn bytes(&self) -> u64 {
        self.delivery.body.len() as u64 + self.responses
    }
}

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

pub(super) fn slot(rows: &impl ReadableTable<i64, &'static str>, id: i64) -> Answer<Option<Slot>> {
    super::tables::row(rows, id)?
        .map(|row| codec::decode(&row))
        .transpose()
}

/// Whether the delivery's webhook is gone.
pub(super) fn is_gone(gone: &impl ReadableTable<i64, &'static str>, slot: &Slot) -> Answer<bool> {
    let webhook = slot.delivery.webhook.0;
    Ok(gone.get(webhook).map_err(failed)?.is_some())
}

/// As it is stored.
pub(super) fn to_micros(time: DateTime<Utc>) -> DateTime<Utc> {
    chrono::SubsecRound::trunc_subsecs(time, 6)
}
