//! Deliveries and their attempts.

use std::time::Duration;

use gatepost_ids::TenantId;
use serde::{Deserialize, Serialize};
use webhook_model::{OwnerId, TaskId, WebhookId};

use super::field::{Wrong, base64, bytes, maybe_time, parsed, stored_as, time};
use crate::columns::SealedAttempt;
use crate::webhooks::{Claim, ClaimToken, Delivery, DeliveryId, DeliveryRow, DeliveryState};

stored_as!(Delivery, StoredDelivery);
stored_as!(DeliveryRow, StoredRow);
stored_as!(SealedAttempt, StoredAttempt);

#[derive(Deserialize, Serialize)]
struct StoredDelivery {
    id: i64,
    message_id: String,
    webhook: i64,
    owner: OwnerId,
    tenant: Option<TenantId>,
    task: Option<i64>,
    cause: Option<String>,
    body: String,
    message_kept: bool,
    state: String,
    class: String,
    status_info: String,
    created: i64,
    due: i64,
    lease_until: Option<i64>,
    last_attempt: Option<i64>,
    attempts: u32,
    tries: u32,
    lost_claims: u32,
    response_status: Option<u16>,
    duration: Option<u64>,
}

impl From<&Delivery> for StoredDelivery {
    fn from(delivery: &Delivery) -> Self {
        Self {
            id: delivery.id.0,
            message_id: delivery.message_id.to_string(),
            webhook: delivery.webhook.0,
            owner: delivery.owner,
            tenant: delivery.tenant,
            task: delivery.task.map(|task| task.0),
            cause: delivery.cause.as_ref().map(ToString::to_string),
            body: delivery.body.to_string(),
            message_kept: delivery.message_kept,
            state: delivery.state.as_str().to_owned(),
            class: delivery.class.clone(),
            status_info: delivery.status_info.clone(),
            created: delivery.created.timestamp_micros(),
            due: delivery.due.timestamp_micros(),
            lease_until: delivery.lease_until.map(|at| at.timestamp_micros()),
            last_attempt: delivery.last_attempt.map(|at| at.timestamp_micros()),
            attempts: delivery.attempts,
            tries: delivery.tries,
            lost_claims: delivery.lost_claims,
            response_status: delivery.response_status,
            duration: delivery.duration.map(nanos),
        }
    }
}

impl TryFrom<StoredDelivery> for Delivery {
    type Error = Wrong;

    fn try_from(row: StoredDelivery) -> Result<Self, Wrong> {
        let cause = row.cause.map(|cause| parsed("cause", &cause)).transpose()?;
        let state = DeliveryState::from_word(&row.state);
        Ok(Self {
            id: DeliveryId(row.id),
            message_id: parsed("message_id", &row.message_id)?,
            webhook: WebhookId(row.webhook),
            owner: row.owner,
            tenant: row.tenant,
            task: row.task.map(TaskId),
            cause,
            body: row.body.into(),
            message_kept: row.message_kept,
            state: state.ok_or_else(|| Wrong::new("state", "unknown word"))?,
            class: row.class,
            status_info: row.status_info,
            created: time("created", row.created)?,
            due: time("due", row.due)?,
            lease_until: maybe_time("lease_until", row.lease_until)?,
            last_attempt: maybe_time("last_attempt", row.last_attempt)?,
            attempts: row.attempts,
            tries: row.tries,
            lost_claims: row.lost_claims,
            response_status: row.response_status,
            duration: row.duration.map(Duration::from_nanos),
        })
    }
}

#[derive(Deserialize, Serialize)]
struct StoredRow {
    delivery: StoredDelivery,
    token: Option<i64>,
    settled: Option<i64>,
    lost: bool,
    kept_bytes: u64,
}

impl From<&DeliveryRow> for StoredRow {
    fn from(row: &DeliveryRow) -> Self {
        Self {
            delivery: (&row.delivery).into(),
            token: row.token.map(|token| token.0),
            settled: row.settled.map(|token| token.0),
            lost: row.lost,
            kept_bytes: row.kept_bytes,
        }
    }
}

impl TryFrom<StoredRow> for DeliveryRow {
    type Error = Wrong;

    fn try_from(row: StoredRow) -> Result<Self, Wrong> {
        Ok(Self {
            delivery: row.delivery.try_into()?,
            token: row.token.map(ClaimToken),
            settled: row.settled.map(ClaimToken),
            lost: row.lost,
            kept_bytes: row.kept_bytes,
        })
    }
}

#[derive(Deserialize, Serialize)]
struct StoredAttempt {
    delivery: i64,
    token: i64,
    started: i64,
    duration: u64,
    class: String,
    status: Option<u16>,
    kept_bytes: u64,
    detail: Option<String>,
}

impl From<&SealedAttempt> for StoredAttempt {
    fn from(attempt: &SealedAttempt) -> Self {
        Self {
            delivery: attempt.claim.delivery.0,
            token: attempt.claim.token.0,
            started: attempt.started.timestamp_micros(),
            duration: nanos(attempt.duration),
            class: attempt.class.clone(),
            status: attempt.status,
            kept_bytes: attempt.kept_bytes,
            detail: attempt.detail.as_ref().map(base64),
        }
    }
}

impl TryFrom<StoredAttempt> for SealedAttempt {
    type Error = Wrong;

    fn try_from(row: StoredAttempt) -> Result<Self, Wrong> {
        let detail = row.detail.map(|detail| bytes("detail", &detail));
        Ok(Self {
            claim: Claim {
                delivery: DeliveryId(row.delivery),
                token: ClaimToken(row.token),
            },
            started: time("started", row.started)?,
            duration: Duration::from_nanos(row.duration),
            class: row.class,
            status: row.status,
            kept_bytes: row.kept_bytes,
            detail: detail.transpose()?,
        })
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
