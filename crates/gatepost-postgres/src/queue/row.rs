//! A delivery and its columns.

use std::time::Duration;

use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use tokio_postgres::Row;
use webhook_model::{TaskId, WebhookId};

use crate::error::{Failure, Result};

pub(crate) const COLUMNS: &str = "id, message_id, webhook, task, body, state, status_info, created, due, lease_until, last_attempt, \
     attempts, lost_claims, response_status, duration_us FROM gatepost_delivery";

pub(crate) fn delivery(row: &Row) -> Result<Delivery> {
    let body =
        std::str::from_utf8(row.try_get("body")?).map_err(|e| Failure::corrupt("body", e))?;
    let state = DeliveryState::from_word(row.try_get("state")?)
        .ok_or_else(|| Failure::corrupt("state", "unknown word"))?;
    let message_id = row
        .try_get::<_, &str>("message_id")?
        .parse()
        .map_err(|e| Failure::corrupt("message id", e))?;
    let status: Option<i32> = row.try_get("response_status")?;
    Ok(Delivery {
        id: DeliveryId(row.try_get("id")?),
        message_id,
        webhook: WebhookId(row.try_get("webhook")?),
        task: row.try_get::<_, Option<i64>>("task")?.map(TaskId),
        body: body.into(),
        state,
        status_info: row.try_get("status_info")?,
        created: row.try_get("created")?,
        due: row.try_get("due")?,
        lease_until: row.try_get("lease_until")?,
        last_attempt: row.try_get("last_attempt")?,
        attempts: count(row, "attempts")?,
        lost_claims: count(row, "lost_claims")?,
        response_status: status
            .map(u16::try_from)
            .transpose()
            .map_err(|e| Failure::corrupt("status", e))?,
        duration: span(row, "duration_us")?,
    })
}

pub(crate) fn count(row: &Row, column: &'static str) -> Result<u32> {
    u32::try_from(row.try_get::<_, i64>(column)?).map_err(|e| Failure::corrupt(column, e))
}

pub(crate) fn span(row: &Row, column: &'static str) -> Result<Option<Duration>> {
    let micros: Option<i64> = row.try_get(column)?;
    let micros = micros
        .map(u64::try_from)
        .transpose()
        .map_err(|e| Failure::corrupt(column, e))?;
    Ok(micros.map(Duration::from_micros))
}

/// A span in whole microseconds.
pub(crate) fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// PostgreSQL's text holds every character but one. Answers of targets may hold it; they are to be
/// stored all the same.
pub(crate) fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}")
    } else {
        text
    }
}
