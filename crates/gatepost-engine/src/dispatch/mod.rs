//! Claims what waits, lane by lane in turn, as far as there is room.

mod hosts;
mod lanes;
mod pace;
mod slots;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Claim, Claimed, Lane, LaneClaim, LaneClass};
pub(crate) use lanes::Lanes;
pub(crate) use pace::Pace;
pub(crate) use slots::{Feedback, Permit, Slots};
use tokio::time::Instant;

use crate::engine::Inner;
use crate::routes::RouteTable;
use crate::work::Job;

/// Claimed from one lane in one go, so that lanes take turns.
const FROM_ONE_LANE: usize = 16;
/// Claimed in one call.
const AT_ONCE: usize = 256;
/// Lanes asked for at a time.
const LANES: u32 = 500;
/// Slots for one lane.
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

/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

impl Inner {
    /// Runs until the engine stops.
    pub(crate) async fn dispatch(self: Arc<Self>) {
        let mut followed = self.routes.last();
        while self.is_running() {
            let wake = match self.pass(&mut followed).await {
                Ok(Next::Again) => continue,
                Ok(Next::Later(wait)) => wait,
                Ok(Next::Wait) if self.settle.is_failing() => AFTER_FAILURE,
                Ok(Next::Wait) => self.lanes.next_retry().map_or(self.limits.poll, |due| {
                    let wait = (due - self.now()).to_std().unwrap_or_default();
                    wait.min(self.limits.poll)
                }),
                Err(error) => {
                    tracing::warn!(%error, "deliveries cannot be claimed");
                    AFTER_FAILURE
                }
            };
            tokio::select! {
                () = self.lanes.woken() => {}
                () = tokio::time::sleep(wake) => self.lanes.look(),
                () = self.store.work_arrived() => self.lanes.look(),
                () = self.stopped() => {}
            }
        }
    }

    /// Claims once.
    async fn pass(self: &Arc<Self>, followed: &mut Arc<RouteTable>) -> Result<Next, StoreError> {
        if self.settle.is_failing() {
            // What cannot be recorded must not be sent: receivers would get it again and again.
            return Ok(Next::Wait);
        }
        if self.lanes.take_look(self.now()) {
            self.find_lanes().await?;
        }
        let lanes = self.lanes.in_turn();
        if lanes.is_empty() {
            return Ok(Next::Wait);
        }
        let routes = self.routes.current(self.store.as_ref()).await?;
        for webhook in routes.resumed_since(followed) {
            self.slots.resumed(webhook);
        }
        followed.clone_from(&routes);
        let (mut taken, rest) = self.take_slots(lanes, &routes);
        if taken.is_empty() {
            return Ok(rest);
        }
        let now = self.now();
        let longest = taken
            .keys()
            .filter_map(|lane| routes.webhook(lane.webhook))
            .map(|route| self.lease_until(route, now))
            .max()
            .unwrap_or(now);
        let asked: Vec<LaneClaim> = taken
            .iter()
            .map(|(lane, taken)| taken.claim(*lane))
            .collect();
        let claimed = self.store.claim(&asked, longest, now).await?;
        let any = !claimed.is_empty();
        for claimed in claimed {
            self.begin(claimed, &mut taken);
        }
        for (lane, taken) in taken {
            if !taken.permits.is_empty() {
                // Less was there than asked for: the lane is empty.
                self.lanes.done(lane, taken.call);
                self.slots.caught_up(lane.webhook);
            }
        }
        Ok(if any { Next::Again } else { rest })
    }

    /// Slots for what may be claimed, lane by lane in turn; and what there is to do if that is
    /// nothing.
    fn take_slots(
        &self,
        lanes: Vec<(Lane, u64)>,
        routes: &RouteTable,
    ) -> (HashMap<Lane, Taken>, Next) {
        let (mut taken, mut rest) = (HashMap::new(), Next::Wait);
        let mut left = AT_ONCE;
        let mut retries = self.pace.room(Instant::now());
        for (lane, call) in lanes {
            let route = routes.webhook(lane.webhook);
            let Some(route) = route.filter(|route| route.is_active()) else {
                self.lanes.done(lane, call);
                continue;
            };
            let retry = lane.class == LaneClass::Retry;
            if retry && retries == 0 {
                rest = Next::Later(self.pace.pause());
            }
            let most = if route.is_in_order() {
                1
            } else {
                FROM_ONE_LANE
            };
            let most = most.min(left).min(if retry { retries } else { most });
            let permits: Vec<Permit> =
                std::iter::from_fn(|| self.slots.try_take(route, lane.class))
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

    /// Sends what was claimed, each with one of the slots that were taken for its lane.
    fn begin(self: &Arc<Self>, claimed: Claimed, taken: &mut HashMap<Lane, Taken>) {
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
        self.start(Job {
            claim: Claim {
                delivery: delivery.id,
                token,
            },
            message_id: delivery.message_id,
            webhook: delivery.webhook,
            body: delivery.body,
            attempts: delivery.attempts,
            status_info: delivery.status_info,
            permit,
            turn: retry.then(|| self.pace.turn(Instant::now())),
        });
    }

    /// Asks the store which lanes have something: work of other processes, of an earlier run,
    /// retries.
    async fn find_lanes(&self) -> Result<(), StoreError> {
        let now = self.now();
        let mut after = None;
        loop {
            let found = self.store.due_lanes(after, LANES, now).await?;
            found.iter().for_each(|due| self.lanes.add(due.lane));
            after = found.last().map(|due| due.lane);
            if found.len() < LANES as usize {
                break;
            }
        }
        self.lanes.retry_at(self.store.next_due(now).await?);
        Ok(())
    }
}
