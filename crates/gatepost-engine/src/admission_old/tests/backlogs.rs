//! What was held is sent at a bounded rate, by one process, until nothing of it is left.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::Place;
use gatepost_storage::webhooks::{DueLane, LaneClass};
use tokio::time::Instant;
use webhook_model::RateLimit;

use super::{due, finish, route};
use crate::admission::lanes::Lanes;
use crate::admission::lot::Lot;
use crate::admission::room::Wait;
use crate::admission::{Admission, Feedback};
use crate::config::{Limits, RateLimits};
use crate::routes::Route;
use crate::testing::noon;

const RATE: u32 = 5;

/// A lane of this webhook whose head has been due for this long.
fn lane(webhook: u32, seconds: i64) -> DueLane {
    DueLane {
        due: noon() - TimeDelta::seconds(seconds),
        ..due(&route(webhook), Place::Common, LaneClass::First)
    }
}

/// A webhook that was changed that long ago.
fn changed(webhook: u32, seconds: i64) -> Route {
    let mut route = Arc::into_inner(route(webhook)).unwrap();
    route.changed = noon() - TimeDelta::seconds(seconds);
    route
}

/// How many may be sent now, up to a thousand.
fn sent(lanes: &Arc<Lanes>, due: &DueLane) -> usize {
    let now = Instant::now();
    let mut count = 0;
    while count < 1000
        && let Ok(of_backlog) = lanes.may_send(due, now)
    {
        if of_backlog {
            lanes.sends(due.lane.webhook, now);
        }
        count += 1;
    }
    count
}

fn hold(lanes: &Arc<Lanes>, due: &DueLane) {
    let lot = Lot::of(due.lane.webhook);
    lanes.hold_lot(lot, Instant::now() + Duration::from_secs(3600));
}

fn second(seconds: i64) -> DateTime<Utc> {
    noon() + TimeDelta::seconds(seconds)
}

#[tokio::test(start_paused = true)]
async fn what_nobody_sent_for_a_minute_is_sent_at_a_bounded_rate_until_its_lane_is_empty() {
    let lanes = Lanes::new(RATE);
    let (held, fresh) = (lane(1, 60), lane(2, 59));
    lanes.found(&[held, fresh], noon());
    hold(&lanes, &held);
    assert_eq!((sent(&lanes, &held), sent(&lanes, &fresh)), (5, 1000));
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(sent(&lanes, &held), 5);
    // It was known all the time: this is a backlog of its own, not what was held.
    lanes.found(&[lane(2, 90)], noon());
    assert_eq!(sent(&lanes, &fresh), 1000);
    while let Some(turn) = lanes.next(Instant::now()) {
        turn.done();
    }
    assert_eq!(sent(&lanes, &held), 1000, "it has caught up");
}

#[tokio::test(start_paused = true)]
async fn what_was_due_before_its_webhook_changed_was_held_whoever_queued_it_and_however_soon() {
    let (lanes, route, due) = (Lanes::new(RATE), changed(1, 10), lane(1, 0));
    let (lane, now) = (due.lane, noon());
    lanes.ready(due); // Something new, before which others wait.
    assert!(lanes.is_unseen(lane, &route), "one shows what there is");
    lanes.claimed(lane, &route, second(-11), now);
    assert!(!lanes.is_unseen(lane, &route));
    assert_eq!(
        lanes.may_send(&due, Instant::now()),
        Err(Wait::Lot(Lot::of(lane.webhook)))
    );
    hold(&lanes, &due);
    assert_eq!(sent(&lanes, &due), 4, "that one counts");
    lanes.claimed(lane, &route, second(-1), now);
    assert_eq!(sent(&lanes, &due), 0, "it waited with the rest");
    lanes.claimed(lane, &route, second(1), now);
    assert_eq!(sent(&lanes, &due), 1000, "this came later");
    assert!(!lanes.is_unseen(lane, &route));
    lanes.claimed(lane, &route, second(-90), now);
    assert_eq!(
        sent(&lanes, &due),
        1000,
        "a slow target is none that was paused"
    );
}

#[tokio::test(start_paused = true)]
async fn a_lane_that_is_sent_as_it_comes_is_looked_at_once() {
    for per_second in [RATE, 0] {
        let (lanes, route, lane) = (Lanes::new(per_second), changed(1, 10), lane(1, 0));
        assert_eq!(lanes.is_unseen(lane.lane, &route), per_second > 0);
        lanes.claimed(lane.lane, &route, second(-1), noon());
        assert!(!lanes.is_unseen(lane.lane, &route));
        let retry = due(&route, Place::Common, LaneClass::Retry);
        lanes.emptied(retry.lane, &route);
        assert!(!lanes.is_unseen(retry.lane, &route));
        assert_eq!(sent(&lanes, &lane), 1000);
    }
}

#[tokio::test(start_paused = true)]
async fn a_backlog_is_left_to_the_process_that_has_its_lot() {
    let (lanes, other) = (Lanes::new(RATE), lane(2, 0));
    lanes.found(&[lane(1, 60), other], noon());
    while let Some(turn) = lanes.next(Instant::now()) {
        match lanes.may_send(&turn.due, Instant::now()) {
            Err(wait) => turn.wait(wait),
            Ok(_) => turn.wait(Wait::RetryTurn),
        }
    }
    assert_eq!(lanes.lots().into_iter().collect::<Vec<_>>(), [Lot(1)]);
    lanes.leave_lot(Lot(1));
    assert!(lanes.has(other.lane));
    assert!(!lanes.has(lane(1, 0).lane), "what comes now is leased");
    assert!(!lanes.lots().is_empty(), "it is asked for again");

    // It is found again, and the lot is free.
    lanes.found(&[lane(1, 65)], noon());
    let turn = lanes.next(Instant::now()).unwrap();
    turn.wait(Wait::Lot(Lot(1)));
    let hold = || lanes.hold_lot(Lot(1), Instant::now() + Duration::from_secs(10));
    assert!(hold() && !hold());
    assert!(lanes.has_ready());
    assert_eq!(sent(&lanes, &lane(1, 0)), 5);
    tokio::time::advance(Duration::from_secs(10)).await;
    let over = lanes.may_send(&lane(1, 0), Instant::now());
    assert_eq!(
        over,
        Err(Wait::Lot(Lot(1))),
        "nobody said that it is still ours"
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_rate_allows_is_spent_by_requests_and_not_by_permits_that_are_given_back() {
    let rates = RateLimits::default().with_resumed_per_second(RATE);
    let Admission {
        lanes, in_flight, ..
    } = Admission::new(&Limits::default().with_rates(rates));
    let mut webhook = Arc::into_inner(route(1)).unwrap();
    webhook.webhook.rate = Some(RateLimit::per_second(3).unwrap());
    let webhook = Arc::new(webhook);
    let take = || in_flight.try_take(&webhook, Place::Common, LaneClass::First);
    for _ in 0..10 {
        let permits: Vec<_> = std::iter::from_fn(take).collect();
        assert_eq!(permits.len(), 3);
    }
    finish(take(), Feedback::Received);
    assert_eq!(std::iter::from_fn(take).collect::<Vec<_>>().len(), 2);

    let held = lane(2, 60);
    lanes.found(&[held], noon());
    hold(&lanes, &held);
    for used in [false, true] {
        let mut permit = in_flight
            .try_take(&route(2), Place::Common, LaneClass::First)
            .unwrap();
        permit.for_backlog();
        if used {
            finish([permit], Feedback::Received);
        }
    }
    assert_eq!(sent(&lanes, &held), 4);
}
