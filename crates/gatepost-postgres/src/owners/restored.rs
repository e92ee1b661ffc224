//! Moves the numbers of a restored database beyond those that were assigned after the backup.

use chrono::{DateTime, Utc};
use gatepost_storage::keys::KeyShard;
use gatepost_storage::owners::SkippedIds;

use crate::db::Param;
use crate::error::Result;
use crate::node::Moved;
use crate::store::PostgresStore;

/// All rows of records are written, so there is no time limit.
const BEGIN: &str = "BEGIN; SET LOCAL statement_timeout = 0";
/// Sequences are not transactional: if the rest fails, the next attempt skips numbers again.
const SEQUENCES: &str = sql!("owners/pass_over");
const REVISED: &str = sql!("owners/revise");
const KEYS: &str = sql!("owners/restart_keys");
const PLACES: &str =
    "UPDATE :schema.gatepost_place SET version = nextval(':schema.gatepost_version')";
const FORGET: &str = "DELETE FROM :schema.gatepost_change";
const SESSIONS: &str = "DELETE FROM :schema.gatepost_session";

impl PostgresStore {
    /// Skips the numbers. Returns when no process acts on an earlier key.
    pub(super) async fn pass_over(&self, now: DateTime<Utc>) -> Result<()> {
        let (of_records, of_log) = (SkippedIds::of_records(now), SkippedIds::of_log(now));
        let tx = self.db().begin(BEGIN).await?;
        let records: [Param<'_>; 2] = [&of_records.gap, &of_records.floor];
        let numbers: [Param<'_>; 4] = [
            &of_records.gap,
            &of_records.floor,
            &of_log.gap,
            &of_log.floor,
        ];
        tx.query(SEQUENCES, &numbers).await?;
        tx.query(REVISED, &records).await?;
        tx.query(PLACES, &[]).await?;
        tx.query(FORGET, &[]).await?;
        tx.query(SESSIONS, &[]).await?;
        let generation: i64 = tx.query_one(KEYS, &records).await?.try_get(0)?;
        tx.commit().await?;
        let shards = (0..=u8::MAX).map(KeyShard);
        let moved: Vec<Moved> = shards.map(|shard| Moved { shard, generation }).collect();
        self.node().wait_for_all(self.db(), &moved).await;
        self.notifier().anything();
        Ok(())
    }
}
