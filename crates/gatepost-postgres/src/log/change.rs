//! The replay, deletion and expiry of deliveries.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryId, EndReason, QueueClass, WebhookQueue};
use webhook_model::WebhookId;

use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const REPLAY_IDS: &str = concat!(sql!("log/replay_ids"), sql!("log/replay_lock"));
const REPLAY: &str = sql!("log/replay");
const EXPIRE: &str = concat!(
    sql!("log/expire_held"),
    ", logged AS (\n",
    sql!("log/ended"),
    "RETURNING webhook)\n",
    sql!("log/count_ended"),
    "SELECT count(*) AS ended FROM logged"
);
const DELETE_PICK: &str = sql!("log/delete_pick");
/// The statements that remove the picked deliveries. Each sees the commits before it: from the
/// second on none of them can be claimed, from the fourth on none can be settled, and the fifth
/// removes those that a settlement returned to the queue in between.
const PICKED: [&str; 6] = [
    sql!("gone/picked_queue"),
    sql!("gone/picked_hold"),
    sql!("gone/picked_claims"),
    sql!("gone/picked_queue"),
    sql!("gone/picked_outcomes"),
    sql!("gone/picked_deliveries"),
];

impl PostgresStore {
    /// Notifies all processes of the queues in which deliveries wait again.
    pub(super) async fn replay_some(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let (picked, again): ([Param<'_>; 1], [Param<'_>; 1]) = ([&ids], [&now]);
        let statements = [(REPLAY_IDS, &picked[..]), (REPLAY, &again[..])];
        let answers = self.db().pipeline("BEGIN", &statements).await?;
        let (mut replayed, mut queues) = (0, Vec::new());
        for row in answers.last().into_iter().flatten() {
            replayed += row.try_get::<_, i64>("replayed")?;
            queues.push(WebhookQueue {
                webhook: WebhookId(row.try_get("webhook")?),
                class: QueueClass::First,
            });
        }
        self.fronts()
            .queued(queues.iter().map(|queue| (*queue, now)));
        self.notifier().queues(queues);
        number(replayed)
    }

    pub(super) async fn expire(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64> {
        let (_, high) = self.bounds(created_before, created_before).await?;
        let limit = i64::from(limit);
        let params: [Param<'_>; 5] = [
            &created_before,
            &EndReason::Expired.as_str(),
            &now,
            &limit,
            &high,
        ];
        number(self.db().row(EXPIRE, &params).await?.try_get("ended")?)
    }

    /// Returns whether the delivery existed.
    pub(super) async fn delete_one(&self, id: DeliveryId) -> Result<bool> {
        Ok(self.remove_picked(DELETE_PICK, &[&id.0]).await? > 0)
    }

    /// Deletes the deliveries that `pick` selects, with all their data.
    pub(crate) async fn remove_picked(&self, pick: &str, params: &[Param<'_>]) -> Result<u64> {
        let mut statements = vec![(pick, params)];
        statements.extend(PICKED.map(|sql| (sql, &[][..])));
        number(self.db().last_row(&statements).await?.try_get(0)?)
    }
}

fn number(count: i64) -> Result<u64> {
    u64::try_from(count).map_err(|e| Failure::corrupt("count", e))
}
