//! Deliveries and attempts as columns.

use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{Claim, ClaimToken, Delivery, DeliveryId, DeliveryState};
use tokio_postgres::Row;
use webhook_model::{TaskId, WebhookId};

use crate::column::{cause, count, owner, parse, span, status, tenant, text, total};
use crate::error::{Failure, Result};

/// Reads a row of `rows.sql`.
pub(super) fn delivery(row: &Row) -> Result<Delivery> {
    let state = DeliveryState::from_word(row.try_get("state")?)
        .ok_or_else(|| Failure::corrupt("state", "unknown word"))?;
    Ok(Delivery {
        id: DeliveryId(row.try_get("id")?),
        message_id: parse(row, "message_id")?,
        webhook: WebhookId(row.try_get("webhook")?),
        owner: owner(row, "owner")?,
        tenant: tenant(row)?,
        task: row.try_get::<_, Option<i64>>("task")?.map(TaskId),
        cause: cause(row)?,
        body: text(row, "body")?.into(),
        message_kept: row.try_get("message_kept")?,
        state,
        class: row.try_get("class")?,
        status_info: row.try_get("status_info")?,
        created: row.try_get("created")?,
        due: row.try_get("due")?,
        lease_until: row.try_get("lease_until")?,
        last_attempt: row.try_get("last_attempt")?,
        attempts: count(row, "attempts")?,
        tries: count(row, "tries")?,
        lost_claims: count(row, "lost_claims")?,
        response_status: status(row, "response_status")?,
        duration: span(row, "duration_us")?,
    })
}

/// Reads a row of `attempts.sql`: an attempt and its number.
pub(super) fn attempt(row: &Row, delivery: DeliveryId) -> Result<(u32, SealedAttempt)> {
    let attempt = SealedAttempt {
        claim: Claim {
            delivery,
            token: ClaimToken(row.try_get("token")?),
        },
        started: row.try_get("started")?,
        duration: span(row, "duration_us")?.unwrap_or_default(),
        class: row.try_get("class")?,
        status: status(row, "status")?,
        kept_bytes: total(row, "kept_bytes")?,
        detail: row.try_get("detail")?,
    };
    Ok((count(row, "number")?, attempt))
}
