//! A webhook that sends rarely, in a meltdown: many stall and hold the places, those that respond
//! all the time have the rest, and more come without end. It gets its turn within a bounded time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::{due, finish_after, limited, prove, route, tenant};
use crate::admission::{Admission, Feedback, OFFER_EVERY, Permit};
use crate::config::InFlightLimits;
use crate::routes::Route;

/// Webhooks that respond at once and always have something to send.
const BUSY: u32 = 250;
/// Webhooks that responded before they stall.
const STALLED: u32 = 200;
/// More webhooks that stall come: one in this number of steps, and in one moment some more.
const COMING: u32 = 5;
const BURST: u32 = 20;
/// When they time out.
const STALL: Duration = Duration::from_secs(30);
const STEP: Duration = Duration::from_millis(200);
const TOTAL: usize = 128;
const RARE: u32 = 1_000_000;
const NEVER: u32 = 1_000_001;
const STALLING: u32 = 2_000_000;

struct Request {
    permit: Permit,
    began: Instant,
    is_slow: bool,
}

struct World {
    admission: Admission,
    routes: HashMap<WebhookId, Arc<Route>>,
    requests: Vec<Request>,
    stalling: u32,
    /// Whether trials are offered to those that wait.
    offers: bool,
    began: HashMap<u32, Instant>,
}

fn number(id: WebhookId) -> u32 {
    id.0.try_into().unwrap()
}

/// Each of a tenant of its own.
fn place(id: u32) -> Place {
    tenant(id)
}

impl World {
    fn new(offers: bool) -> Self {
        Self {
            admission: limited(InFlightLimits::default().with_total(TOTAL)),
            routes: HashMap::new(),
            requests: Vec::new(),
            stalling: STALLING,
            offers,
            began: HashMap::new(),
        }
    }

    fn ready(&mut self, id: u32) {
        let route = self
            .routes
            .entry(WebhookId(id.into()))
            .or_insert_with(|| route(id));
        let due = due(route, place(id), LaneClass::First);
        self.admission.lanes.ready(due);
    }

    /// Each with a message, at first; they responded once.
    fn prove(&mut self, ids: impl Iterator<Item = u32>) {
        for id in ids {
            let route = route(id);
            prove(&self.admission.in_flight, &route, place(id));
            self.routes.insert(WebhookId(id.into()), route);
        }
    }

    fn end(&mut self) {
        let now = Instant::now();
        for mut request in std::mem::take(&mut self.requests) {
            let took = now - request.began;
            let stalls = number(request.permit.route().id) >= STALLING;
            if !stalls || took >= STALL {
                let feedback = if stalls {
                    Feedback::TimedOut
                } else {
                    Feedback::Received
                };
                let id = number(request.permit.route().id);
                finish_after([request.permit], feedback, took);
                if id < BUSY {
                    self.ready(id);
                }
                continue;
            }
            if took >= Duration::from_secs(2) && !request.is_slow {
                request.is_slow = true;
                request.permit.became_slow();
            }
            self.requests.push(request);
        }
    }

    fn come(&mut self, count: u32) {
        for _ in 0..count {
            self.ready(self.stalling);
            self.stalling += 1;
        }
    }

    /// As the dispatcher's.
    fn pass(&mut self) {
        if self.offers {
            self.admission.offer_trials();
        }
        let Admission {
            lanes, in_flight, ..
        } = &self.admission;
        while let Some(turn) = lanes.next(Instant::now()) {
            let id = number(turn.due.lane.webhook);
            let route = &self.routes[&turn.due.lane.webhook];
            let taken = match turn.trial() {
                Some(trial) => in_flight.take_or_try(route, place(id), LaneClass::First, trial),
                None => in_flight.take(route, place(id), LaneClass::First),
            };
            match taken {
                Err(blocked) => in_flight.step_aside(turn, blocked),
                Ok(permit) => {
                    let began = Instant::now();
                    self.began.entry(id).or_insert(began);
                    self.requests.push(Request {
                        permit,
                        began,
                        is_slow: false,
                    });
                    turn.done();
                }
            }
        }
    }

    /// For that time, or until these have begun.
    async fn steps(&mut self, time: Duration, until: &[u32]) {
        for step in 0..u32::try_from(time.as_millis() / STEP.as_millis()).unwrap() {
            if !until.is_empty() && until.iter().all(|id| self.began.contains_key(id)) {
                return;
            }
            self.end();
            self.come(u32::from(step.is_multiple_of(COMING)));
            self.pass();
            tokio::time::advance(STEP).await;
        }
    }
}

/// In a meltdown: who sends rarely, and who sends for the first time. Whether each has its turn
/// within two minutes.
async fn have_their_turn(offers: bool) -> [bool; 2] {
    assert!(STEP >= OFFER_EVERY);
    let mut world = World::new(offers);
    world.prove([RARE].into_iter());
    // Long ago.
    tokio::time::advance(Duration::from_secs(3_600)).await;
    world.prove(0..BUSY);
    world.prove(STALLING..STALLING + STALLED);
    for id in (STALLING..STALLING + STALLED).chain(0..BUSY) {
        world.ready(id);
    }
    world.stalling += STALLED;
    world.steps(Duration::from_secs(40), &[]).await;

    world.come(BURST);
    world.pass();
    world.ready(RARE);
    world.ready(NEVER);
    world.steps(Duration::from_secs(120), &[RARE, NEVER]).await;
    [RARE, NEVER].map(|id| world.began.contains_key(&id))
}

#[tokio::test(start_paused = true)]
async fn who_sends_rarely_or_for_the_first_time_gets_a_turn_in_a_meltdown() {
    assert_eq!(have_their_turn(true).await, [true, true]);
}

#[tokio::test(start_paused = true)]
async fn without_turns_for_those_that_wait_nobody_would_notice_them() {
    assert_ne!(have_their_turn(false).await, [true, true]);
}
