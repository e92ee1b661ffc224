//! Deliveries: their rows.

use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState, Lane, LaneClass};
use redb::ReadableTable;
use serde_json::{Value, json};
use webhook_model::{OwnerId, TaskId, WebhookId};

use super::attempts::{duration, nanos};
use super::codec::{Fields, corrupt, micros};
use super::error::{Answer, failed};

const STATES: [(DeliveryState, &str); 4] = [
    (DeliveryState::Queued, "queued"),
    (DeliveryState::Running, "running"),
    (DeliveryState::Sent, "sent"),
    (DeliveryState::Error, "error"),
];

/// In the order of lanes.
pub(super) const CLASSES: [LaneClass; 3] = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];

/// A delivery and what the store knows of it besides.
#[derive(Clone)]
pub(super) struct Slot {
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

pub(super) fn encode(slot: &Slot) -> Value {
    let d = &slot.delivery;
    let state = STATES
        .iter()
        .find(|(s, _)| *s == d.state)
        .map(|(_, word)| *word);
    json!({
        "message_id": d.message_id.as_str(), "webhook": d.webhook.0, "owner": d.owner.0, "tenant": d.tenant.map(|t| t.0),
        "message_kept": d.message_kept, "alone": slot.alone, "task": d.task.map(|t| t.0), "body": &*d.body, "cause": d.cause.as_ref().map(ToString::to_string),
        "state": state, "status_info": d.status_info, "created": micros(d.created), "due": micros(d.due),
        "lease_until": d.lease_until.map(micros), "last_attempt": d.last_attempt.map(micros), "attempts": d.attempts, "tries": d.tries, "class": d.class,
        "lost_claims": d.lost_claims, "response_status": d.response_status, "duration": d.duration.map(nanos),
        "token": slot.token, "settled": slot.settled, "responses": slot.responses,
    })
}

pub(super) fn decode(id: i64, row: &Value) -> Answer<Slot> {
    let f = Fields(row);
    let word = f.text("state")?;
    let delivery = Delivery {
        id: DeliveryId(id),
        message_id: f.parse("message_id")?,
        webhook: WebhookId(f.int("webhook")?),
        owner: OwnerId(f.int("owner")?),
        tenant: f.maybe_int("tenant").map(TenantId),
        task: f.maybe_int("task").map(TaskId),
        cause: f
            .maybe_text("cause")
            .map(|_| f.parse("cause"))
            .transpose()?,
        body: f.text("body")?.into(),
        message_kept: f.is("message_kept")?,
        state: STATES
            .iter()
            .find(|(_, w)| *w == word)
            .map(|(s, _)| *s)
            .ok_or_else(|| corrupt("state"))?,
        class: f.text("class")?.to_owned(),
        status_info: f.text("status_info")?.to_owned(),
        created: f.time("created")?,
        due: f.time("due")?,
        lease_until: f.maybe_time("lease_until"),
        last_attempt: f.maybe_time("last_attempt"),
        attempts: f.number("attempts")?,
        tries: f.number("tries")?,
        lost_claims: f.number("lost_claims")?,
        response_status: f
            .maybe_int("response_status")
            .and_then(|s| u16::try_from(s).ok()),
        duration: duration(&f, "duration"),
    };
    Ok(Slot {
        delivery,
        token: f.int("token")?,
        alone: f.is("alone")?,
        settled: f.maybe_int("settled"),
        responses: f.number("responses")?,
    })
}

pub(super) fn slot(rows: &impl ReadableTable<i64, &'static str>, id: i64) -> Answer<Option<Slot>> {
    super::tables::row(rows, id)?
        .map(|row| decode(id, &row))
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
