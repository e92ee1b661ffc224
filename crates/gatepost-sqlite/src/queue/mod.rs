//! The durable queue.

pub(crate) mod row;

mod claim;
mod enqueue;
mod lanes;
mod settle;
mod token;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Claimed, DueLane, Enqueue, Enqueued, Lane, LaneClaim, MAX_LOST_CLAIMS, QueueStore, Reclaimed,
    Settled, Settlement, lost_claims_info,
};
use rusqlite::params;

use crate::column::micros;
use crate::error::Answer;
use crate::store::SqliteStore;

#[async_trait]
impl QueueStore for SqliteStore {
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Answer<Enqueued> {
        self.write(move |c| enqueue::enqueue(c, &batch, now)).await
    }

    async fn due_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<Vec<DueLane>> {
        self.read(move |c| lanes::due(c, after, limit as usize, now))
            .await
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Answer<Option<DateTime<Utc>>> {
        self.read(move |c| lanes::next_due(c, now)).await
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Vec<Claimed>> {
        if lanes.is_empty() {
            return Ok(Vec::new());
        }
        let lanes = lanes.to_vec();
        self.write(move |c| claim::claim(c, &lanes, lease_until, now))
            .await
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Answer<Vec<Settled>> {
        if settlements.is_empty() {
            return Ok(Vec::new());
        }
        self.write(move |c| settlements.iter().map(|s| settle::settle(c, s)).collect())
            .await
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
        self.write(move |c| {
            let reason = lost_claims_info();
            let mut statement = c.prepare_cached(include_str!("../sql/queue/reclaim.sql"))?;
            let mut rows = statement.query(params![micros(now), limit, MAX_LOST_CLAIMS, reason])?;
            let mut reclaimed = Reclaimed::default();
            while let Some(row) = rows.next()? {
                match row.get::<_, i64>(0)? {
                    0 => reclaimed.requeued += 1,
                    _ => reclaimed.ended += 1,
                }
            }
            Ok(reclaimed)
        })
        .await
    }

    async fn work_arrived(&self) {
        self.watch().changed().await;
    }
}
