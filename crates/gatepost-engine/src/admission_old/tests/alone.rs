//! What is sent alone after a lost claim: whoever hangs is waited for, but once.

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use tokio::time::{Instant, advance};

use super::{due, finish, finish_after, route, tenant};
use crate::admission::{Admission, Feedback, InFlight, Permit, SLOW_AFTER};
use crate::config::Limits;
use crate::routes::Route;

const ALONE: LaneClass = LaneClass::Alone;
/// What a target takes that responds.
const STEP: Duration = Duration::from_millis(100);
/// What one takes that does not.
const HANG: Duration = Duration::from_secs(120);

/// What a webhook has to send, each of which takes that long.
struct Waiting {
    route: Arc<Route>,
    place: Place,
    count: usize,
    takes: Duration,
    /// When its last one was sent.
    sent: Duration,
}

struct Request {
    of: usize,
    permit: Permit,
    began: Instant,
    is_slow: bool,
}

struct World {
    admission: Admission,
    waiting: Vec<Waiting>,
    request: Option<Request>,
}

impl World {
    /// Webhooks, each of an owner of its own: where it is, and how many take how long.
    fn new(webhooks: &[(Place, usize, Duration)]) -> Self {
        let waiting = |(id, (place, count, takes)): (u32, &(Place, usize, Duration))| Waiting {
            route: route(id),
            place: *place,
            count: *count,
            takes: *takes,
            sent: Duration::ZERO,
        };
        let world = Self {
            admission: Admission::new(&Limits::default()),
            waiting: (0..).zip(webhooks).map(waiting).collect(),
            request: None,
        };
        for one in &world.waiting {
            let lane = due(&one.route, one.place, ALONE);
            world.admission.lanes.ready(lane);
        }
        world
    }

    /// As the dispatcher's.
    fn pass(&mut self) {
        let Admission {
            lanes, in_flight, ..
        } = &self.admission;
        while let Some(turn) = lanes.next(Instant::now()) {
            let of = usize::try_from(turn.due.lane.webhook.0).unwrap();
            let one = &mut self.waiting[of];
            if one.count == 0 {
                turn.done();
                continue;
            }
            match in_flight.take(&one.route, one.place, ALONE) {
                Err(blocked) => in_flight.step_aside(turn, blocked),
                Ok(permit) => {
                    assert!(self.request.is_none(), "two at once");
                    one.count -= 1;
                    self.request = Some(Request {
                        of,
                        permit,
                        began: Instant::now(),
                        is_slow: false,
                    });
                }
            }
        }
    }

    /// What ends, or becomes slow.
    fn pass_time(&mut self, began: Instant) {
        let Some(mut request) = self.request.take() else {
            return;
        };
        let (took, one) = (request.began.elapsed(), &mut self.waiting[request.of]);
        if took >= one.takes {
            one.sent = began.elapsed();
            let feedback = if request.is_slow {
                Feedback::TimedOut
            } else {
                Feedback::Received
            };
            finish_after([request.permit], feedback, took);
            return;
        }
        if took >= SLOW_AFTER && !request.is_slow {
            request.is_slow = true;
            request.permit.became_slow();
        }
        self.request = Some(request);
    }

