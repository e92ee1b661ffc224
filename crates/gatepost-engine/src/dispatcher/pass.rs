//! One pass: each lane that is ready gets its turn, as far as a pass goes.

use std::ops::RangeInclusive;
use std::sync::Arc;

use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{DueLane, LaneClass};
use tokio::time::Instant;

use super::claims::{Claims, Taken};
use super::part::Dispatcher;
use crate::admission::{Admission, Blocked, Permit, Trial, Turn, Wait};
use crate::attempt::REST;
use crate::routes::Route;

/// Claimed from one lane in one go, so that lanes take turns: more where few have one.
pub(super) const FROM_ONE_LANE: RangeInclusive<usize> = 16..=64;
/// Claimed in one pass.
const AT_ONCE: usize = 256;
/// Lanes looked at in one pass.
const LOOKED_AT: usize = 1024;
/// What a pass may still claim.
struct Left {
    all: usize,
    retries: usize,
    /// Of that, from one lane.
    of_one: usize,
}

impl Dispatcher {
    /// Gives turns, claims for those who got permits, and sends.
    pub(super) async fn pass(&self) -> Result<(), StoreError> {
        if !self.worker.is_ready() {
            // What cannot be recorded must not be sent: receivers would get it again and again.
            return Ok(());
        }
        let Admission { lanes, .. } = &*self.admission;
        lanes.fall_due(self.core.clock.now()?);
        let retries = self.admission.retry_pacer.room(Instant::now());
        lanes.retry_turns(retries.min(AT_ONCE));
        let mut left = Left {
            all: AT_ONCE,
            retries,
            of_one: (AT_ONCE / lanes.ready_count().max(1))
                .clamp(*FROM_ONE_LANE.start(), *FROM_ONE_LANE.end()),
        };
        let mut claims = Claims::default();
        for _ in 0..LOOKED_AT {
            let next = (left.all > 0).then(|| lanes.next(Instant::now()));
            let Some(turn) = next.flatten() else {
                break;
            };
            let (lane, revision) = (turn.due.lane, turn.due.revision);
            match self.webhooks.cached(lane.webhook, revision) {
                Some(route) => claims.add(self.give(turn, route, &mut left)),
                None => turn.wait(Wait::Read),
            }
        }
        lanes.note_pass();
        self.claim(claims).await
    }

    /// As many permits as the lane may have in one turn. `None`: it steps aside.
    fn give(&self, turn: Turn, route: Arc<Route>, left: &mut Left) -> Option<Taken> {
        let (due, now) = (turn.due, Instant::now());
        if !route.sends() {
            turn.done();
            return None;
        }
        if self.core.access.good_standing(due.owner, due.place) == Some(false) {
            turn.wait(Wait::Until(now + REST));
            return None;
        }
        let most = match due.lane.class {
            LaneClass::Lost | LaneClass::Alone => 1,
            LaneClass::Retry => left.retries.min(left.all),
            LaneClass::First => left.all,
        };
        if most == 0 {
            turn.wait(Wait::RetryTurn);
            return None;
        }
        let lanes = &self.admission.lanes;
        let alone = route.is_in_order() || lanes.is_unseen(due.lane, &route);
        let most = most.min(if alone { 1 } else { left.of_one });
        let (mut permits, mut blocked) = (Vec::new(), None);
        while permits.len() < most && blocked.is_none() {
            let trial = permits.is_empty().then(|| turn.trial()).flatten();
            match self.permit(&due, &route, trial, now) {
                Ok(permit) => permits.push(permit),
                Err(why) => blocked = Some(why),
            }
        }
        if let (true, Some(blocked)) = (permits.is_empty(), blocked) {
            self.admission.in_flight.step_aside(turn, blocked);
            return None;
        }
        left.all -= permits.len();
        if due.lane.class == LaneClass::Retry {
            left.retries -= permits.len();
        }
        Some(Taken {
            turn,
            route,
            permits,
        })
    }

    fn permit(
        &self,
        due: &DueLane,
        route: &Arc<Route>,
        trial: Option<Trial>,
        now: Instant,
    ) -> Result<Permit, Blocked> {
        let Admission {
            lanes, in_flight, ..
        } = &*self.admission;
        let of_backlog = lanes.may_send(due, now).map_err(Blocked::by)?;
        let (place, class) = (due.place, due.lane.class);
        let mut permit = match trial {
            Some(trial) => in_flight.take_or_try(route, place, class, trial),
            None => in_flight.take(route, place, class),
        }?;
        if of_backlog {
            permit.for_backlog();
        }
        Ok(permit)
    }
}
