//! The queues that have something to claim.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    DeliveryId, DuePoint, DueQueue, FoundQueues, QueueClass, Queues, WebhookQueue,
};
use tokio_postgres::Row;
use webhook_model::WebhookId;

use crate::column::{owner, place};
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

/// The queues that a statement found, and their claimable deliveries.
macro_rules! queues {
    ($of:literal) => {
        concat!(
            sql!(concat!("queue/", $of)),
            sql!("queue/mixed"),
            sql!("queue/claimable"),
            sql!("queue/idle"),
            sql!("queue/claimable_end"),
            sql!("queue/found"),
        )
    };
}

const DUE: &str = queues!("due_queues");
const OF: &str = queues!("queues_of");
const SWEEP: &str = queues!("sweep_queues");

impl PostgresStore {
    pub(super) async fn find_queues(
        &self,
        which: &Queues,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues> {
        let limit = i64::from(limit);
        let rows = match which {
            Queues::Due(DuePoint { due, delivery }) => {
                let params: [Param<'_>; 4] = [&now, due, &delivery.0, &limit];
                self.db().query(DUE, &params).await?
            }
            Queues::Of(webhooks) => {
                let webhooks: BTreeSet<_> = webhooks.iter().copied().collect();
                let queues = webhooks.into_iter().flat_map(|webhook| {
                    QueueClass::ALL.map(|class| WebhookQueue { webhook, class })
                });
                let (webhooks, classes) = columns(queues);
                let params: [Param<'_>; 3] = [&now, &webhooks, &classes];
                self.db().query(OF, &params).await?
            }
            Queues::Beyond(after) => {
                let (webhook, class) = after.map_or((i64::MIN, 0), |queue| {
                    (queue.webhook.0, queue.class.number())
                });
                let params: [Param<'_>; 4] = [&now, &webhook, &class, &limit];
                self.db().query(SWEEP, &params).await?
            }
        };
        let first = rows.first();
        let more = first.map(|row| more(which, row)).transpose()?;
        let next_due = first.map(|row| row.try_get("next_due")).transpose()?;
        Ok(FoundQueues {
            due: self.named(&rows)?,
            more: more.flatten(),
            next_due: next_due.flatten(),
        })
    }

    /// Returns the queues that the rows name, and moves their claim cursors back. A row that holds
    /// only the position of the next page names none.
    fn named(&self, rows: &[Row]) -> Result<Vec<DueQueue>> {
        let queues = rows.iter().filter_map(|row| due_queue(row).transpose());
        let mut queues = queues.collect::<Result<Vec<_>>>()?;
        queues.sort_unstable_by_key(|due| due.queue);
        self.fronts().found(&queues);
        Ok(queues)
    }
}

/// Returns the position of the next page, which each row holds.
fn more(which: &Queues, row: &Row) -> Result<Option<Queues>> {
    Ok(match which {
        Queues::Due(_) => {
            let (due, id): (Option<_>, Option<i64>) =
                (row.try_get("last_due")?, row.try_get("last_id")?);
            due.zip(id).map(|(due, id)| {
                let delivery = DeliveryId(id);
                Queues::Due(DuePoint { due, delivery })
            })
        }
        Queues::Of(_) => None,
        Queues::Beyond(_) => {
            let (webhook, class): (Option<i64>, Option<i16>) =
                (row.try_get("last_webhook")?, row.try_get("last_class")?);
            webhook.zip(class).map(|(webhook, class)| {
                Queues::Beyond(Some(WebhookQueue {
                    webhook: WebhookId(webhook),
                    class: QueueClass::from_number(class),
                }))
            })
        }
    })
}

/// Returns queues as columns.
pub(super) fn columns(queues: impl IntoIterator<Item = WebhookQueue>) -> (Vec<i64>, Vec<i16>) {
    let queues = queues.into_iter();
    queues
        .map(|queue| (queue.webhook.0, queue.class.number()))
        .unzip()
}

fn due_queue(row: &Row) -> Result<Option<DueQueue>> {
    let Some(webhook) = row.try_get("webhook")? else {
        return Ok(None);
    };
    Ok(Some(DueQueue {
        queue: WebhookQueue {
            webhook: WebhookId(webhook),
            class: QueueClass::from_number(row.try_get("class")?),
        },
        due: row.try_get("due")?,
        owner: owner(row, "owner")?,
        realm: place(row)?,
        revision: Revision(row.try_get("revision")?),
    }))
}
