//! The durable queue.

pub(crate) mod row;

mod claim;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::columns::{class_number, class_of};
use gatepost_storage::webhooks::{
    Claimed, DueLane, Enqueue, Enqueued, Lane, LaneClaim, MAX_LOST_CLAIMS, QueueStore, Reclaimed,
    Settled, Settlement, lost_claims_info,
};
use gatepost_storage::{Revision, StoreError};
use webhook_model::{OwnerId, WebhookId};

use crate::error::{Answer, Failure, Result};
use crate::store::PostgresStore;

#[async_trait]
impl QueueStore for PostgresStore {
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Answer<Enqueued> {
        let leaves_work = batch.deliveries.iter().any(|d| d.lease_until.is_none());
        let answer = self.enqueue_batched(batch, now).await?;
        if leaves_work && matches!(answer, Enqueued::Stored { .. }) {
            self.notifier().work_arrived();
        }
        Ok(answer)
    }

    async fn due_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<Vec<DueLane>> {
        let (webhook, class) = after.map_or((i64::MIN, 0), |lane| {
            (lane.webhook.0, class_number(lane.class))
        });
        let rows = self
            .db()
            .query(
                include_str!("../sql/queue/due_lanes.sql"),
                &[&webhook, &class, &now, &i64::from(limit)],
            )
            .await?;
        let mut lanes = rows.iter().map(due_lane).collect::<Result<Vec<_>>>()?;
        lanes.sort_unstable_by_key(|l| l.lane);
        Ok(lanes)
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Answer<Option<DateTime<Utc>>> {
        let row = self
            .db()
            .query_opt(include_str!("../sql/queue/next_due.sql"), &[&now])
            .await?;
        Ok(row
            .map(|row| row.try_get("due"))
            .transpose()
            .map_err(Failure::from)?
            .flatten())
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Vec<Claimed>> {
        Ok(self.claim_lanes(lanes, lease_until, now).await?)
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Answer<Vec<Settled>> {
        if settlements.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.settle_batched(settlements).await?)
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
        let reason = lost_claims_info();
        let rows = self
            .db()
            .query(
                include_str!("../sql/queue/reclaim.sql"),
                &[
                    &now,
                    &i64::from(limit),
                    &i64::from(MAX_LOST_CLAIMS),
                    &reason,
                ],
            )
            .await?;
        let mut reclaimed = Reclaimed::default();
        for row in &rows {
            match row.try_get::<_, &str>(0).map_err(Failure::from)? {
                "error" => reclaimed.ended += 1,
                _ => reclaimed.requeued += 1,
            }
        }
        if reclaimed.requeued > 0 {
            self.notifier().work_arrived();
        }
        Ok(reclaimed)
    }

    async fn work_arrived(&self) {
        self.node().work_arrived().await;
    }
}

fn due_lane(row: &tokio_postgres::Row) -> Result<DueLane> {
    let class = class_of(row.try_get("class")?);
    let place = Place::from_word(row.try_get("place")?);
    Ok(DueLane {
        lane: Lane {
            webhook: WebhookId(row.try_get("webhook")?),
            class,
        },
        due: row.try_get("due")?,
        owner: OwnerId(row.try_get("owner")?),
        place: place.ok_or_else(|| Failure::from(StoreError::corrupt("place", "unknown word")))?,
        revision: Revision(row.try_get("revision")?),
    })
}
