//! Claims what waits, lane by lane in turn, as far as there is room.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Claim, Claimed, Lane, LaneClaim, LaneClass, WebhookStore};
use tokio::time::Instant;

use crate::admission::{Admission, Permit};
use crate::attempt::{Job, Worker};
use crate::clock::EngineClock;
use crate::config::Timing;
use crate::guard::guarded;
use crate::lease::lease_until;
use crate::lifecycle::Lifecycle;
use crate::routes::{RouteTable, Routes};

/// Claimed from one lane in one go, so that lanes take turns.
const FROM_ONE_LANE: usize = 16;
/// Claimed in one call.
const AT_ONCE: usize = 256;
/// Lanes asked for at a time.
const LANES: u32 = 500;
/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct Dispatcher {
    pub store: Arc<dyn WebhookStore>,
    pub routes: Arc<Routes>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub clock: Arc<EngineClock>,
    pub lifecycle: Lifecycle,
    pub timing: Timing,
}

/// Permits for one lane.
struct Taken {
    /// The call that made the lane ready.
    call: u64,
    permits: Vec<Permit>,
}

impl Taken {
    fn claim(&self, lane: Lane) -> LaneClaim {
        LaneClaim {
            lane,
            limit: u32::try_from(self.permits.len()).unwrap_or(u32::MAX),
        }
    }
}

/// What there is to do after a pass.
enum Next {
    /// Another pass at once.
    Again,
    /// Retries wait for their turn.
    Later(Duration),
    /// Something has to happen first.
    Wait,
}

impl Dispatcher {
    /// Runs until the engine stops.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut followed = self.routes.last();
        while self.lifecycle.is_running() {
            let pause = match self.pass(&mut followed).await {
                Ok(Next::Again) => continue,
                Ok(Next::Later(pause)) => pause,
                Ok(Next::Wait) if !self.worker.is_ready() => AFTER_FAILURE,
                Ok(Next::Wait) => self.until_next_retry(),
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not claim deliveries"));
                    AFTER_FAILURE
                }
            };
            let lanes = &self.admission.lanes;
            tokio::select! {
                () = lanes.woken() => {}
                () = tokio::time::sleep(pause) => lanes.look(),
                () = self.store.work_arrived() => lanes.look(),
                () = self.lifecycle.stopped() => {}
            }
        }
    }

    fn until_next_retry(&self) -> Duration {
        let poll = self.timing.poll;
        match (self.admission.lanes.next_retry(), self.clock.now()) {
            (Some(due), Ok(now)) => (due - now).to_std().unwrap_or_default().min(poll),
            _ => poll,
        }
    }

    /// Claims once.
    async fn pass(&self, followed: &mut Arc<RouteTable>) -> Result<Next, StoreError> {
        if !self.worker.is_ready() {
            // What cannot be recorded must not be sent: receivers would get it again and again.
            return Ok(Next::Wait);
        }
        if self.admission.lanes.take_look(self.clock.now()?) {
            self.find_lanes().await?;
        }
        let lanes = self.admission.lanes.in_turn();
        if lanes.is_empty() {
            return Ok(Next::Wait);
        }
        let routes = self.routes.current().await?;
        for webhook in routes.resumed_since(followed) {
            self.admission.in_flight.resumed(webhook);
        }
        followed.clone_from(&routes);
        let (taken, rest) = self.take_permits(lanes, &routes);
        if taken.is_empty() {
            return Ok(rest);
        }
        let any = self.claim(taken, &routes).await?;
        Ok(if any { Next::Again } else { rest })
    }

    /// Permits for what may be claimed, lane by lane in turn; and what there is to do if that is
    /// nothing.
    fn take_permits(
        &self,
        lanes: Vec<(Lane, u64)>,
        routes: &RouteTable,
    ) -> (HashMap<Lane, Taken>, Next) {
        let Admission {
            lanes: ready,
            in_flight,
            retry_pacer,
        } = &*self.admission;
        let (mut taken, mut rest) = (HashMap::new(), Next::Wait);
        let mut left = AT_ONCE;
        let mut retries = retry_pacer.room(Instant::now());
        for (lane, call) in lanes {
            let route = routes.webhook(lane.webhook);
            let Some(route) = route.filter(|route| route.is_active()) else {
                ready.done(lane, call);
                continue;
            };
            let retry = lane.class == LaneClass::Retry;
            if retry && retries == 0 {
                rest = Next::Later(retry_pacer.pause());
            }
            let most = if route.is_in_order() {
                1
            } else {
                FROM_ONE_LANE
            };
            let most = most.min(left).min(if retry { retries } else { most });
            let permits: Vec<Permit> = std::iter::from_fn(|| in_flight.try_take(route, lane.class))
                .take(most)
                .collect();
            left -= permits.len();
            if retry {
                retries -= permits.len();
            }
            if !permits.is_empty() {
                taken.insert(lane, Taken { call, permits });
            }
            if left == 0 {
                break;
            }
        }
        (taken, rest)
    }

    /// Claims for these permits, and sends. Returns whether there was anything.
    async fn claim(
        &self,
        mut taken: HashMap<Lane, Taken>,
        routes: &RouteTable,
    ) -> Result<bool, StoreError> {
        let now = self.clock.now()?;
        let longest = taken
            .keys()
            .filter_map(|lane| routes.webhook(lane.webhook))
            .map(|route| lease_until(route, self.timing.lease_margin, now))
            .max()
            .unwrap_or(now);
        let asked: Vec<LaneClaim> = taken
            .iter()
            .map(|(lane, taken)| taken.claim(*lane))
            .collect();
        let claimed = self.store.claim(&asked, longest, now).await?;
        let any = !claimed.is_empty();
        for claimed in claimed {
            self.begin(claimed, &mut taken, now);
        }
        for (lane, taken) in taken {
            if !taken.permits.is_empty() {
                // There was less than asked for: the lane is empty.
                self.admission.lanes.done(lane, taken.call);
                self.admission.in_flight.caught_up(lane.webhook);
            }
        }
        Ok(any)
    }

    /// Sends what was claimed, with one of the permits that were taken for its lane.
    fn begin(&self, claimed: Claimed, taken: &mut HashMap<Lane, Taken>, now: DateTime<Utc>) {
        let Claimed { delivery, token } = claimed;
        let class = if delivery.attempts == 0 {
            LaneClass::First
        } else {
            LaneClass::Retry
        };
        let lane = Lane {
            webhook: delivery.webhook,
            class,
        };
        let Some(permit) = taken.get_mut(&lane).and_then(|taken| taken.permits.pop()) else {
            return;
        };
        let retry = class == LaneClass::Retry;
        self.worker.start(Job {
            claim: Claim {
                delivery: delivery.id,
                token,
            },
            claimed: now,
            message_id: delivery.message_id,
            webhook: delivery.webhook,
            body: delivery.body,
            attempts: delivery.attempts,
            status_info: delivery.status_info,
            permit,
            turn: retry.then(|| self.admission.retry_pacer.turn(Instant::now())),
        });
    }

    /// Asks the store which lanes have something: work of other processes, of an earlier run,
    /// retries.
    async fn find_lanes(&self) -> Result<(), StoreError> {
        let (now, lanes) = (self.clock.now()?, &self.admission.lanes);
        let mut after = None;
        loop {
            let found = self.store.due_lanes(after, LANES, now).await?;
            found.iter().for_each(|due| lanes.add(due.lane));
            after = found.last().map(|due| due.lane);
            if found.len() < LANES as usize {
                break;
            }
        }
        lanes.retry_at(self.store.next_due(now).await?);
        Ok(())
    }
}
