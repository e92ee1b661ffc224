//! Changes of waiting deliveries: claimed, cancelled or made due immediately.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, DeliveryId, EndReason, IfWaiting, QueueClass, WaitingChange,
    WebhookQueue,
};
use uuid::Uuid;
use webhook_model::WebhookId;

use crate::column::{column, without_nul};
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const FETCHED: &str = concat!(
    sql!("log/waiting"),
    sql!("log/fetched"),
    sql!("log/changed")
);
const CANCELLED: &str = concat!(
    sql!("log/waiting"),
    ", logged AS (\n",
    sql!("log/ended"),
    "RETURNING webhook)\n",
    sql!("log/count_ended"),
    sql!("log/changed")
);
const DUE: &str = concat!(
    sql!("log/waiting"),
    sql!("log/due_now"),
    sql!("log/changed")
);

impl PostgresStore {
    /// Notifies all processes of the queues in which something is due.
    pub(super) async fn change_some(
        &self,
        deliveries: &[IfWaiting],
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>> {
        // No row has that many.
        let attempts = |attempts| i32::try_from(attempts).unwrap_or(i32::MAX);
        let columns = [
            column(deliveries, |one| one.delivery.0),
            column(deliveries, |one| one.webhook.map(|id| id.0)),
            column(deliveries, |one| one.attempts.map(attempts)),
        ];
        let (sql, info, keep) = match change {
            WaitingChange::Fetched { keep_messages } => (
                FETCHED,
                Some(EndReason::Fetched.as_str().to_owned()),
                Some(keep_messages),
            ),
            WaitingChange::Cancelled { reason } => {
                (CANCELLED, Some(without_nul(&reason).into_owned()), None)
            }
            WaitingChange::Due => (DUE, None, None),
        };
        let [ids, webhooks, attempts] = &columns;
        let mut params: Vec<Param<'_>> = vec![&**ids, &info, &now, &**webhooks, &**attempts];
        let kept_bytes = AttemptRecord::fetched(now).kept_bytes().cast_signed();
        if let Some(keep) = &keep {
            params.extend([keep as Param<'_>, &kept_bytes]);
        }
        let rows = self.db().query(sql, &params).await?;
        let (mut changed, mut queues) = (Vec::new(), Vec::new());
        for row in &rows {
            let webhook = WebhookId(row.try_get("webhook")?);
            let bytes: Option<i64> = row.try_get("bytes")?;
            changed.push(ChangedDelivery {
                delivery: DeliveryId(row.try_get("id")?),
                webhook,
                owner: row.try_get::<_, Uuid>("owner")?.into(),
                bytes: u64::try_from(bytes.unwrap_or(0))
                    .map_err(|e| Failure::corrupt("body", e))?,
            });
            queues.push(WebhookQueue {
                webhook,
                class: QueueClass::from_number(row.try_get("class")?),
            });
        }
        if info.is_none() {
            self.fronts()
                .queued(queues.iter().map(|queue| (*queue, now)));
            self.notifier().queues(queues);
        }
        Ok(changed)
    }
}
