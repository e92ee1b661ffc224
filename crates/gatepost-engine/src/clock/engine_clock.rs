//! The platform's clock, corrected by the database server's: the clocks of machines that share a
//! queue differ, and the server's decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{Clock, ErrorKind, StoreError};
use tokio::time::Instant;

use crate::error::{ClockError, StartError};
use crate::guard::guarded;

/// A larger difference means that a machine is set up wrong.
const MAX_SKEW: TimeDelta = TimeDelta::seconds(30);
/// Answers that took longer are not used: half of that is the error.
const ROUND_TRIP: Duration = Duration::from_secs(1);
/// How often an engine that starts asks, if answers take longer.
const TRIES: u32 = 3;

/// A clock whose panics become errors.
#[derive(Debug)]
pub(crate) struct EngineClock {
    clock: Arc<dyn Clock>,
    /// How far this machine's clock is behind the database server's, in microseconds.
    offset: AtomicI64,
}

impl EngineClock {
    /// Compares the clocks, and creates the clock.
    pub(crate) async fn start(
        clock: Arc<dyn Clock>,
        store: &dyn WebhookStore,
    ) -> Result<Self, StartError> {
        let clock = Self {
            clock,
            offset: AtomicI64::new(0),
        };
        for _ in 0..TRIES {
            let Some(offset) = clock.measure(store).await.map_err(Arc::new)? else {
                continue;
            };
            clock.follow(offset);
            if clock.is_right() {
                return Ok(clock);
            }
            return Err(StartError::ClockSkew(offset.num_seconds()));
        }
        let error = StoreError::new(
            ErrorKind::Unavailable,
            "the server's clock answers too late",
        );
        Err(Arc::new(error).into())
    }

    /// Returns the present time, by the database server's clock if it has one.
    pub(crate) fn now(&self) -> Result<DateTime<Utc>, ClockError> {
        Ok(self.shown()? + self.offset())
    }

    /// Returns the present time by this machine's clock.
    pub(super) fn shown(&self) -> Result<DateTime<Utc>, ClockError> {
        guarded(|| self.clock.now()).ok_or(ClockError)
    }

    /// Returns how much time has passed, whatever the clock was set to; `None`: as much as by
    /// tokio's.
    pub(super) fn passed(&self) -> Result<Option<Duration>, ClockError> {
        guarded(|| self.clock.passed()).ok_or(ClockError)
    }

    /// Returns how far this machine's clock is behind.
    pub(super) fn offset(&self) -> TimeDelta {
        TimeDelta::microseconds(self.offset.load(Ordering::Relaxed))
    }

    /// Whether this machine's clock is about right. While it is not, nothing is claimed or
    /// reclaimed: the clock may be set at any moment, and valid claims of others must not be
    /// reclaimed.
    pub(crate) fn is_right(&self) -> bool {
        self.offset().abs() <= MAX_SKEW
    }

    /// Compares the clocks again, and follows the server's.
    pub(crate) async fn compare(&self, store: &dyn WebhookStore) {
        match self.measure(store).await {
            Ok(Some(offset)) => self.follow(offset),
            Ok(None) => {
                guarded(|| tracing::warn!("could not compare the clocks: that took too long"));
            }
            Err(error) => {
                guarded(|| tracing::error!(%error, "could not compare the clocks"));
            }
        }
    }

    fn follow(&self, offset: TimeDelta) {
        let was_right = self.is_right();
        let micros = offset.num_microseconds().unwrap_or(i64::MAX / 2);
        self.offset.store(micros, Ordering::Relaxed);
        let seconds = offset.num_seconds();
        if was_right && !self.is_right() {
            guarded(|| tracing::error!(seconds, "the clock is wrong; nothing is claimed"));
        } else if !was_right && self.is_right() {
            guarded(|| tracing::warn!("the clock is right again"));
        }
    }

    /// Returns the correction of this machine's clock; its error is half the round trip. `None`:
    /// the error would be too large.
    async fn measure(&self, store: &dyn WebhookStore) -> Result<Option<TimeDelta>, StoreError> {
        let (before, began) = (self.shown()?, Instant::now());
        let Some(server) = store.server_time().await? else {
            return Ok(Some(TimeDelta::zero()));
        };
        // The larger of both: this machine's clock may have been set in between.
        let shown = self.shown()? - before;
        let in_time = began.elapsed() <= ROUND_TRIP
            && shown.abs().to_std().is_ok_and(|took| took <= ROUND_TRIP);
        Ok(in_time.then(|| server - (before + shown / 2)))
    }
}

#[cfg(test)]
mod tests {
    use gatepost_kv::MemoryStore;
    use gatepost_storage::ManualClock;
    use gatepost_testkit::fault::{Fault, FaultStore};

    use super::*;
    use crate::testing::{BrokenClock, noon};

    #[tokio::test(start_paused = true)]
    async fn server_clock_is_followed_and_large_skew_flagged() {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        let started = |clock| EngineClock::start(clock, &store);
        let clock = Arc::new(ManualClock::at(noon()));
        assert_eq!(started(clock.clone()).await.unwrap().now().unwrap(), noon());

        let ahead = |seconds| store.set_server_time(noon() + TimeDelta::seconds(seconds));
        ahead(20);
        let followed = started(clock.clone()).await.unwrap();
        assert_eq!(followed.now().unwrap(), noon() + TimeDelta::seconds(20));
        ahead(31);
        let refused = started(clock).await.unwrap_err();
        assert!(matches!(refused, StartError::ClockSkew(31)), "{refused:?}");
        for (seconds, is_right) in [(31, false), (-5, true), (-31, false), (30, true)] {
            ahead(seconds);
            followed.compare(&store).await;
            assert_eq!(
                followed.now().unwrap(),
                noon() + TimeDelta::seconds(seconds)
            );
            assert_eq!(followed.is_right(), is_right, "{seconds}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn late_server_time_answer_is_ignored() {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        let clock = Arc::new(ManualClock::at(noon()));
        let late = |milliseconds| {
            let late = Fault::Late(Duration::from_millis(milliseconds));
            store.fail("server_time", 1, late);
        };
        store.set_server_time(noon() + TimeDelta::seconds(10));
        late(1_001);
        let started = EngineClock::start(clock.clone(), &store).await.unwrap();
        assert_eq!(store.calls_of("server_time"), 2, "it asks again");
        store.set_server_time(noon() + TimeDelta::seconds(40));
        late(1_001);
        started.compare(&store).await;
        assert!(started.is_right());
        assert_eq!(started.now().unwrap(), noon() + TimeDelta::seconds(10));
        late(1_000);
        started.compare(&store).await;
        assert!(!started.is_right());
    }

    #[tokio::test]
    async fn a_clock_that_panics_is_an_error() {
        let store = MemoryStore::new();
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &store).await.unwrap();
        broken.set_broken(true);
        assert!(clock.now().is_err() && clock.passed().is_err());
        clock.compare(&store).await;
        assert!(EngineClock::start(broken.clone(), &store).await.is_err());
        broken.set_broken(false);
        assert_eq!(clock.now().unwrap(), noon());
    }
}
