//! Lists of deliveries: first the ids of a page, by the index that its filters have, then their
//! rows, in one view of the database.

mod ids;
mod part;

use chrono::{DateTime, TimeDelta, Utc};
use deadpool_postgres::Transaction;
use gatepost_storage::webhooks::{Delivery, DeliveryQuery};
use tokio_postgres::IsolationLevel;

use self::ids::Ids;
use super::row;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const ROWS: &str = include_str!("../../sql/log/rows.sql");
const BOUND: &str = include_str!("../../sql/log/bound.sql");
/// How far the clocks of two processes may differ for a delivery to be found by the time at which
/// it was created.
const SKEW: TimeDelta = TimeDelta::seconds(60);
/// The page is planned for its own values: who has few rows reads few, whatever others have.
const CUSTOM: &str = "SET LOCAL plan_cache_mode = force_custom_plan";
const GENERIC: &str = "SET LOCAL plan_cache_mode = force_generic_plan";

/// Ids among which that which was created within a span is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub(super) low: Option<i64>,
    pub(super) high: Option<i64>,
}

impl PostgresStore {
    pub(super) async fn some_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
        let mut client = self.db().client().await?;
        let begin = client.build_transaction();
        let begin = begin.isolation_level(IsolationLevel::RepeatableRead);
        let tx = begin.read_only(true).start().await?;
        let bounds = Bounds {
            low: first(&tx, query.created_from.map(earlier)).await?,
            high: first(&tx, query.created_before.map(later)).await?,
        };
        let ids = Ids::of(query, bounds);
        tx.batch_execute(CUSTOM).await?;
        // Not cached: a shape is seldom asked for twice in a row.
        let statement = tx.prepare(ids.sql()).await?;
        let found = tx.query(&statement, &ids.params()).await?;
        let ids = found.iter().map(|row| Ok(row.try_get(0)?));
        let ids: Vec<i64> = ids.collect::<Result<_>>()?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        tx.batch_execute(GENERIC).await?;
        let statement = tx.prepare_cached(ROWS).await?;
        let rows = tx.query(&statement, &[&ids]).await?;
        tx.commit().await?;
        rows.iter().map(row::delivery).collect()
    }

    /// The ids of what was created in this span, and some beside it.
    pub(super) async fn bounds(
        &self,
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<(i64, i64)> {
        let low = self.db().query_opt(BOUND, &[&earlier(from)]).await?;
        let high = self.db().query_opt(BOUND, &[&later(before)]).await?;
        match (low, high) {
            (Some(low), Some(high)) => Ok((low.try_get(0)?, high.try_get(0)?)),
            _ => Err(Failure::unavailable("no row came back")),
        }
    }
}

fn earlier(time: DateTime<Utc>) -> DateTime<Utc> {
    time.checked_sub_signed(SKEW).unwrap_or(time)
}

fn later(time: DateTime<Utc>) -> DateTime<Utc> {
    time.checked_add_signed(SKEW).unwrap_or(time)
}

async fn first(tx: &Transaction<'_>, time: Option<DateTime<Utc>>) -> Result<Option<i64>> {
    let Some(time) = time else {
        return Ok(None);
    };
    let statement = tx.prepare_cached(BOUND).await?;
    let row = tx.query_one(&statement, &[&time]).await?;
    Ok(Some(row.try_get(0)?))
}
