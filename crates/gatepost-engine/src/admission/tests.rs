use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::{Lane, LaneClass};
use webhook_model::{OwnerId, RateLimit, Webhook, WebhookId};

use super::in_flight::{InFlight, Permit};
use super::lanes::Lanes;
use super::targets::Feedback;
use crate::config::{InFlightLimits, Limits, RateLimits};
use crate::routes::Route;

/// A webhook of its own owner on a host of its own.
fn route(n: i64) -> Arc<Route> {
    let url = format!("https://host-{n}.example.com/").parse().unwrap();
    let webhook = Webhook::new(OwnerId(n), format!("w{n}").parse().unwrap(), url);
    Arc::new(Route {
        id: WebhookId(n),
        ..Route::unstored(webhook)
    })
}

fn limited(limits: InFlightLimits) -> Arc<InFlight> {
    InFlight::new(Limits::default().with_in_flight(limits))
}

fn take_all(in_flight: &Arc<InFlight>, route: &Arc<Route>, class: LaneClass) -> Vec<Permit> {
    std::iter::from_fn(|| in_flight.try_take(route, class)).collect()
}

/// Gives permits back after attempts that went so.
fn finish(permits: Vec<Permit>, feedback: Feedback) {
    for mut permit in permits {
        permit.feedback = feedback;
        drop(permit);
    }
}

#[tokio::test]
async fn however_many_targets_stall_a_target_that_responds_has_its_room() {
    let in_flight = InFlight::new(Limits::default());
    let good = route(0);
    finish(
        in_flight
            .try_take(&good, LaneClass::First)
            .into_iter()
            .collect(),
        Feedback::Responded,
    );
    let stalled: Vec<_> = (1..1000)
        .flat_map(|n| take_all(&in_flight, &route(n), LaneClass::First))
        .collect();
    assert_eq!(stalled.len(), 512);
    assert_eq!(take_all(&in_flight, &good, LaneClass::First).len(), 32);
}

#[tokio::test]
async fn retries_leave_half_of_the_room_to_first_attempts() {
    let in_flight = limited(InFlightLimits::default().with_unresponsive_percent(100));
    let retries: Vec<_> = (0..1000)
        .flat_map(|n| take_all(&in_flight, &route(n), LaneClass::Retry))
        .collect();
    assert_eq!(retries.len(), 512);
    assert!(in_flight.try_take(&route(5000), LaneClass::First).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_cannot_be_reached_is_tried_one_at_a_time_and_ever_more_rarely() {
    let in_flight = InFlight::new(Limits::default());
    let dead = route(1);
    let mut tries = 0;
    for _ in 0..3600 {
        let permits = take_all(&in_flight, &dead, LaneClass::First);
        tries += permits.len();
        finish(permits, Feedback::Unreachable);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(
        (120..200).contains(&tries),
        "32 at first, then each 30 s: {tries}"
    );
    tokio::time::advance(Duration::from_secs(31)).await;
    let probe = take_all(&in_flight, &dead, LaneClass::First);
    assert_eq!(probe.len(), 1);
    finish(probe, Feedback::Responded);
    assert_eq!(
        take_all(&in_flight, &dead, LaneClass::First).len(),
        32,
        "a response closes the breaker"
    );
}

#[tokio::test(start_paused = true)]
async fn overload_halves_what_a_host_gets_once_a_second_and_responses_raise_it() {
    let in_flight = limited(InFlightLimits::default().with_per_webhook(64));
    let busy = route(1);
    for expected in [64, 32, 16, 8, 4, 2, 1, 1] {
        let permits = take_all(&in_flight, &busy, LaneClass::First);
        assert_eq!(permits.len(), expected);
        finish(permits, Feedback::Overloaded);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    for _ in 0..300 {
        finish(
            take_all(&in_flight, &busy, LaneClass::First),
            Feedback::Responded,
        );
    }
    assert_eq!(take_all(&in_flight, &busy, LaneClass::First).len(), 64);
}

#[tokio::test]
async fn permits_that_are_given_back_leave_room_again() {
    let in_flight = InFlight::new(Limits::default());
    let one = route(1);
    for _ in 0..10 {
        let permits = take_all(&in_flight, &one, LaneClass::First);
        assert_eq!((permits.len(), in_flight.count()), (32, 32));
        drop(permits);
    }
    assert_eq!(in_flight.count(), 0);
}

#[test]
fn lanes_take_turns_and_a_lane_made_ready_in_between_stays() {
    let lanes = Lanes::new();
    let lane = |n| Lane {
        webhook: WebhookId(n),
        class: LaneClass::First,
    };
    (1..=3).for_each(|n| lanes.add(lane(n)));
    let firsts: Vec<_> = (0..4).map(|_| lanes.in_turn()[0].0.webhook.0).collect();
    assert_eq!(firsts, [1, 2, 3, 1]);
    let call = lanes
        .in_turn()
        .iter()
        .find(|(l, _)| *l == lane(2))
        .unwrap()
        .1;
    lanes.add(lane(2));
    lanes.done(lane(2), call);
    assert!(
        lanes.has(lane(2)),
        "it was made ready after it was looked at"
    );
}

#[tokio::test]
async fn a_webhook_sends_no_faster_than_its_own_rate_and_no_faster_than_it_is_resumed() {
    let in_flight = InFlight::new(Limits::default());
    let mut slow = Arc::into_inner(route(1)).unwrap();
    slow.webhook.rate = Some(RateLimit::per_second(3).unwrap());
    let slow = Arc::new(slow);
    assert_eq!(take_all(&in_flight, &slow, LaneClass::First).len(), 3);

    let rates = RateLimits::default().with_resumed_per_second(5);
    let in_flight = InFlight::new(Limits::default().with_rates(rates));
    let held = route(2);
    in_flight.resumed(held.id);
    assert_eq!(take_all(&in_flight, &held, LaneClass::First).len(), 5);
    in_flight.caught_up(held.id);
    assert_eq!(take_all(&in_flight, &held, LaneClass::First).len(), 32);
}

#[tokio::test]
async fn a_permit_is_given_back_when_its_holder_panics() {
    let in_flight = InFlight::new(Limits::default());
    let permit = in_flight.try_take(&route(1), LaneClass::First).unwrap();
    let holder = tokio::spawn(async move {
        let _permit = permit;
        panic!("as told");
    });
    assert!(holder.await.is_err());
    assert_eq!(in_flight.count(), 0);
}
