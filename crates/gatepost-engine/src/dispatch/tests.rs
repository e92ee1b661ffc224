#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::time::Duration;

use webhook_model::{OwnerId, Webhook, WebhookId};

use super::*;
use crate::config::Limits;
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

fn take_all(slots: &Arc<Slots>, route: &Arc<Route>, class: LaneClass) -> Vec<Permit> {
    std::iter::from_fn(|| slots.try_take(route, class)).collect()
}

/// Gives permits back with what their attempts told.
fn finish(permits: Vec<Permit>, feedback: Feedback) {
    for mut permit in permits {
        permit.feedback = feedback;
        drop(permit);
    }
}

#[tokio::test]
async fn however_many_targets_stall_a_target_that_answers_has_its_slots() {
    let slots = Slots::new(Limits::default());
    let good = route(0);
    finish(
        slots
            .try_take(&good, LaneClass::First)
            .into_iter()
            .collect(),
        Feedback::Answered,
    );
    let stalled: Vec<_> = (1..1000)
        .flat_map(|n| take_all(&slots, &route(n), LaneClass::First))
        .collect();
    assert_eq!(stalled.len(), 512);
    assert_eq!(take_all(&slots, &good, LaneClass::First).len(), 32);
}

#[tokio::test]
async fn retries_leave_half_of_the_slots_to_first_attempts() {
    let slots = Slots::new(Limits {
        unproven_percent: 100,
        ..Limits::default()
    });
    let retries: Vec<_> = (0..1000)
        .flat_map(|n| take_all(&slots, &route(n), LaneClass::Retry))
        .collect();
    assert_eq!(retries.len(), 512);
    assert!(slots.try_take(&route(5000), LaneClass::First).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_cannot_be_reached_is_tried_one_at_a_time_and_ever_more_rarely() {
    let slots = Slots::new(Limits::default());
    let dead = route(1);
    let mut tries = 0;
    for _ in 0..3600 {
        let permits = take_all(&slots, &dead, LaneClass::First);
        tries += permits.len();
        finish(permits, Feedback::Unreachable);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(
        (120..200).contains(&tries),
        "32 at first, then each 30 s: {tries}"
    );
    tokio::time::advance(Duration::from_secs(31)).await;
    let probe = take_all(&slots, &dead, LaneClass::First);
    assert_eq!(probe.len(), 1);
    finish(probe, Feedback::Answered);
    assert_eq!(
        take_all(&slots, &dead, LaneClass::First).len(),
        32,
        "an answer opens it"
    );
}

#[tokio::test(start_paused = true)]
async fn overload_halves_what_a_host_gets_once_a_second_and_answers_raise_it() {
    let slots = Slots::new(Limits {
        per_webhook: 64,
        ..Limits::default()
    });
    let busy = route(1);
    for expected in [64, 32, 16, 8, 4, 2, 1, 1] {
        let permits = take_all(&slots, &busy, LaneClass::First);
        assert_eq!(permits.len(), expected);
        finish(permits, Feedback::Overloaded);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    for _ in 0..300 {
        finish(
            take_all(&slots, &busy, LaneClass::First),
            Feedback::Answered,
        );
    }
    assert_eq!(take_all(&slots, &busy, LaneClass::First).len(), 64);
}

#[tokio::test]
async fn given_back_slots_are_free_again() {
    let slots = Slots::new(Limits::default());
    let one = route(1);
    for _ in 0..10 {
        let permits = take_all(&slots, &one, LaneClass::First);
        assert_eq!((permits.len(), slots.in_flight()), (32, 32));
        drop(permits);
    }
    assert_eq!(slots.in_flight(), 0);
}

#[test]
fn lanes_take_turns_and_a_lane_made_ready_meanwhile_stays() {
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
