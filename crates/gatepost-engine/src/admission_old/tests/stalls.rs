//! 20,000 webhooks that stall, beside one that responds: how long the one waits, and how many
//! lanes are looked at for that.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::{due, finish_after, prove, route_to, tenant};
use crate::admission::{Admission, Feedback, Permit};
use crate::config::Limits;
use crate::routes::Route;

const STALLED: u32 = 20_000;
const HEALTHY: u32 = 1_000_000;
/// One step of the simulation: a pass, and what ended or became slow.
const STEP: Duration = Duration::from_millis(10);
/// The healthy webhook gets a message after this number of steps, and responds in one.
const EACH: u32 = 10;
const STEPS: u32 = 1_500;
/// When the stalled ones respond, or time out.
const STALL: Duration = Duration::from_secs(10);
/// Lanes that a pass looks at.
const LOOKED_AT: usize = 1024;

const GOOD: &str = "https://good.example.com/";
const CHAT: &str = "https://chat.example.com/";

const OF_FEW: [Case; 4] = [
    ("4 tenants", |id| tenant(id % 4), own_host, GOOD),
    ("4 owners in one system", |_| Place::Common, own_host, GOOD),
    ("4 tenants on its host", |id| tenant(id % 4), chat, CHAT),
    ("4 owners on its host", |_| Place::Common, chat, CHAT),
];
const OF_MANY: [Case; 2] = [
    ("20,000 tenants", tenant, own_host, GOOD),
    ("20,000 tenants on its host", tenant, chat, CHAT),
];

/// What it is, where each of the stalled stands and what it sends to, and the healthy one's URL.
type Case = (
    &'static str,
    fn(u32) -> Place,
    fn(u32) -> String,
    &'static str,
);

/// A request in flight.
struct Request {
    permit: Permit,
    began: Instant,
    is_slow: bool,
}

struct World {
    admission: Admission,
    routes: HashMap<WebhookId, (Arc<Route>, Place)>,
    requests: Vec<Request>,
    /// When the message of the healthy webhook came that waits.
    came: Option<Instant>,
    waits: Vec<Duration>,
    looked_at: usize,
    begun: usize,
}

impl World {
    /// `place` and `url` of each stalled webhook.
    fn new(place: impl Fn(u32) -> Place, url: impl Fn(u32) -> String, healthy: &str) -> Self {
        let admission = Admission::new(&Limits::default());
        let mut routes = HashMap::new();
        for id in 0..STALLED {
            // In one system it is owners that are many or few.
            let owner = match place(id) {
                Place::Common => id % 4,
                _ => id,
            };
            routes.insert(
                WebhookId(id.into()),
                (route_to(owner, id, &url(id)), place(id)),
            );
        }
        let place = match place(0) {
            Place::Common => Place::Common,
            _ => tenant(HEALTHY),
        };
        let route = route_to(HEALTHY, HEALTHY, healthy);
        prove(&admission.in_flight, &route, place);
        routes.insert(WebhookId(HEALTHY.into()), (route, place));
        Self {
            admission,
            routes,
            requests: Vec::new(),
            came: None,
            waits: Vec::new(),
            looked_at: 0,
            begun: 0,
        }
    }

    fn ready(&self, id: u32) {
        let (route, place) = &self.routes[&WebhookId(id.into())];
        let due = due(route, *place, LaneClass::First);
        self.admission.lanes.ready(due);
    }

    /// What ends, and what becomes slow.
    fn pass_time(&mut self) {
        let now = Instant::now();
        for request in std::mem::take(&mut self.requests) {
            let (took, mut request) = (now - request.began, request);
            let healthy = request.permit.route().id == WebhookId(HEALTHY.into());
            if took >= STALL || healthy {
                let feedback = if healthy {
                    Feedback::Received
                } else {
                    Feedback::TimedOut
                };
                finish_after([request.permit], feedback, took);
                continue;
            }
            if took >= Duration::from_secs(2) && !request.is_slow {
                request.is_slow = true;
                request.permit.became_slow();
            }
            self.requests.push(request);
        }
    }