    /// Until all is sent. When the last one of each webhook was.
    async fn run(mut self) -> Vec<Duration> {
        let began = Instant::now();
        self.pass();
        while self.request.is_some() || self.waiting.iter().any(|one| one.count > 0) {
            advance(STEP).await;
            self.pass_time(began);
            self.pass();
            assert!(began.elapsed() < 10 * HANG, "something is never sent");
        }
        self.waiting.iter().map(|one| one.sent).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn who_hangs_is_waited_for_once_however_much_others_have_to_send() {
    let responds = (Place::Common, 30, STEP);
    let hangs = (Place::Common, 3, HANG);
    let sent = World::new(&[hangs, responds, responds, responds])
        .run()
        .await;
    let others = sent[1..].iter().max().unwrap();
    assert!(*others <= HANG + 100 * STEP, "{others:?}");
    assert!(sent[0] < 4 * HANG, "and goes on then: {:?}", sent[0]);
}

#[tokio::test(start_paused = true)]
async fn of_a_tenant_one_is_waited_for_however_many_of_its_users_hang() {
    let hangs = (tenant(1), 1, HANG);
    let responds = (tenant(2), 30, STEP);
    let sent = World::new(&[hangs, hangs, hangs, hangs, hangs, responds])
        .run()
        .await;
    assert!(sent[5] <= HANG + 40 * STEP, "{:?}", sent[5]);
}

#[tokio::test(start_paused = true)]
async fn who_hung_and_then_responds_goes_on_without_a_pause() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let take = || in_flight.try_take(&route(1), Place::Common, ALONE);
    hang(&in_flight, 1);
    assert!(take().is_none(), "others may begin first");
    advance(Duration::from_secs(1)).await;
    finish([take().unwrap()], Feedback::Received);
    assert!(take().is_some());
}

/// One of this webhook is sent, hangs, and times out.
fn hang(in_flight: &Arc<InFlight>, webhook: u32) {
    let permit = in_flight.try_take(&route(webhook), Place::Common, ALONE);
    let mut permit = permit.unwrap();
    permit.became_slow();
    finish_after([permit], Feedback::TimedOut, HANG);
}

#[tokio::test(start_paused = true)]
async fn who_responds_late_does_not_go_last_unless_all_had_to_wait_as_for_one_that_hangs() {
    for (feedback, seconds, goes_last) in [
        (Feedback::Received, 3, false),
        (Feedback::Responded, 3, false),
        (Feedback::Received, 100, true),
        // The connection was closed.
        (Feedback::None, 100, true),
        (Feedback::Refused, 0, false),
    ] {
        let Admission { in_flight, .. } = Admission::new(&Limits::default());
        let take = || in_flight.try_take(&route(1), tenant(1), ALONE);
        let (mut permit, took) = (take().unwrap(), Duration::from_secs(seconds));
        if took >= SLOW_AFTER {
            permit.became_slow();
        }
        finish_after([permit], feedback, took);
        assert_eq!(take().is_none(), goes_last, "{feedback:?} after {took:?}");
    }
}

/// The last claim of a lane finds it empty, and some claims are given back.
#[tokio::test(start_paused = true)]
async fn a_permit_that_is_not_used_changes_neither_who_goes_last_nor_how_long_that_takes() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let take = |webhook| in_flight.try_take(&route(webhook), Place::Common, ALONE);
    hang(&in_flight, 1);
    advance(Duration::from_millis(500)).await;
    drop(take(2).unwrap());
    advance(Duration::from_millis(500)).await;
    drop(take(1).unwrap());
    finish([take(2).unwrap()], Feedback::Received);
    assert!(take(1).is_none(), "it still goes last");
}

#[tokio::test(start_paused = true)]
async fn who_hung_goes_last_for_a_minute_however_much_others_have_to_send() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let take = |webhook| in_flight.try_take(&route(webhook), Place::Common, ALONE);
    hang(&in_flight, 1);
    let began = Instant::now();
    while take(1).is_none() {
        finish([take(2).unwrap()], Feedback::Received);
        advance(STEP).await;
        assert!(began.elapsed() <= Duration::from_secs(61), "it waits on");
    }
    assert!(began.elapsed() >= Duration::from_secs(59), "too early");
}

#[tokio::test(start_paused = true)]
async fn while_others_hang_the_minute_hardly_passes() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    for webhook in 1..=10 {
        advance(HANG).await;
        hang(&in_flight, webhook);
    }
    let first = in_flight.try_take(&route(1), Place::Common, ALONE);
    assert!(first.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_hangs_lets_others_begin_first() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let take = |n, class| in_flight.try_take(&route(n), Place::Common, class);
    let mut hangs = take(1, LaneClass::First).unwrap();
    hangs.became_slow();
    finish([take(2, ALONE).unwrap()], Feedback::Received);
    assert!(take(1, ALONE).is_none());
    assert!(take(2, ALONE).is_some());
    advance(Duration::from_secs(1)).await;
    assert!(take(1, ALONE).is_some(), "if there are none");
}

/// Else a poison that kills its sender would be its loss too, each time.
#[tokio::test(start_paused = true)]
async fn what_hangs_has_nothing_beside_it_that_may_kill_its_sender() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let take = |n| in_flight.try_take(&route(n), Place::Common, ALONE);
    let mut hangs = take(1).unwrap();
    hangs.became_slow();
    advance(HANG).await;
    assert!(take(2).is_none());
    drop(hangs);
    assert!(take(2).is_some());
}
