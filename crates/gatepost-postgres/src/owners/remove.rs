//! Removes the data of deleted owners in batches, without the lock of any realm.

use std::time::Duration;

use gatepost_storage::webhooks::EndReason;
use tokio::time::Instant;

use super::PostgresStore;
use crate::db::Param;
use crate::error::Result;

/// The maximum duration of a batch; the rows that it removes are locked for as long.
const BITE: Duration = Duration::from_millis(20);
/// The size of the first batch; the next ones are as large as their time allows.
const FIRST: u64 = 64;
const LARGEST: u64 = 4096;

/// The statements that remove rows of one kind, in the required order.
const STEPS: [&str; 5] = [
    sql!("gone/keys"),
    sql!("gone/events"),
    sql!("gone/tasks"),
    sql!("gone/queue"),
    sql!("gone/last"),
];
const MARK_WEBHOOKS: &str = sql!("gone/webhooks");
const OWNERS: &str = sql!("gone/owners");
const PICK: &str = sql!("gone/deliveries");
const MOVED: &str = concat!(sql!("gone/moved"), sql!("log/ended"));
const ARRIVED_HOLD: &str = sql!("gone/arrived_hold");
const ARRIVED: &str = sql!("gone/arrived");

/// The rest of the limit, and the size of a batch.
struct Room {
    left: u64,
    bite: u64,
}

impl PostgresStore {
    pub(super) async fn remove_what_is_gone(&self, limit: u32) -> Result<u64> {
        let [keys, events, tasks, queue, last] = STEPS;
        let mut room = Room {
            left: limit.into(),
            bite: FIRST,
        };
        self.bites(&mut room, keys).await?;
        while self.db().execute(MARK_WEBHOOKS, &[&room.next()]).await? > 0 {}
        self.db().execute(OWNERS, &[&i64::from(limit)]).await?;
        self.bites(&mut room, events).await?;
        self.bites(&mut room, tasks).await?;
        self.bites_of_deliveries(&mut room).await?;
        self.bites(&mut room, queue).await?;
        // The process that marked a webhook may have ended before it waited.
        self.db().wait_for_writers().await?;
        self.bites(&mut room, last).await?;
        self.end_moved(&mut room).await?;
        Ok(u64::from(limit) - room.left)
    }

    async fn bites(&self, room: &mut Room, sql: &str) -> Result<()> {
        while room.left > 0 {
            let (asked, began) = (room.next(), Instant::now());
            let removed = self.db().execute(sql, &[&asked]).await?;
            if room.took(removed, asked, began) {
                break;
            }
        }
        Ok(())
    }

    async fn bites_of_deliveries(&self, room: &mut Room) -> Result<()> {
        while room.left > 0 {
            let (asked, began) = (room.next(), Instant::now());
            let picked: [Param<'_>; 1] = [&asked];
            let removed = self.remove_picked(PICK, &picked).await?;
            if room.took(removed, asked, began) {
                break;
            }
        }
        Ok(())
    }

    async fn end_moved(&self, room: &mut Room) -> Result<()> {
        while room.left > 0 {
            let (asked, began) = (room.next(), Instant::now());
            let params: [Param<'_>; 2] = [&asked, &EndReason::OwnerMoved.as_str()];
            let ended = self.db().execute(MOVED, &params).await?;
            if room.took(ended, asked, began) {
                break;
            }
        }
        self.end_moves().await
    }

    /// Lets owners send again when no delivery from before their move is left that has not ended.
    pub(super) async fn end_moves(&self) -> Result<()> {
        let statements = [(ARRIVED_HOLD, &[][..]), (ARRIVED, &[][..])];
        let answers = self.db().pipeline("BEGIN", &statements).await?;
        if answers.last().is_some_and(|owners| !owners.is_empty()) {
            // Deliveries that arrived for them in between are waiting.
            self.notifier().anything();
        }
        Ok(())
    }
}

impl Room {
    /// Returns the number of rows that the next batch may take.
    fn next(&self) -> i64 {
        i64::try_from(self.bite.min(self.left)).unwrap_or(i64::MAX)
    }

    /// Adapts the size of the next batch to the duration of this one; returns whether nothing was
    /// left.
    fn took(&mut self, removed: u64, asked: i64, began: Instant) -> bool {
        self.left = self.left.saturating_sub(removed);
        let spent = began.elapsed();
        if spent > BITE / 2 {
            self.bite = (self.bite / 2).max(1);
        } else if spent < BITE / 4 {
            self.bite = (self.bite * 2).min(LARGEST);
        }
        i64::try_from(removed).is_ok_and(|removed| removed < asked)
    }
}
