//! The platform's clock, corrected by the database server's: machines that share a queue differ in
//! what time it is, and the server decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Clock;
use gatepost_storage::webhooks::WebhookStore;

use crate::error::{ClockError, StartError};
use crate::guard::guarded;

/// A larger difference means that a machine is set up wrong.
const MAX_SKEW_SECONDS: i64 = 30;

/// A clock that panics is an error here, and harms nobody else.
#[derive(Debug)]
pub(crate) struct EngineClock {
    clock: Arc<dyn Clock>,
    /// How far this machine's clock is behind the database server's, in microseconds.
    offset: AtomicI64,
}

impl EngineClock {
    /// Compares the clocks first.
    pub(crate) async fn start(
        clock: Arc<dyn Clock>,
        store: &dyn WebhookStore,
    ) -> Result<Self, StartError> {
        let clock = Self {
            clock,
            offset: AtomicI64::new(0),
        };
        let offset = clock.measure(store).await?;
        clock.offset.store(offset, Ordering::Relaxed);
        Ok(clock)
    }

    /// The present moment, by the database server's clock where it has one.
    pub(crate) fn now(&self) -> Result<DateTime<Utc>, ClockError> {
        Ok(self.shown()? + TimeDelta::microseconds(self.offset.load(Ordering::Relaxed)))
    }

    /// The present moment by this machine's clock.
    pub(super) fn shown(&self) -> Result<DateTime<Utc>, ClockError> {
        guarded(|| self.clock.now()).ok_or(ClockError)
    }

    /// How much time has passed, whatever the clock was set to; `None`: as much as by tokio's.
    pub(super) fn passed(&self) -> Result<Option<Duration>, ClockError> {
        guarded(|| self.clock.passed()).ok_or(ClockError)
    }

    /// Compares the clocks again. A difference that is too large is reported and not followed.
    pub(crate) async fn compare(&self, store: &dyn WebhookStore) {
        match self.measure(store).await {
            Ok(offset) => self.offset.store(offset, Ordering::Relaxed),
            Err(error) => {
                guarded(|| tracing::error!(%error, "could not compare the clocks"));
            }
        }
    }

    /// What is to be added to this machine's clock, in microseconds; half the round trip is the
    /// error.
    async fn measure(&self, store: &dyn WebhookStore) -> Result<i64, StartError> {
        let before = self.shown()?;
        let Some(server) = store.server_time().await.map_err(Arc::new)? else {
            return Ok(0);
        };
        let middle = before + (self.shown()? - before) / 2;
        let offset = server - middle;
        if offset.num_seconds().abs() > MAX_SKEW_SECONDS {
            return Err(StartError::ClockSkew(offset.num_seconds()));
        }
        Ok(offset.num_microseconds().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::{ManualClock, MemoryStore};
    use gatepost_testkit::fault::FaultStore;

    use super::*;
    use crate::testing::{BrokenClock, noon};

    #[tokio::test]
    async fn the_servers_clock_decides_and_is_not_followed_when_it_is_far_off() {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        let started = |clock| EngineClock::start(clock, &store);
        let clock = Arc::new(ManualClock::at(noon()));
        assert_eq!(started(clock.clone()).await.unwrap().now().unwrap(), noon());

        let ahead = |seconds| store.set_server_time(noon() + TimeDelta::seconds(seconds));
        ahead(20);
        let corrected = started(clock.clone()).await.unwrap();
        assert_eq!(corrected.now().unwrap(), noon() + TimeDelta::seconds(20));
        ahead(31);
        let refused = started(clock).await.unwrap_err();
        assert!(matches!(refused, StartError::ClockSkew(31)), "{refused:?}");
        corrected.compare(&store).await;
        assert_eq!(corrected.now().unwrap(), noon() + TimeDelta::seconds(20));
        ahead(-5);
        corrected.compare(&store).await;
        assert_eq!(corrected.now().unwrap(), noon() - TimeDelta::seconds(5));
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
