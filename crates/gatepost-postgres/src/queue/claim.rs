//! Claims.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use gatepost_storage::Revision;
use gatepost_storage::columns::{class_number, class_of};
use gatepost_storage::webhooks::{ClaimToken, Claimed, LaneClaim};
use tokio_postgres::Row;

use super::row;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

impl PostgresStore {
    pub(super) async fn claim_lanes(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>> {
        let lanes = merged(lanes);
        let webhooks: Vec<i64> = lanes.iter().map(|(webhook, _, _)| *webhook).collect();
        let classes: Vec<i16> = lanes.iter().map(|(_, class, _)| *class).collect();
        let most: Vec<i64> = lanes.iter().map(|(_, _, most)| *most).collect();
        let answers = self
            .db()
            .pipeline(
                "BEGIN",
                &[
                    (include_str!("../sql/queue/lock_in_order.sql"), &[&webhooks]),
                    (
                        include_str!("../sql/queue/claim.sql"),
                        &[&webhooks, &classes, &most, &lease_until, &now],
                    ),
                ],
            )
            .await?;
        let rows = answers.into_iter().next_back().unwrap_or_default();
        let place: HashMap<(i64, i16), usize> = lanes
            .iter()
            .enumerate()
            .map(|(at, (webhook, class, _))| ((*webhook, *class), at))
            .collect();
        let mut claimed = Vec::with_capacity(rows.len());
        for found in &rows {
            match claim(found) {
                Ok((lane, claim)) => claimed.push((place.get(&lane).copied(), claim)),
                Err(failure) => self.end_unreadable(found, &failure).await?,
            }
        }
        claimed.sort_by_key(|(place, claim)| (*place, claim.delivery.due, claim.delivery.id));
        Ok(claimed.into_iter().map(|(_, claim)| claim).collect())
    }

    async fn end_unreadable(&self, row: &Row, failure: &Failure) -> Result<()> {
        let (id, claims): (i64, i64) = (row.try_get("id")?, row.try_get("claims")?);
        tracing::error!(
            delivery = id,
            cause = failure.cause(),
            "a delivery cannot be read and ends"
        );
        let info = format!("the stored delivery cannot be read: {}", failure.cause());
        self.db()
            .execute(
                include_str!("../sql/queue/poison.sql"),
                &[&id, &claims, &info],
            )
            .await?;
        Ok(())
    }
}

/// A lane that is named twice is claimed from once, up to the sum.
fn merged(lanes: &[LaneClaim]) -> Vec<(i64, i16, i64)> {
    let mut merged: Vec<(i64, i16, i64)> = Vec::with_capacity(lanes.len());
    let mut place = HashMap::new();
    for LaneClaim { lane, limit } in lanes {
        let key = (lane.webhook.0, class_number(lane.class));
        let at = *place.entry(key).or_insert(merged.len());
        match merged.get_mut(at) {
            Some((_, _, most)) => *most += i64::from(*limit),
            None => merged.push((key.0, key.1, i64::from(*limit))),
        }
    }
    merged
}

fn claim(row: &Row) -> Result<((i64, i16), Claimed)> {
    let delivery = row::delivery(row)?;
    let class: i16 = row.try_get("class")?;
    Ok((
        (delivery.webhook.0, class),
        Claimed {
            delivery,
            token: ClaimToken(row.try_get("claims")?),
            class: class_of(class),
            revision: Revision(row.try_get("revision")?),
        },
    ))
}
