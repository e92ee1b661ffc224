//! The check that this code knows the version of the schema.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::statement::within;
use super::text::Texts;
use crate::error::{Failure, Result};

const NEWEST: &str = "SELECT max(version) FROM :schema.gatepost_migration";
/// How long a check is valid. A node that listens checks more often, and is notified of a
/// migration.
const HOLDS: Duration = Duration::from_secs(2);

/// Stops all access once a newer process has migrated the schema, which may happen at any moment:
/// this code could damage data that it does not know. Cheap to clone; all clones share one state.
#[derive(Clone, Debug)]
pub(crate) struct Fence(Arc<Looks>);

#[derive(Debug)]
struct Looks {
    /// The version of this code.
    known: i32,
    /// The result of the last check.
    found: AtomicI32,
    start: Instant,
    /// Microseconds after `start` until which the last check is valid.
    until: AtomicU64,
}

impl Fence {
    /// Creates the fence of a schema whose version was found to be the one that this code knows.
    pub(crate) fn new(known: i32) -> Self {
        let start = Instant::now();
        let fence = Self(Arc::new(Looks {
            known,
            found: AtomicI32::new(known),
            start,
            until: AtomicU64::new(0),
        }));
        fence.hold(start);
        fence
    }

    /// Returns whether the last check is still valid; an error if it found a newer version.
    pub(super) fn stands(&self) -> Result<bool> {
        let holds = self.micros(Instant::now()) < self.0.until.load(Ordering::Acquire);
        if holds {
            self.judge(self.0.found.load(Ordering::Acquire))?;
        }
        Ok(holds)
    }

    /// Queries the version without a prepared statement, which works with any pooler.
    pub(crate) async fn look(&self, client: &Client, begin: &str, texts: &Texts) -> Result<()> {
        let (began, text) = (Instant::now(), texts.text(NEWEST));
        let answer = within(client, begin, async {
            Ok(client.simple_query(&text).await?)
        });
        let newest = answer.await?.into_iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        });
        let newest = newest.ok_or_else(|| Failure::corrupt("the schema's version", "missing"))?;
        self.found(newest, began)
    }

    /// Records the result of a check that began at that moment.
    pub(crate) fn found(&self, version: i32, began: Instant) -> Result<()> {
        let known = self.0.known;
        if !self.hold(began) {
            // Another check began later.
            return self.judge(version);
        }
        let before = self.0.found.swap(version, Ordering::AcqRel);
        if version > known && before <= known {
            tracing::error!(
                database = version,
                known,
                "a newer version of Gatepost has migrated the database: this process no longer uses it"
            );
        } else if version <= known && before > known {
            tracing::warn!(known, "the database is of the known version again");
        }
        self.judge(version)
    }

    fn judge(&self, version: i32) -> Result<()> {
        match version > self.0.known {
            true => Err(Failure::newer(version, self.0.known)),
            false => Ok(()),
        }
    }

    /// Returns whether no check that began later has a result.
    fn hold(&self, began: Instant) -> bool {
        let until = self.micros(began + HOLDS);
        self.0.until.fetch_max(until, Ordering::AcqRel) <= until
    }

    fn micros(&self, at: Instant) -> u64 {
        let passed = at.saturating_duration_since(self.0.start);
        u64::try_from(passed.as_micros()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn schema_check_holds_two_seconds_and_newer_fails() {
        let fence = Fence::new(14);
        assert!(fence.stands().unwrap());
        tokio::time::advance(HOLDS).await;
        assert!(!fence.stands().unwrap(), "it must be checked again");
        let began = Instant::now();
        tokio::time::advance(HOLDS / 2).await;
        fence.found(14, began).unwrap();
        assert!(fence.stands().unwrap());
        tokio::time::advance(HOLDS / 2).await;
        assert!(!fence.stands().unwrap(), "counted from its beginning");
        fence.found(15, Instant::now()).unwrap_err();
        let refused = fence.stands().unwrap_err().reason();
        assert!(
            refused.contains("15") && refused.contains("14"),
            "{refused}"
        );
        tokio::time::advance(HOLDS).await;
        assert!(!fence.stands().unwrap(), "it may have been put back");
        fence.found(14, Instant::now()).unwrap();
        assert!(fence.stands().unwrap());
    }
}
