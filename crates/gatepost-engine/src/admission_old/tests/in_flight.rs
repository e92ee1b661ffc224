//! Limits and what adapts them, one webhook at a time.

use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;
use webhook_model::RateLimit;

use super::{finish, finish_after, limited, prove, route, take_all, tenant};
use crate::admission::room::Room;
use crate::admission::{Admission, Feedback};
use crate::config::{InFlightLimits, Limits};

const FIRST: LaneClass = LaneClass::First;

#[tokio::test]
async fn however_many_targets_stall_a_target_that_responds_has_its_room() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let good = route(0);
    prove(&in_flight, &good, Place::Common);
    let stalled: Vec<_> = (1..1000)
        .flat_map(|n| take_all(&in_flight, &route(n), Place::Common, FIRST))
        .collect();
    assert_eq!(stalled.len(), 512);
    let taken = take_all(&in_flight, &good, Place::Common, FIRST);
    assert_eq!(taken.len(), 32);
}

#[tokio::test]
async fn one_tenant_has_an_eighth_of_what_may_stall_however_many_owners_it_has() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let of = |place| {
        let all = (1..1000).flat_map(|n| take_all(&in_flight, &route(n), place, FIRST));
        all.collect::<Vec<_>>()
    };
    let (one, two) = (of(tenant(1)), of(tenant(2)));
    assert_eq!((one.len(), two.len()), (64, 64));
}

#[tokio::test]
async fn retries_leave_half_of_the_room_to_first_attempts() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let retries: Vec<_> = (0..1000)
        .map(route)
        .inspect(|route| prove(&in_flight, route, Place::Common))
        .flat_map(|route| take_all(&in_flight, &route, Place::Common, LaneClass::Retry))
        .collect();
    assert_eq!(retries.len(), 512);
    let first = in_flight.try_take(&route(5000), Place::Common, FIRST);
    assert!(first.is_some());
}

#[tokio::test]
async fn what_may_have_killed_its_sender_is_sent_one_at_a_time() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let alone = take_all(&in_flight, &route(1), Place::Common, LaneClass::Alone);
    assert_eq!(alone.len(), 1);
    let other = |class| in_flight.try_take(&route(2), Place::Common, class);
    assert!(other(LaneClass::Alone).is_none(), "nor beside another's");
    assert!(other(FIRST).is_some(), "it holds up nothing else");
    drop(alone);
    assert!(other(LaneClass::Alone).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_cannot_be_reached_is_tried_one_at_a_time_and_ever_more_rarely() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let dead = route(1);
    let take = || take_all(&in_flight, &dead, Place::Common, FIRST);
    let mut tries = 0;
    for _ in 0..3600 {
        let permits = take();
        tries += permits.len();
        finish(permits, Feedback::Unreachable);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(
        (120..200).contains(&tries),
        "32 at first, then each 30 s: {tries}"
    );
    tokio::time::advance(Duration::from_secs(31)).await;
    let probe = take();
    assert_eq!(probe.len(), 1);
    finish(probe, Feedback::Responded);
    assert_eq!(take().len(), 32, "a response closes the breaker");
}

#[tokio::test(start_paused = true)]
async fn overload_halves_what_a_webhook_gets_once_a_second_and_responses_raise_it() {
    let limits = InFlightLimits::default().with_per_webhook(64);
    let Admission { in_flight, .. } = limited(limits);
    let busy = route(1);
    prove(&in_flight, &busy, Place::Common);
    let take = || take_all(&in_flight, &busy, Place::Common, FIRST);
    for expected in [64, 32, 16, 8, 4, 2, 1, 1] {
        let permits = take();
        assert_eq!(permits.len(), expected);
        finish(permits, Feedback::Overloaded);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    for _ in 0..300 {
        finish(take(), Feedback::Responded);
    }
    assert_eq!(take().len(), 64);
}

#[tokio::test(start_paused = true)]
async fn three_that_take_long_make_a_slow_webhook_and_one_that_does_not_ends_that() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let slow = route(1);
    let counts = || {
        let permit = in_flight.try_take(&slow, Place::Common, FIRST);
        let counts = [Room::Weak, Room::Slow].map(|room| in_flight.used(&room));
        drop(permit);
        counts
    };
    assert_eq!(counts(), [1, 0], "not tried yet");
    let respond = |seconds| {
        let permit = in_flight.try_take(&slow, Place::Common, FIRST);
        finish_after(permit, Feedback::Responded, Duration::from_secs(seconds));
    };
    respond(3);
    respond(3);
    assert_eq!(counts(), [0, 0]);
    respond(3);
    assert_eq!(counts(), [1, 1]);
    respond(0);
    assert_eq!(counts(), [0, 0]);
    respond(3);
    assert_eq!(
        counts(),
        [1, 1],
        "one that now and then responds fast stays slow"
    );
}

#[tokio::test]
async fn a_request_that_runs_for_long_counts_among_the_slow_and_so_does_its_webhook() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let hangs = route(1);
    prove(&in_flight, &hangs, tenant(1));
    let mut first = in_flight.try_take(&hangs, tenant(1), FIRST).unwrap();
    let slow = || [Room::Weak, Room::Slow].map(|room| in_flight.used(&room));
    assert_eq!(slow(), [0, 0]);
    first.became_slow();
    assert_eq!(slow(), [1, 1]);
    let second = in_flight.try_take(&hangs, tenant(1), FIRST).unwrap();
    assert_eq!(slow(), [2, 2]);
    finish([first], Feedback::Received);
    drop(second);
    assert_eq!(slow(), [0, 0]);
    assert!(in_flight.is_empty());
}

#[tokio::test]
async fn a_webhook_that_goes_elsewhere_begins_again() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let before = super::route_to(1, 1, "https://one.example.com/");
    let after = super::route_to(1, 1, "https://two.example.com/");
    for _ in 0..5 {
        let permit = in_flight.try_take(&before, Place::Common, FIRST);
        finish(permit, Feedback::Refused);
    }
    assert!(in_flight.try_take(&before, Place::Common, FIRST).is_none());
    assert!(in_flight.try_take(&after, Place::Common, FIRST).is_some());
}

#[tokio::test]
async fn permits_that_are_given_back_leave_room_again() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let one = route(1);
    for _ in 0..10 {
        let permits = take_all(&in_flight, &one, Place::Common, FIRST);
        assert_eq!((permits.len(), in_flight.count()), (32, 32));
        drop(permits);
    }
    assert!(in_flight.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_webhook_sends_no_faster_than_its_own_rate() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let mut limited = route(1);
    let webhook = &mut std::sync::Arc::get_mut(&mut limited).unwrap().webhook;
    webhook.rate = Some(RateLimit::per_second(3).unwrap());
    for _ in 0..3 {
        let permits = take_all(&in_flight, &limited, Place::Common, FIRST);
        assert_eq!(permits.len(), 3);
        finish(permits, Feedback::Received);
        let again = take_all(&in_flight, &limited, Place::Common, FIRST);
        assert_eq!(again.len(), 0);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
}

#[tokio::test]
async fn a_permit_is_given_back_when_its_holder_panics() {
    let Admission { in_flight, .. } = Admission::new(&Limits::default());
    let permit = in_flight.try_take(&route(1), Place::Common, FIRST).unwrap();
    let holder = tokio::spawn(async move {
        let _permit = permit;
        panic!("as told");
    });
    assert!(holder.await.is_err());
    assert!(in_flight.is_empty());
}
