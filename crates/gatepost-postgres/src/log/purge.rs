//! Retention: what is not kept is hidden at once, and leaves by and by, a partition at a time.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{PurgeBounds, Purged};
use tokio::time::Instant;

use super::parts::Leaving;
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

const KEEP: &str = include_str!("../sql/log/keep.sql");
const FORGET_OLD: &str = include_str!("../sql/log/forget_old.sql");
const FORGET_DEFAULT: &str = include_str!("../sql/log/forget_default.sql");
const FORGET_ALL: &str = include_str!("../sql/log/forget_all.sql");
const FORGET_SEEN: &str = include_str!("../sql/log/forget_seen.sql");
const FORGET_DROPPED: &str = include_str!("../sql/log/forget_dropped.sql");
const FORGET_COUNTS: &str = include_str!("../sql/log/forget_counts.sql");
const FORGET_TURNS: &str = include_str!("../sql/outbox/forget.sql");

/// How long one call should take.
const CALL: Duration = Duration::from_millis(250);
/// Rows that one statement deletes.
const ROWS: i64 = 500;

impl PostgresStore {
    pub(super) async fn purge_log(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<Purged> {
        let began = Instant::now();
        self.db().execute(KEEP, &[&bounds.created_before]).await?;
        let purged = self.raise_floors(bounds.newest_per_webhook, now, began);
        let mut purged = purged.await?;
        match self.drop_part(bounds, now).await? {
            Leaving::Nothing => {}
            Leaving::More => purged.more = true,
        }
        let before = self.bounds(bounds.created_before, bounds.created_before);
        let (_, high) = before.await?;
        let stored = if self.may_define() {
            FORGET_DEFAULT
        } else {
            FORGET_ALL
        };
        let bites: [(&str, Option<Param<'_>>); 6] = [
            (FORGET_OLD, None),
            (stored, Some(&high)),
            (FORGET_TURNS, None),
            (FORGET_SEEN, Some(&bounds.occurrences_before)),
            (FORGET_DROPPED, Some(&bounds.created_before)),
            (FORGET_COUNTS, Some(&bounds.counts_before)),
        ];
        for (sql, before) in bites {
            purged.add(self.forget(sql, before, limit.into(), began).await?);
        }
        Ok(purged)
    }

    /// Removes in bites until nothing is left, the limit is reached or the time is over.
    async fn forget(
        &self,
        sql: &str,
        before: Option<Param<'_>>,
        limit: i64,
        began: Instant,
    ) -> Result<Purged> {
        let mut removed = 0;
        loop {
            let bite = (limit - removed).min(ROWS);
            if bite <= 0 {
                break;
            }
            let mut params: Vec<Param<'_>> = vec![&bite];
            params.extend(before);
            let gone = self.db().execute(sql, &params).await?;
            let gone = i64::try_from(gone).unwrap_or(i64::MAX);
            removed += gone;
            if gone < bite {
                return Ok(purged(removed, false));
            }
            if began.elapsed() > CALL {
                break;
            }
        }
        Ok(purged(removed, true))
    }
}

fn purged(rows: i64, more: bool) -> Purged {
    Purged {
        rows: u64::try_from(rows).unwrap_or(0),
        more,
    }
}

trait Add {
    fn add(&mut self, other: Self);
}

impl Add for Purged {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.more |= other.more;
    }
}
