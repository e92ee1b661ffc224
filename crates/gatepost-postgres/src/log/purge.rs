//! Retention. Deliveries that are not kept are hidden immediately and deleted later: those that are
//! too old by partition, those beyond their owner's share earlier, in batches.

use std::time::Duration;

use gatepost_storage::webhooks::{PurgeBounds, Purged};
use tokio::time::Instant;
use uuid::Uuid;

use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

const KEEP: &str = sql!("log/keep");
const HIDDEN: &str = "SELECT owner, hidden_to FROM :schema.gatepost_owner WHERE hidden_to > 0 ORDER BY owner LIMIT 1";
const HIDDEN_PICK: &str = concat!(sql!("log/hidden_pick"), sql!("log/replay_lock"));
const HIDDEN_DELETE: &str = sql!("log/hidden_delete");
const HIDDEN_DONE: &str =
    "UPDATE :schema.gatepost_owner SET hidden_to = 0 WHERE owner = $1 AND hidden_to = $2";
const FORGET_OLD: &str = sql!("log/forget_old");
const FORGET_DEFAULT: &str = sql!("log/forget_default");
const FORGET_ALL: &str = sql!("log/forget_all");
const FORGET_SEEN: &str = sql!("log/forget_seen");
const FORGET_DROPPED: &str = sql!("log/forget_rejected");
const FORGET_COUNTS: &str = sql!("log/forget_counts");
const FORGET_TURNS: &str = sql!("outbox/forget");

/// The target duration of one call.
const CALL: Duration = Duration::from_millis(250);
/// The maximum number of rows that one statement deletes.
const ROWS: i64 = 500;

impl PostgresStore {
    pub(super) async fn purge_log(&self, bounds: &PurgeBounds, limit: u32) -> Result<Purged> {
        let began = Instant::now();
        let before = self.bounds(bounds.created_before, bounds.created_before);
        let (low, high) = before.await?;
        let kept: [Param<'_>; 2] = [&bounds.created_before, &low];
        self.db().execute(KEEP, &kept).await?;
        let mut purged = self.forget_hidden(limit.into(), began).await?;
        purged.more |= self.drop_part(bounds).await?;
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
            let gone = self.forget(sql, before, limit.into(), began).await?;
            purged.rows += gone.rows;
            purged.more |= gone.more;
        }
        Ok(purged)
    }

    /// Deletes hidden deliveries, one owner after another.
    async fn forget_hidden(&self, limit: i64, began: Instant) -> Result<Purged> {
        let mut removed = 0;
        while let Some(row) = self.db().query_opt(HIDDEN, &[]).await? {
            let (owner, last): (Uuid, i64) = (row.try_get("owner")?, row.try_get("hidden_to")?);
            let bite = (limit - removed).min(ROWS);
            if bite <= 0 || began.elapsed() > CALL {
                return Ok(purged(removed, true));
            }
            let tx = self.db().begin("BEGIN").await?;
            let picked = tx.query_one(HIDDEN_PICK, &[&owner, &last, &bite]).await?;
            match picked.try_get::<_, String>(0)?.as_str() {
                "{}" => drop(tx.query(HIDDEN_DONE, &[&owner, &last]).await?),
                some => {
                    removed += some.split(',').count() as i64;
                    tx.query(HIDDEN_DELETE, &[]).await?;
                }
            }
            tx.commit().await?;
        }
        Ok(purged(removed, false))
    }

    /// Deletes in batches until nothing is left, the limit is reached or the time is over.
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