    /// As the dispatcher's.
    fn pass(&mut self) {
        let Admission {
            lanes, in_flight, ..
        } = &self.admission;
        for _ in 0..LOOKED_AT {
            let Some(turn) = lanes.next(Instant::now()) else {
                break;
            };
            self.looked_at += 1;
            let (route, place) = &self.routes[&turn.due.lane.webhook];
            let permit = match turn.trial() {
                Some(trial) => in_flight.take_or_try(route, *place, LaneClass::First, trial),
                None => in_flight.take(route, *place, LaneClass::First),
            };
            match permit {
                Err(blocked) => in_flight.step_aside(turn, blocked),
                Ok(permit) => {
                    self.begun += 1;
                    self.requests.push(Request {
                        permit,
                        began: Instant::now(),
                        is_slow: false,
                    });
                    if route.id == WebhookId(HEALTHY.into()) {
                        let came = self.came.take().unwrap();
                        self.waits.push(Instant::now() - came);
                        turn.done();
                    }
                }
            }
        }
    }

    async fn run(&mut self) {
        for step in 0..STEPS {
            self.pass_time();
            if step % EACH == 0 && self.came.is_none() {
                self.came = Some(Instant::now());
                self.ready(HEALTHY);
            }
            self.pass();
            tokio::time::advance(STEP).await;
        }
    }

    fn longest_wait(&self) -> Duration {
        self.waits.iter().max().copied().unwrap_or(Duration::MAX)
    }
}

fn own_host(id: u32) -> String {
    format!("https://host-{id}.example.com/")
}

fn chat(id: u32) -> String {
    format!("https://chat.example.com/hangs/{id}")
}

/// It costs to find once that there is no room for the stalled, and then to look at those for which
/// there may be some.
fn assert_unharmed(world: &World, what: &str, passes: u32) {
    let messages = (STEPS / EACH) as usize;
    assert_eq!(world.waits.len(), messages, "{what}: all were sent");
    let longest = world.longest_wait();
    assert!(longest <= STEP * passes, "{what}: {longest:?}, not in time");
    // Each lane is looked at to find that there is no room, and perhaps once more to find that it
    // waits for something narrower. A request that ends makes room in a few places, in each of
    // which one lane is woken.
    let (looked_at, begun) = (world.looked_at, world.begun);
    assert!(
        looked_at <= 2 * 20_000 + 6 * begun,
        "{what}: looked at {looked_at} lanes for {begun} requests"
    );
}

/// `passes`: how many of them it may take until a message is sent.
async fn stall_beside_one_that_responds(
    cases: impl IntoIterator<Item = Case>,
    had_received: bool,
    passes: u32,
) {
    for (what, place, url, healthy) in cases {
        let mut world = World::new(place, url, healthy);
        if had_received {
            let stalled = world.routes.values();
            let stalled = stalled.filter(|(route, _)| route.id != WebhookId(HEALTHY.into()));
            stalled.for_each(|(route, place)| prove(&world.admission.in_flight, route, *place));
            // Then all stall at once, but for one.
            tokio::time::advance(Duration::from_secs(1)).await;
            let (route, place) = &world.routes[&WebhookId(HEALTHY.into())];
            prove(&world.admission.in_flight, route, *place);
        }
        (0..STALLED).for_each(|id| world.ready(id));
        while world.admission.lanes.has_ready() {
            world.pass(); // Until there is no room for them.
        }
        world.run().await;
        assert_unharmed(&world, what, passes);
    }
}

#[tokio::test(start_paused = true)]
async fn webhooks_that_stall_cost_one_that_responds_nothing() {
    stall_beside_one_that_responds(OF_FEW.into_iter().chain(OF_MANY), false, 1).await;
}

#[tokio::test(start_paused = true)]
async fn nor_do_those_that_responded_before_they_stall_all_at_once() {
    // When a thousand become slow at once, more lanes are woken than one pass looks at.
    stall_beside_one_that_responds(OF_FEW.into_iter().chain(OF_MANY), true, 2).await;
}
