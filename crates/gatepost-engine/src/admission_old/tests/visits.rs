//! Lanes that are blocked cost nothing: no pass and no wake visits them, however many they are.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::{due, finish, prove, route, tenant};
use crate::admission::{Admission, Feedback, Permit};
use crate::config::Limits;
use crate::routes::Route;

const STALLED: u32 = 20_000;
const HEALTHY: u32 = STALLED;
const MESSAGES: usize = 1_000;

struct World {
    admission: Admission,
    routes: HashMap<WebhookId, (Arc<Route>, Place)>,
    visits: usize,
}

impl World {
    /// Gives every lane that is ready its turn. Permits for the healthy webhook.
    fn pass(&mut self, stalled: &mut Vec<Permit>) -> Vec<Permit> {
        let Admission {
            lanes, in_flight, ..
        } = &self.admission;
        let mut healthy = Vec::new();
        while let Some(turn) = lanes.next(Instant::now()) {
            self.visits += 1;
            let (route, place) = &self.routes[&turn.due.lane.webhook];
            match in_flight.take(route, *place, LaneClass::First) {
                Ok(permit) if route.id == WebhookId(HEALTHY.into()) => {
                    healthy.push(permit);
                    turn.done();
                }
                Ok(permit) => stalled.push(permit),
                Err(blocked) => in_flight.step_aside(turn, blocked),
            }
        }
        healthy
    }
}

#[tokio::test(start_paused = true)]
async fn twenty_thousand_stalled_lanes_are_not_visited_for_one_that_is_sent() {
    let mut world = World {
        admission: Admission::new(&Limits::default()),
        routes: (0..=HEALTHY)
            .map(|n| (WebhookId(n.into()), (route(n), tenant(n % 100))))
            .collect(),
        visits: 0,
    };
    let (healthy, place) = world.routes[&WebhookId(HEALTHY.into())].clone();
    prove(&world.admission.in_flight, &healthy, place);
    for (route, place) in world.routes.values() {
        if route.id != healthy.id {
            let stalled = due(route, *place, LaneClass::First);
            world.admission.lanes.ready(stalled);
        }
    }
    let mut stalled = Vec::new();
    world.pass(&mut stalled);
    let before = world.visits;
    for _ in 0..MESSAGES {
        let lane = due(&healthy, place, LaneClass::First);
        world.admission.lanes.ready(lane);
        let permits = world.pass(&mut stalled);
        assert_eq!(permits.len(), 1);
        finish(permits, Feedback::Received);
    }
    let visits = world.visits - before;
    assert!(
        visits <= 2 * MESSAGES,
        "{visits} visits for {MESSAGES} messages"
    );
}
