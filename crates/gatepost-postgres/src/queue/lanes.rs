//! Which lanes have something to claim.

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::columns::{class_number, class_of};
use gatepost_storage::webhooks::{
    DeliveryId, DueLane, DueLanes, DuePoint, Lane, LaneClass, LaneSweep,
};
use gatepost_storage::{Revision, StoreError};
use tokio_postgres::Row;
use webhook_model::WebhookId;

use crate::column::owner;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

/// The lanes that a statement named, and what is claimable of them.
macro_rules! lanes {
    ($of:literal) => {
        concat!(
            include_str!(concat!("../sql/queue/", $of, ".sql")),
            include_str!("../sql/queue/mixed.sql"),
            include_str!("../sql/queue/claimable.sql"),
            include_str!("../sql/queue/idle.sql"),
            include_str!("../sql/queue/claimable_end.sql"),
            include_str!(concat!("../sql/queue/", $of, "_end.sql")),
        )
    };
}

const DUE: &str = lanes!("due_lanes");
const OF: &str = lanes!("lanes_of");
const SWEEP: &str = lanes!("sweep_lanes");

impl PostgresStore {
    pub(super) async fn lanes_due(
        &self,
        after: DuePoint,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<DueLanes> {
        let limit = i64::from(limit);
        let (busy, since) = self.fronts().busy();
        let (webhooks, classes) = columns(busy);
        let params: [Param<'_>; 7] = [
            &until,
            &after.due,
            &after.delivery.0,
            &limit,
            &webhooks,
            &classes,
            &since,
        ];
        let rows = self.db().query(DUE, &params).await?;
        let lanes = self.named(&rows)?;
        let more = |row: &Row| -> Result<Option<DuePoint>> {
            let due: Option<DateTime<Utc>> = row.try_get("last_due")?;
            let id: Option<i64> = row.try_get("last_id")?;
            let point = due.zip(id);
            Ok(point.map(|(due, id)| DuePoint {
                due,
                delivery: DeliveryId(id),
            }))
        };
        let more = rows.first().map(more).transpose()?.flatten();
        Ok(DueLanes { lanes, more })
    }

    pub(super) async fn some_lanes(
        &self,
        webhooks: &[WebhookId],
        now: DateTime<Utc>,
    ) -> Result<Vec<DueLane>> {
        let mut webhooks = webhooks.to_vec();
        webhooks.sort_unstable();
        webhooks.dedup();
        let classes = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];
        let lanes = webhooks
            .into_iter()
            .flat_map(|webhook| classes.map(|class| Lane { webhook, class }));
        let lanes: Vec<Lane> = lanes.collect();
        let (since, _look) = self.fronts().of(&lanes);
        let (webhooks, classes) = columns(lanes);
        let params: [Param<'_>; 4] = [&now, &webhooks, &classes, &since];
        let rows = self.db().query(OF, &params).await?;
        self.named(&rows)
    }

    pub(super) async fn swept_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<LaneSweep> {
        let (webhook, class) = after.map_or((i64::MIN, 0), |lane| {
            (lane.webhook.0, class_number(lane.class))
        });
        let limit = i64::from(limit);
        let params: [Param<'_>; 4] = [&now, &webhook, &class, &limit];
        let rows = self.db().query(SWEEP, &params).await?;
        let due = self.named(&rows)?;
        let next = |row: &Row| -> Result<Option<Lane>> {
            let webhook: Option<i64> = row.try_get("last_webhook")?;
            let class: Option<i16> = row.try_get("last_class")?;
            Ok(webhook.zip(class).map(|(webhook, class)| Lane {
                webhook: WebhookId(webhook),
                class: class_of(class),
            }))
        };
        let next = rows.first().map(next).transpose()?.flatten();
        Ok(LaneSweep { due, next })
    }
}

impl PostgresStore {
    /// The lanes that a row names, which lead their claims back; one that says only where to go on
    /// names none.
    fn named(&self, rows: &[Row]) -> Result<Vec<DueLane>> {
        let lanes = rows.iter().filter_map(|row| due_lane(row).transpose());
        let mut lanes = lanes.collect::<Result<Vec<_>>>()?;
        lanes.sort_unstable_by_key(|due| due.lane);
        self.fronts().found(&lanes);
        Ok(lanes)
    }
}

/// Lanes as columns.
pub(super) fn columns(lanes: impl IntoIterator<Item = Lane>) -> (Vec<i64>, Vec<i16>) {
    let lanes = lanes.into_iter();
    lanes
        .map(|lane| (lane.webhook.0, class_number(lane.class)))
        .unzip()
}

fn due_lane(row: &Row) -> Result<Option<DueLane>> {
    let Some(webhook) = row.try_get("webhook")? else {
        return Ok(None);
    };
    let place = Place::from_word(row.try_get("place")?);
    Ok(Some(DueLane {
        lane: Lane {
            webhook: WebhookId(webhook),
            class: class_of(row.try_get("class")?),
        },
        due: row.try_get("due")?,
        owner: owner(row, "owner")?,
        place: place.ok_or_else(|| Failure::from(StoreError::corrupt("place", "unknown word")))?,
        revision: Revision(row.try_get("revision")?),
    }))
}
