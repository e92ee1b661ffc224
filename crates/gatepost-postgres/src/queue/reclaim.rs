//! Expired leases.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Delivery, EndReason, QueueClass, Reclaimed, WebhookQueue};
use webhook_model::WebhookId;

use crate::column::total;
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

/// Run first, because it is cheap and usually finds nothing.
const ENDED: &str = "SELECT EXISTS (SELECT FROM :schema.gatepost_running WHERE lease_until <= $1)";
const PICK: &str = sql!("queue/reclaim_pick");
const RECLAIM: &str = sql!("queue/reclaim");

impl PostgresStore {
    pub(super) async fn reclaim_ended(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed> {
        if !self.db().is(ENDED, &[&now]).await? {
            return Ok(Reclaimed::default());
        }
        let (limit, most) = (i64::from(limit), Delivery::MAX_LOST_CLAIMS.cast_signed());
        let reason = EndReason::LostClaims.as_str();
        let pick: [Param<'_>; 2] = [&now, &limit];
        let reclaim: [Param<'_>; 3] = [&now, &most, &reason];
        let statements = [(PICK, &pick[..]), (RECLAIM, &reclaim[..])];
        let row = self.db().last_row(&statements).await?;
        let requeued: Vec<i64> = row.try_get("requeued")?;
        let queues = requeued.iter().flat_map(|webhook| {
            let webhook = WebhookId(*webhook);
            [QueueClass::Lost, QueueClass::Quarantine].map(|class| WebhookQueue { webhook, class })
        });
        self.fronts()
            .queued(queues.clone().map(|queue| (queue, now)));
        self.notifier().queues(queues);
        Ok(Reclaimed {
            requeued: requeued.len() as u64,
            ended: total(&row, "ended")?,
        })
    }
}
