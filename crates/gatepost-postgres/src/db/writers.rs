//! Waiting for transactions that have not read a change.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::pool::Db;
use crate::error::{Failure, Result};

/// Marks a transaction that enqueues or claims. A change of the data that enqueues depend on waits
/// for these transactions after its commit.
pub(crate) const BEGIN_WRITING: &str = "LOCK TABLE :schema.gatepost_queue IN ROW EXCLUSIVE MODE";
const WRITING: &str = sql!("place/writing");
/// The maximum duration of our transactions that write to the queue.
const LONGEST: Duration = Duration::from_secs(45);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl Db {
    /// Waits, after the commit of a change, until all transactions have ended that enqueue or claim
    /// and may not have read it. Transactions that began later are not waited for.
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

    /// Returns the transactions under way that write to the queue, or only those of them in
    /// `among`.
    async fn writing(&self, among: Option<Vec<String>>) -> Result<Vec<String>> {
        let rows = self.query(WRITING, &[&among]).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}
