//! What others meet at a host name that everybody uses.

use std::time::Duration;

use gatepost_ids::Place;
use gatepost_storage::webhooks::LaneClass;

use super::{finish, prove, route_to, take_all, tenant};
use crate::admission::{Admission, Feedback, InFlight};
use crate::config::Limits;

const FIRST: LaneClass = LaneClass::First;
const CHAT: &str = "https://chat.example.com/";

fn in_flight() -> std::sync::Arc<InFlight> {
    Admission::new(&Limits::default()).in_flight
}

/// Tries once, if it may; whether it could.
fn fail(
    in_flight: &std::sync::Arc<InFlight>,
    id: u32,
    place: Place,
    url: &str,
    feedback: Feedback,
) -> bool {
    let permit = in_flight.try_take(&route_to(id, id, url), place, FIRST);
    let could = permit.is_some();
    finish(permit, feedback);
    could
}

#[tokio::test(start_paused = true)]
async fn what_one_user_does_on_the_name_of_everyones_chat_service_has_no_effect() {
    for (url, feedback) in [
        ("https://chat.example.com:81/", Feedback::Refused),
        ("http://chat.example.com/", Feedback::TimedOut),
        ("https://chat.example.com/hangs", Feedback::TimedOut),
        ("https://chat.example.com/gone", Feedback::Refused),
        ("https://chat.example.com/busy", Feedback::Overloaded),
        (CHAT, Feedback::Unreachable),
    ] {
        let in_flight = in_flight();
        let good = route_to(1, 1, CHAT);
        for _ in 0..300 {
            fail(&in_flight, 2, tenant(2), url, feedback);
            fail(&in_flight, 3, tenant(3), url, feedback);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let new = take_all(&in_flight, &good, tenant(1), FIRST);
        assert_eq!(new.len(), 32, "a new webhook beside {url}: {feedback:?}");
        finish(new, Feedback::Received);
        assert_eq!(take_all(&in_flight, &good, tenant(1), FIRST).len(), 32);
    }
}

#[tokio::test(start_paused = true)]
async fn a_breaker_opens_for_all_when_two_tenants_cannot_connect_that_had_been_received() {
    let in_flight = in_flight();
    let proven = [1, 2, 3].map(|n| (route_to(n, n, CHAT), tenant(n)));
    for (route, place) in &proven {
        prove(&in_flight, route, *place);
    }
    assert!(fail(&in_flight, 1, tenant(1), CHAT, Feedback::Refused));
    assert!(
        fail(&in_flight, 9, tenant(9), CHAT, Feedback::None),
        "one is not two"
    );
    assert!(fail(&in_flight, 2, tenant(2), CHAT, Feedback::Refused));
    for id in [1, 2, 9] {
        let could = fail(&in_flight, id, tenant(id), CHAT, Feedback::None);
        assert!(!could, "open for {id}");
    }
    let (route, place) = &proven[2];
    let held = take_all(&in_flight, route, *place, FIRST);
    assert_eq!(
        held.len(),
        32,
        "not for one that got a response the last time"
    );
    drop(held);

    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(fail(&in_flight, 9, tenant(9), CHAT, Feedback::Refused));
    assert!(
        !fail(&in_flight, 9, tenant(9), CHAT, Feedback::Refused),
        "one at a time"
    );
    finish(in_flight.try_take(route, *place, FIRST), Feedback::TimedOut);
    assert!(
        fail(&in_flight, 10, tenant(10), CHAT, Feedback::None),
        "a connection of anybody closes it"
    );
}

#[tokio::test(start_paused = true)]
async fn failures_of_one_tenant_or_far_apart_or_of_those_never_received_open_nothing() {
    let open = |in_flight: &std::sync::Arc<InFlight>| {
        in_flight
            .try_take(&route_to(50, 50, CHAT), tenant(50), FIRST)
            .is_none()
    };
    let one = in_flight();
    for id in [1, 2] {
        prove(&one, &route_to(id, id, CHAT), tenant(1));
    }
    for id in [1, 2, 1, 2] {
        fail(&one, id, tenant(1), CHAT, Feedback::Refused);
    }
    assert!(!open(&one), "two webhooks of one tenant");

    let apart = in_flight();
    for id in [1, 2] {
        prove(&apart, &route_to(id, id, CHAT), tenant(id));
    }
    for id in [1, 2] {
        fail(&apart, id, tenant(id), CHAT, Feedback::Refused);
        tokio::time::advance(Duration::from_secs(61)).await;
    }
    assert!(!open(&apart), "more than a minute apart");

    let strangers = in_flight();
    for id in 1..40 {
        fail(&strangers, id, tenant(id), CHAT, Feedback::Refused);
    }
    assert!(!open(&strangers), "nobody was ever received");

    let common = in_flight();
    for id in [1, 2] {
        prove(&common, &route_to(id, id, CHAT), Place::Common);
    }
    for id in [1, 2] {
        fail(&common, id, Place::Common, CHAT, Feedback::Refused);
    }
    let newcomer = common.try_take(&route_to(50, 50, CHAT), Place::Common, FIRST);
    assert!(newcomer.is_none(), "in one system, two owners are two");
}

#[tokio::test]
async fn a_new_webhook_of_a_tenant_that_is_busy_there_is_sent_too() {
    let in_flight = in_flight();
    let mut busy = Vec::new();
    for id in [1, 2] {
        prove(&in_flight, &route_to(id, id, CHAT), tenant(1));
        busy.extend(take_all(
            &in_flight,
            &route_to(id, id, CHAT),
            tenant(1),
            FIRST,
        ));
    }
    assert_eq!(busy.len(), 64, "as many as one tenant may have there");
    busy.pop();
    let new = route_to(3, 3, CHAT);
    assert!(in_flight.try_take(&new, tenant(1), FIRST).is_some());
}

#[tokio::test]
async fn tenants_that_hang_at_an_origin_leave_room_for_others_there() {
    let in_flight = in_flight();
    let healthy = route_to(1, 1, CHAT);
    prove(&in_flight, &healthy, tenant(1));
    // As unproven ones, and as ones that were received before they hang.
    let mut hanging = Vec::new();
    for id in 2..500 {
        let route = route_to(id, id, "https://chat.example.com/hangs");
        hanging.extend(take_all(&in_flight, &route, tenant(id % 4 + 10), FIRST));
    }
    for id in 500..1000 {
        let route = route_to(id, id, "https://chat.example.com/hangs");
        prove(&in_flight, &route, tenant(id % 4 + 10));
        hanging.extend(take_all(&in_flight, &route, tenant(id % 4 + 10), FIRST));
    }
    hanging.iter_mut().for_each(super::Permit::became_slow);
    let taken = take_all(&in_flight, &healthy, tenant(1), FIRST);
    assert_eq!(taken.len(), 32, "beside {}", hanging.len());
}
