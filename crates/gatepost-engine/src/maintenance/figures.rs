//! Figures of the queue and room in the log: each by one process at a time, for all.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::LogRoom;
use tokio::time::Instant;

use crate::core::Core;
use crate::guard::guarded;

/// How often room is made in the log.
const PREPARE: Duration = Duration::from_secs(10);
/// Below this number of partitions ahead it is said.
pub(crate) const PARTITIONS_AHEAD: u32 = 2;
/// Counting takes a hundredth of the time at most, and is done each second at most.
const PAUSE: Duration = Duration::from_secs(1);
const SHARE: u32 = 100;
/// How long a lease lasts beyond the time of a round; who does not get it asks again after half of
/// that.
const LEASED: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Figures {
    pub core: Arc<Core>,
    /// The room in the log when this process last made some.
    pub room: Mutex<Option<LogRoom>>,
}

/// A lease that is extended when the next round could outlast it.
#[derive(Debug, Default)]
struct Held(Option<Instant>);

impl Figures {
    /// Makes room in the log, until the engine stops.
    pub(crate) async fn prepare(self: Arc<Self>) {
        let mut held = Held::default();
        while self.core.lifecycle.is_running() {
            let pause = if self.holds(&mut held, "prepare the log", PREPARE).await {
                if let Err(error) = self.make_room().await {
                    guarded(|| tracing::warn!(%error, "could not prepare the log"));
                }
                PREPARE
            } else {
                self.set_room(None);
                LEASED / 2
            };
            self.core.lifecycle.rest(pause).await;
        }
    }

    /// Counts the queue, until the engine stops.
    pub(crate) async fn count(self: Arc<Self>) {
        let (mut held, mut pause) = (Held::default(), PAUSE);
        while self.core.lifecycle.is_running() {
            if !self.holds(&mut held, "count the queue", pause).await {
                self.core.lifecycle.rest(LEASED / 2).await;
                continue;
            }
            let began = Instant::now();
            if let Err(error) = self.count_once().await {
                guarded(|| tracing::warn!(%error, "could not count the queue"));
            }
            pause = (began.elapsed() * SHARE).max(PAUSE);
            // Nobody else counts while this process rests.
            self.holds(&mut held, "count the queue", pause).await;
            self.core.lifecycle.rest(pause).await;
        }
    }

    async fn make_room(&self) -> Result<(), StoreError> {
        let room = self.core.store.prepare_log(self.core.clock.now()?).await?;
        self.set_room(Some(room));
        if let Some(ahead) = room.ahead.filter(|ahead| *ahead < PARTITIONS_AHEAD) {
            guarded(|| tracing::warn!(ahead, "few partitions of the log are ready"));
        }
        Ok(())
    }

    async fn count_once(&self) -> Result<(), StoreError> {
        self.core.store.count_queue(self.core.clock.now()?).await?;
        Ok(())
    }

    /// The room in the log, if it is this process that makes it.
    pub(crate) fn room(&self) -> Option<LogRoom> {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_room(&self, room: Option<LogRoom>) {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) = room;
    }

    /// Whether this process is the one, for as long as a round and its pause last.
    async fn holds(&self, held: &mut Held, name: &str, pause: Duration) -> bool {
        let (now, time) = (Instant::now(), LEASED + pause);
        if held.0.is_none_or(|until| until < now + LEASED / 2 + pause) {
            let leased = self.core.has_lease(name, time).await;
            held.0 = leased.then_some(now + time);
        }
        held.0.is_some()
    }
}
