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

use storage::StoreError;
use storage::webhooks::{Claim, Claimed, Lane, LaneClaim, LaneClass};
use tokio::time::Instant;

pub(crate) use lanes::Lanes;
pub(crate) use pace::Pace;
pub(crate) use slots::{Feedback, Permit, Slots};

use crate::engine::Inner;
use crate::routes::RouteTable;
use crate::work::Job;

/// Claimed from one lane in one go, so that lanes take turns.
const FROM_ONE_LANE: usize = 16;
/// Claimed in one call.
const AT_ONCE: usize = 256;
/// Lanes asked for at a time.
const LANES: u32 = 500;
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
        let mut retries = self.pace.room(Instant::now());
        let mut rest = Next::Wait;
        let mut permits: HashMap<Lane, Vec<Permit>> = HashMap::new();
        let mut calls: HashMap<Lane, u64> = HashMap::new();
        let mut total = 0;
        let routes = self.routes.current(self.store.as_ref()).await?;
        for webhook in routes.resumed_since(followed) {
            self.slots.resumed(webhook);
        }
        followed.clone_from(&routes);
        for (lane, call) in lanes {
            if total >= AT_ONCE {
                break;
            }
            let Some(route) = routes
                .webhook(lane.webhook)
                .filter(|route| route.is_active())
            else {
                self.lanes.done(lane, call);
                continue;
            };
            let most = if route.is_in_order() {
                1
            } else {
                FROM_ONE_LANE.min(AT_ONCE - total)
            };
            let retry = lane.class == LaneClass::Retry;
            if retry && retries == 0 {
                rest = Next::Later(self.pace.pause());
            }
            let most = if retry { most.min(retries) } else { most };
            let taken: Vec<Permit> = std::iter::from_fn(|| self.slots.try_take(route, lane.class))
                .take(most)
                .collect();
            total += taken.len();
            if retry {
                retries -= taken.len();
            }
            if !taken.is_empty() {
                permits.insert(lane, taken);
                calls.insert(lane, call);
            }
        }
        if permits.is_empty() {
            return Ok(rest);
        }
        let now = self.now();
        let longest = permits
            .keys()
            .filter_map(|lane| routes.webhook(lane.webhook))
            .map(|route| self.lease_until(route, now))
            .max()
            .unwrap_or(now);
        let asked: Vec<LaneClaim> = permits
            .iter()
            .map(|(lane, taken)| LaneClaim {
                lane: *lane,
                limit: u32::try_from(taken.len()).unwrap_or(u32::MAX),
            })
            .collect();
        let claimed = self.store.claim(&asked, longest, now).await?;
        let mut got: HashMap<Lane, usize> = HashMap::new();
        let any = !claimed.is_empty();
        for Claimed { delivery, token } in claimed {
            let class = if delivery.attempts == 0 {
                LaneClass::First
            } else {
                LaneClass::Retry
            };
            let lane = Lane {
                webhook: delivery.webhook,
                class,
            };
            *got.entry(lane).or_default() += 1;
            let Some(permit) = permits.get_mut(&lane).and_then(Vec::pop) else {
                continue;
            };
            let retry = lane.class == LaneClass::Retry;
            let turn = retry.then(|| self.pace.turn(Instant::now()));
            let claim = Claim {
                delivery: delivery.id,
                token,
            };
            self.start(Job {
                claim,
                message_id: delivery.message_id,
                webhook: delivery.webhook,
                body: delivery.body,
                attempts: delivery.attempts,
                status_info: delivery.status_info,
                permit,
                turn,
            });
        }
        for LaneClaim { lane, limit } in asked {
            if got.get(&lane).copied().unwrap_or_default() < limit as usize {
                self.lanes
                    .done(lane, calls.get(&lane).copied().unwrap_or_default());
                self.slots.caught_up(lane.webhook);
            }
        }
        Ok(if any { Next::Again } else { rest })
    }

    /// Asks the store which lanes have something: work of other processes, of an earlier run, retries.
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
