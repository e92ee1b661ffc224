//! What is under way that has not read of a change.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::pool::Db;
use crate::error::{Failure, Result};

/// Whoever changes what an enqueue was decided by waits for it, once that is committed.
pub(crate) const BEGIN_WRITING: &str = "LOCK TABLE :schema.gatepost_queue IN ROW EXCLUSIVE MODE";
const WRITING: &str = include_str!("../sql/place/writing.sql");
/// No transaction of ours that writes to the queue takes longer.
const LONGEST: Duration = Duration::from_secs(45);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl Db {
    /// Called once a change is committed: returns when all have ended that enqueue or claim and may
    /// not have read of it. Nobody waits for whoever began later.
    pub(crate) async fn wait_for_writers(&self) -> Result<()> {
        let until = Instant::now() + LONGEST;
        let (mut writing, mut pause) = (self.writing(None).await?, PAUSE);
        while !writing.is_empty() {
            if Instant::now() >= until {
                return Err(Failure::unavailable(
                    "something writes to the queue for long",
                ));
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            writing = self.writing(Some(writing)).await?;
        }
        Ok(())
    }

    /// The transactions under way that write to the queue, or those of them that are among these.
    async fn writing(&self, among: Option<Vec<String>>) -> Result<Vec<String>> {
        let rows = self.query(WRITING, &[&among]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}
