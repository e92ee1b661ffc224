//! A delivery and its columns.

use gatepost_ids::TenantId;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use tokio_postgres::Row;
use webhook_model::{OwnerId, TaskId, WebhookId};

use crate::column::{count, parse, span, status, text};
use crate::error::{Failure, Result};

/// What is read of a delivery that is there.
pub(crate) const SELECT: &str = "r.id, r.message_id, r.webhook, r.owner, r.tenant, r.task, r.body, r.message_kept, r.state, \
     r.status_info, r.created, r.due, r.lease_until, r.last_attempt, r.attempts, r.lost_claims, r.response_status, r.duration_us \
     FROM gatepost_delivery r JOIN gatepost_webhook w ON w.id = r.webhook AND NOT w.gone \
     JOIN gatepost_owner o ON o.owner = r.owner WHERE NOT o.gone";

pub(crate) fn delivery(row: &Row) -> Result<Delivery> {
    let state = DeliveryState::from_word(row.try_get("state")?)
        .ok_or_else(|| Failure::corrupt("state", "unknown word"))?;
    Ok(Delivery {
        id: DeliveryId(row.try_get("id")?),
        message_id: parse(row, "message_id")?,
        webhook: WebhookId(row.try_get("webhook")?),
        owner: OwnerId(row.try_get("owner")?),
        tenant: row.try_get::<_, Option<i64>>("tenant")?.map(TenantId),
        task: row.try_get::<_, Option<i64>>("task")?.map(TaskId),
        body: text(row, "body")?.into(),
        message_kept: row.try_get("message_kept")?,
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
