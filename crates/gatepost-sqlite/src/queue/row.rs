//! A delivery and its columns.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use rusqlite::Row;
use webhook_model::{TaskId, WebhookId};

use crate::column::{maybe_time, number, parse, span, time};
use crate::error::{Failure, Result};

pub(crate) const COLUMNS: &str = "id, message_id, webhook, \
     (SELECT w.owner FROM gatepost_webhook w WHERE w.id = gatepost_delivery.webhook) AS owner, \
     tenant, task, body, message_kept, state, status_info, created, due, lease_until, last_attempt, \
     attempts, lost_claims, response_status, duration_us FROM gatepost_delivery";

pub(crate) fn delivery(row: &Row<'_>) -> Result<Delivery> {
    let body = row.get_ref("body")?;
    let body = body.as_str().map_err(|e| Failure::corrupt("body", e))?;
    let status: Option<i64> = row.get("response_status")?;
    Ok(Delivery {
        id: DeliveryId(row.get("id")?),
        message_id: parse(row, "message_id")?,
        webhook: WebhookId(row.get("webhook")?),
        owner: OwnerId(row.get("owner")?),
        tenant: row.get::<_, Option<i64>>("tenant")?.map(TenantId),
        task: row.get::<_, Option<i64>>("task")?.map(TaskId),
        body: body.into(),
        message_kept: row.get("message_kept")?,
        state: state_of(row.get("state")?)?,
        status_info: row.get("status_info")?,
        created: time(row, "created")?,
        due: time(row, "due")?,
        lease_until: maybe_time(row, "lease_until")?,
        last_attempt: maybe_time(row, "last_attempt")?,
        attempts: number(row, "attempts")?,
        lost_claims: number(row, "lost_claims")?,
        response_status: status
            .map(u16::try_from)
            .transpose()
            .map_err(|e| Failure::corrupt("response_status", e))?,
        duration: span(row, "duration_us")?,
    })
}

/// The number under which a state is stored.
pub(crate) fn number_of(state: DeliveryState) -> i64 {
    match state {
        DeliveryState::Queued => 0,
        DeliveryState::Running => 1,
        DeliveryState::Sent => 2,
        DeliveryState::Error => 3,
    }
}

fn state_of(number: i64) -> Result<DeliveryState> {
    use DeliveryState::{Error, Queued, Running, Sent};
    [Queued, Running, Sent, Error]
        .into_iter()
        .find(|s| number_of(*s) == number)
        .ok_or_else(|| Failure::corrupt("state", "unknown number"))
}
