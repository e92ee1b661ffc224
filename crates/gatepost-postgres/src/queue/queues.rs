//! The queues that have something to claim.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    DeliveryId, DueLane, DuePoint, FoundQueues, Lane, QueueClass, Queues,
};
use tokio_postgres::Row;
use webhook_model::WebhookId;

use crate::column::{owner, place};
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

/// The queues that a statement found, and their claimable deliveries.
macro_rules! lanes {
    ($of:literal) => {
        concat!(
            include_str!(concat!("../sql/queue/", $of, ".sql")),
            include_str!("../sql/queue/mixed.sql"),
            include_str!("../sql/queue/claimable.sql"),
            include_str!("../sql/queue/idle.sql"),
            include_str!("../sql/queue/claimable_end.sql"),
            include_str!("../sql/queue/found.sql"),
        )
    };
}

const DUE: &str = lanes!("due_lanes");
const OF: &str = lanes!("lanes_of");
const SWEEP: &str = lanes!("sweep_lanes");

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
                let lanes = webhooks
                    .into_iter()
                    .flat_map(|webhook| QueueClass::ALL.map(|class| Lane { webhook, class }));
                let (webhooks, classes) = columns(lanes);
                let params: [Param<'_>; 3] = [&now, &webhooks, &classes];
                self.db().query(OF, &params).await?
            }
            Queues::Beyond(after) => {
                let (webhook, class) =
                    after.map_or((i64::MIN, 0), |lane| (lane.webhook.0, lane.class.number()));
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
    fn named(&self, rows: &[Row]) -> Result<Vec<DueLane>> {
        let lanes = rows.iter().filter_map(|row| due_lane(row).transpose());
        let mut lanes = lanes.collect::<Result<Vec<_>>>()?;
        lanes.sort_unstable_by_key(|due| due.lane);
        self.fronts().found(&lanes);
        Ok(lanes)
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
                Queues::Beyond(Some(Lane {
                    webhook: WebhookId(webhook),
                    class: QueueClass::from_number(class),
                }))
            })
        }
    })
}

/// Returns queues as columns.
pub(super) fn columns(lanes: impl IntoIterator<Item = Lane>) -> (Vec<i64>, Vec<i16>) {
    let lanes = lanes.into_iter();
    lanes
        .map(|lane| (lane.webhook.0, lane.class.number()))
        .unzip()
}

fn due_lane(row: &Row) -> Result<Option<DueLane>> {
    let Some(webhook) = row.try_get("webhook")? else {
        return Ok(None);
    };
    Ok(Some(DueLane {
        lane: Lane {
            webhook: WebhookId(webhook),
            class: QueueClass::from_number(row.try_get("class")?),
        },
        due: row.try_get("due")?,
        owner: owner(row, "owner")?,
        place: place(row)?,
        revision: Revision(row.try_get("revision")?),
    }))
}
