//! Lanes that step aside come back: whatever rooms are full in whatever order, all that waits is
//! sent once requests end, though nothing is ever looked through.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::{Lane, LaneClass};
use proptest::prelude::*;
use tokio::runtime::Builder;
use tokio::time::{Instant, advance};

use super::{MOMENT, due, finish, finish_after, limited, route_to, tenant};
use crate::admission::{Admission, Feedback, Permit};
use crate::config::InFlightLimits;
use crate::routes::Route;

/// What is sent alone may let others begin for that long. Nothing else waits for a time.
const OTHERS_FIRST: Duration = Duration::from_secs(3);
/// What a target takes that times out.
const HANG: Duration = Duration::from_secs(120);

/// What waits in a lane.
#[derive(Clone, Debug)]
struct Waiting {
    owner: u32,
    origin: i64,
    class: LaneClass,
    count: usize,
}

#[derive(Clone, Debug)]
enum Step {
    Pass,
    Slow(usize),
    End(usize, Feedback),
}

fn lanes() -> impl Strategy<Value = Vec<Waiting>> {
    let class = prop_oneof![
        4 => Just(LaneClass::First),
        2 => Just(LaneClass::Retry),
        1 => Just(LaneClass::Alone),
    ];
    let lane =
        (0..9u32, 0..4i64, class, 1..6usize).prop_map(|(owner, origin, class, count)| Waiting {
            owner,
            origin,
            class,
            count,
        });
    prop::collection::vec(lane, 1..40)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let feedback = prop_oneof![
        3 => Just(Feedback::Received),
        1 => Just(Feedback::TimedOut),
        1 => Just(Feedback::Overloaded),
    ];
    let step = prop_oneof![
        3 => Just(Step::Pass),
        1 => any::<usize>().prop_map(Step::Slow),
        2 => (any::<usize>(), feedback).prop_map(|(at, feedback)| Step::End(at, feedback)),
    ];
    prop::collection::vec(step, 0..100)
}

struct World {
    admission: Admission,
    lanes: Vec<(Waiting, Arc<Route>, Place)>,
    permits: Vec<Permit>,
}

impl World {
    fn new(lanes: Vec<Waiting>) -> Self {
        let limits = InFlightLimits::default()
            .with_total(6)
            .with_per_webhook(2)
            .with_per_origin(4)
            .with_per_owner(3)
            .with_per_tenant(4);
        let world = Self {
            admission: limited(limits),
            lanes: (0..)
                .zip(lanes)
                .map(|(id, lane)| {
                    let url = format!("https://host-{}.example.com/", lane.origin);
                    let place = match lane.owner % 3 {
                        0 => Place::Common,
                        n => tenant(n),
                    };
                    let route = route_to(lane.owner, id, &url);
                    (lane, route, place)
                })
                .collect(),
            permits: Vec::new(),
        };
        for (lane, route, place) in &world.lanes {
            world.admission.lanes.ready(due(route, *place, lane.class));
        }
        world
    }

    fn pass(&mut self) {
        let Admission {
            lanes, in_flight, ..
        } = &self.admission;
        while let Some(turn) = lanes.next(Instant::now()) {
            let Lane { webhook, class } = turn.due.lane;
            let at = usize::try_from(webhook.0).unwrap();
            let (waiting, route, place) = &mut self.lanes[at];
            if waiting.count == 0 {
                turn.done();
                continue;
            }
            match in_flight.take(route, *place, class) {
                Ok(permit) => {
                    waiting.count -= 1;
                    self.permits.push(permit);
                }
                Err(blocked) => in_flight.step_aside(turn, blocked),
            }
        }
    }

    fn left(&self) -> usize {
        self.lanes.iter().map(|(lane, ..)| lane.count).sum()
    }
}

/// How many are left once all requests have ended, and whether all room was given back.
async fn left_after(lanes: Vec<Waiting>, steps: Vec<Step>) -> (usize, bool) {
    let mut world = World::new(lanes);
    for step in steps {
        match step {
            Step::Pass => world.pass(),
            Step::Slow(at) if !world.permits.is_empty() => {
                let at = at % world.permits.len();
                world.permits[at].became_slow();
            }
            Step::End(at, feedback) if !world.permits.is_empty() => {
                let at = at % world.permits.len();
                let took = if feedback == Feedback::TimedOut {
                    HANG
                } else {
                    MOMENT
                };
                finish_after([world.permits.swap_remove(at)], feedback, took);
            }
            Step::Slow(_) | Step::End(..) => {}
        }
    }
    world.pass();
    loop {
        if world.permits.is_empty() {
            advance(OTHERS_FIRST).await;
            world.pass();
        }
        // While anything is left, something is on its way.
        let Some(permit) = world.permits.pop() else {
            break;
        };
        finish([permit], Feedback::None);
        world.pass();
    }
    (world.left(), world.admission.in_flight.is_empty())
}

proptest! {
    #[test]
    fn all_that_waits_is_sent_once_requests_end(lanes in lanes(), steps in steps()) {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        let ended = runtime.block_on(left_after(lanes, steps));
        prop_assert_eq!(ended, (0, true));
    }
}
