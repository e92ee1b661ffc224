//! Floors: of each webhook the newest are shown. Looked at are the webhooks to which something came
//! since the last look, and those of which more is to be hidden once it has ended.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::Purged;
use tokio::time::Instant;

use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const KEPT: &str = "SELECT delivery, webhook, newest FROM :schema.gatepost_kept";
const ARRIVED: &str = include_str!("../sql/log/arrived.sql");
const CROWDED: &str = include_str!("../sql/log/crowded.sql");
const CROWD: &str = include_str!("../sql/log/crowd.sql");
const FLOORS: &str = include_str!("../sql/log/floors.sql");
const LOOKED: &str = include_str!("../sql/log/looked.sql");

/// How long one statement should take, the look for what arrived, and a call.
const BITE: Duration = Duration::from_millis(25);
const LOOK: Duration = Duration::from_millis(100);
const CALL: Duration = Duration::from_millis(250);
/// Deliveries that one statement looks at.
const DELIVERIES: i64 = 10_000;
/// Webhooks that the first statement looks at, and any other at most; and that one call does.
const FIRST: usize = 16;
const MOST: usize = 1_024;
const WEBHOOKS: usize = 4_096;
const CROWD_OF: i64 = 256;
/// What was created longer ago has been committed.
const SETTLED: TimeDelta = TimeDelta::seconds(10);

/// How far the look has come.
struct Reach {
    delivery: i64,
    webhook: i64,
    newest: i64,
}

impl PostgresStore {
    /// Some of the webhooks, from where the last call ended.
    pub(super) async fn raise_floors(
        &self,
        newest: u32,
        now: DateTime<Utc>,
        began: Instant,
    ) -> Result<Purged> {
        let mut reach = self.reach(newest.into()).await?;
        let crowded = self.db().query(CROWDED, &[&CROWD_OF]).await?;
        let crowded = crowded.iter().map(|row| Ok(row.try_get(0)?));
        let crowded: Vec<i64> = crowded.collect::<Result<_>>()?;
        let is_full = i64::try_from(crowded.len()).is_ok_and(|found| found >= CROWD_OF);
        reach.webhook = match crowded.last() {
            Some(last) if is_full => *last,
            _ => 0,
        };
        let mut webhooks: BTreeSet<i64> = crowded.into_iter().collect();
        let mut more = self.arrived(&mut reach, now, began, &mut webhooks).await?;
        more |= is_full;
        let (rows, left) = self.raise(webhooks, newest.into(), began).await?;
        if !left.is_empty() {
            self.db().execute(CROWD, &[&left]).await?;
            more = true;
        }
        let Reach {
            delivery,
            webhook,
            newest,
        } = reach;
        let reached: [Param<'_>; 3] = [&delivery, &webhook, &newest];
        self.db().execute(LOOKED, &reached).await?;
        Ok(Purged { rows, more })
    }

    /// Where fewer are shown than before, all are looked at.
    async fn reach(&self, newest: i64) -> Result<Reach> {
        let row = self.db().query_opt(KEPT, &[]).await?;
        let row = row.ok_or_else(|| Failure::unavailable("no row came back"))?;
        let fewer = newest < row.try_get("newest")?;
        Ok(Reach {
            delivery: if fewer { 0 } else { row.try_get("delivery")? },
            webhook: row.try_get("webhook")?,
            newest,
        })
    }

    /// Adds the webhooks of what has come; whether there is more.
    async fn arrived(
        &self,
        reach: &mut Reach,
        now: DateTime<Utc>,
        began: Instant,
        webhooks: &mut BTreeSet<i64>,
    ) -> Result<bool> {
        let settled = now.checked_sub_signed(SETTLED).unwrap_or(now);
        let (mut after, mut is_settled) = (reach.delivery, true);
        loop {
            let params: [Param<'_>; 3] = [&after, &DELIVERIES, &settled];
            let row = self.db().query_opt(ARRIVED, &params).await?;
            let row = row.ok_or_else(|| Failure::unavailable("no row came back"))?;
            let Some(last) = row.try_get::<_, Option<i64>>("last")? else {
                return Ok(false);
            };
            let upto: i64 = row.try_get("settled")?;
            webhooks.extend(row.try_get::<_, Vec<i64>>("webhooks")?);
            if is_settled {
                reach.delivery = upto;
            }
            is_settled &= upto == last;
            after = last;
            if row.try_get::<_, i64>("found")? < DELIVERIES {
                return Ok(false);
            }
            if webhooks.len() >= WEBHOOKS || began.elapsed() > LOOK {
                // What is not settled yet is all looked at again, by and by.
                return Ok(is_settled);
            }
        }
    }

    /// How many floors were raised, and the webhooks that there was no time for.
    async fn raise(
        &self,
        webhooks: BTreeSet<i64>,
        newest: i64,
        began: Instant,
    ) -> Result<(u64, Vec<i64>)> {
        let (mut left, mut raised, mut page) = (Vec::from_iter(webhooks), 0, FIRST);
        while !left.is_empty() && began.elapsed() <= CALL {
            let asked = Instant::now();
            let some: Vec<i64> = left.drain(..page.min(left.len())).collect();
            let row = self.db().query_opt(FLOORS, &[&newest, &some]).await?;
            let row = row.ok_or_else(|| Failure::unavailable("no row came back"))?;
            raised += u64::try_from(row.try_get::<_, i64>("raised")?).unwrap_or(0);
            page = match asked.elapsed() {
                spent if spent > BITE => (page / 2).max(1),
                spent if spent < BITE / 4 => (page * 2).min(MOST),
                _ => page,
            };
        }
        Ok((raised, left))
    }
}
