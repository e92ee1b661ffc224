//! Claims.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    Claim, ClaimToken, Claimed, Delivery, DeliveryId, DeliveryState, Disposition, EndReason,
    QueueClaim, QueueClass, Settlement, WebhookQueue,
};
use tokio_postgres::Row;
use webhook_model::{TaskId, WebhookId};

use super::queues::columns;
use crate::column::{cause, number, owner, parse, span, status, tenant, text};
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const CLAIM: &str = concat!(
    sql!("queue/claim_queues"),
    sql!("queue/mixed"),
    sql!("queue/claim"),
    sql!("queue/idle"),
    sql!("queue/claimed"),
);
const LAST: &str = sql!("queue/last");

/// A claimed delivery as it was read, and whether it has outcomes.
struct Found {
    queue: WebhookQueue,
    claimed: Claimed,
    marked: bool,
    in_order: bool,
}

impl PostgresStore {
    pub(super) async fn claim_queues(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>> {
        let queues = merged(queues);
        let (webhooks, classes) = columns(queues.iter().map(|(queue, _)| *queue));
        let most: Vec<i64> = queues.iter().map(|(_, most)| *most).collect();
        let claiming = self.fronts().claim(queues.clone());
        let params: [Param<'_>; 6] = [
            &webhooks,
            &classes,
            &most,
            &claiming.since,
            &lease_until,
            &now,
        ];
        let rows = self.db().query(CLAIM, &params).await?;
        let mut claimed = Vec::with_capacity(rows.len());
        for row in &rows {
            match found(row, lease_until) {
                Ok(found) => claimed.push(found),
                Err(failure) => {
                    if let Err(error) = self.end_unreadable(row, &failure).await {
                        tracing::warn!(cause = error.cause(), "it ends when its lease is lost");
                    }
                }
            }
        }
        // The claim is committed: without their last outcomes the deliveries are still to be sent.
        if let Err(error) = self.read_what_was(&mut claimed).await {
            tracing::warn!(cause = error.cause(), "the last outcomes were not read");
        }
        // For a webhook that delivers in order the oldest delivery is claimed, not the one that was
        // due first.
        let free = claimed.iter().filter(|found| !found.in_order);
        claiming.end(
            free.map(|found| (found.queue, found.claimed.delivery.due)),
            now,
        );
        let queues = queues.iter().enumerate();
        let place: HashMap<WebhookQueue, usize> =
            queues.map(|(at, (queue, _))| (*queue, at)).collect();
        claimed.sort_by_key(|found| {
            let delivery = &found.claimed.delivery;
            (place.get(&found.queue).copied(), delivery.due, delivery.id)
        });
        Ok(claimed.into_iter().map(|found| found.claimed).collect())
    }

    /// Adds the last outcomes to deliveries that were claimed earlier.
    async fn read_what_was(&self, claimed: &mut [Found]) -> Result<()> {
        let marked = claimed.iter().filter(|found| found.marked);
        let marked: Vec<i64> = marked.map(|found| found.claimed.delivery.id.0).collect();
        if marked.is_empty() {
            return Ok(());
        }
        let rows = self.db().query(LAST, &[&marked]).await?;
        let mut last: HashMap<i64, &Row> = HashMap::with_capacity(rows.len());
        for row in &rows {
            last.insert(row.try_get("id")?, row);
        }
        for found in claimed {
            let delivery = &mut found.claimed.delivery;
            if let Some(row) = last.get(&delivery.id.0) {
                delivery.status_info = row.try_get("status_info")?;
                delivery.class = row.try_get("class")?;
                delivery.last_attempt = row.try_get("started")?;
                delivery.response_status = status(row, "status")?;
                delivery.duration = span(row, "duration_us")?;
            }
        }
        Ok(())
    }

    /// Ends a claimed row that cannot be read, so that it does not block the others.
    async fn end_unreadable(&self, row: &Row, failure: &Failure) -> Result<()> {
        let (id, token): (i64, i64) = (row.try_get("id")?, row.try_get("token")?);
        tracing::error!(
            delivery = id,
            cause = failure.cause(),
            "a delivery cannot be read and ends"
        );
        let end = Settlement {
            claim: Claim {
                delivery: DeliveryId(id),
                token: ClaimToken(token),
            },
            disposition: Disposition::Failed,
            status_info: EndReason::unreadable(&failure.reason()),
            attempt: None,
            keep_message: true,
        };
        self.settle_batched(vec![end]).await?;
        Ok(())
    }
}

/// Merges the claims of a queue that is named twice into one, with the sum of their limits.
fn merged(queues: &[QueueClaim]) -> Vec<(WebhookQueue, i64)> {
    let mut merged: Vec<(WebhookQueue, i64)> = Vec::with_capacity(queues.len());
    let mut place = HashMap::new();
    for QueueClaim { queue, limit } in queues {
        let at = *place.entry(*queue).or_insert(merged.len());
        match merged.get_mut(at) {
            Some((_, most)) => *most += i64::from(*limit),
            None => merged.push((*queue, i64::from(*limit))),
        }
    }
    merged
}

fn found(row: &Row, lease_until: DateTime<Utc>) -> Result<Found> {
    let webhook: i64 = row.try_get("webhook")?;
    let queue: i16 = row.try_get("queue")?;
    let body: Option<&[u8]> = row.try_get("body")?;
    let delivery = Delivery {
        id: DeliveryId(row.try_get("id")?),
        message_id: parse(row, "message_id")?,
        webhook: WebhookId(webhook),
        owner: owner(row, "owner")?,
        tenant: tenant(row)?,
        task: row.try_get::<_, Option<i64>>("task")?.map(TaskId),
        cause: cause(row)?,
        body: if body.is_some() {
            text(row, "body")?.into()
        } else {
            "".into()
        },
        message_kept: body.is_some(),
        state: DeliveryState::Running,
        class: String::new(),
        status_info: String::new(),
        created: row.try_get("created")?,
        due: row.try_get("due")?,
        lease_until: Some(lease_until),
        last_attempt: None,
        attempts: number(row, "attempts")?,
        tries: number(row, "tries")?,
        lost_claims: u32::try_from(row.try_get::<_, i16>("lost")?).unwrap_or_default(),
        response_status: None,
        duration: None,
    };
    let claimed = Claimed {
        delivery,
        token: ClaimToken(row.try_get("token")?),
        class: QueueClass::from_number(queue),
        revision: Revision(row.try_get("revision")?),
    };
    Ok(Found {
        queue: WebhookQueue {
            webhook: WebhookId(webhook),
            class: QueueClass::from_number(queue),
        },
        claimed,
        marked: row.try_get("marked")?,
        in_order: row.try_get("in_order")?,
    })
}
