//! A delivery and its columns.

use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use tokio_postgres::Row;
use webhook_model::{TaskId, WebhookId};

use crate::column::{count, parse, span, status, text};
use crate::error::{Failure, Result};

pub(crate) const COLUMNS: &str = "id, message_id, webhook, task, body, state, status_info, created, due, lease_until, last_attempt, \
     attempts, lost_claims, response_status, duration_us FROM gatepost_delivery";

pub(crate) fn delivery(row: &Row) -> Result<Delivery> {
    let state = DeliveryState::from_word(row.try_get("state")?)
        .ok_or_else(|| Failure::corrupt("state", "unknown word"))?;
    Ok(Delivery {
        id: DeliveryId(row.try_get("id")?),
        message_id: parse(row, "message_id")?,
        webhook: WebhookId(row.try_get("webhook")?),
        task: row.try_get::<_, Option<i64>>("task")?.map(TaskId),
        body: text(row, "body")?.into(),
        state,
        status_info: row.try_get("status_info")?,
        created: row.try_get("created")?,
        due: row.try_get("due")?,
        lease_until: row.try_get("lease_until")?,
        last_attempt: row.try_get("last_attempt")?,
        attempts: count(row, "attempts")?,
        lost_claims: count(row, "lost_claims")?,
        response_status: status(row, "response_status")?,
        duration: span(row, "duration_us")?,
    })
}
