//! A webhook of which nothing is known yet, where those that stall have all the room for such.

use std::sync::Arc;

use gatepost_storage::webhooks::LaneClass;

use super::{finish, limited, prove, route, route_to, tenant};
use crate::admission::room::Room;
use crate::admission::{Feedback, InFlight, Permit};
use crate::config::InFlightLimits;

const TOTAL: usize = 1024;
const STALLING: u32 = 20_000;

fn in_flight() -> Arc<InFlight> {
    limited(InFlightLimits::default()).in_flight
}

/// Of a tenant of its own.
fn arrive(in_flight: &Arc<InFlight>, id: u32) -> Option<Permit> {
    in_flight
        .take_new(&route(id), tenant(id), LaneClass::First)
        .ok()
}

fn become_slow(permits: &mut [Permit]) {
    permits.iter_mut().for_each(Permit::became_slow);
}

#[test]
fn a_new_webhook_is_tried_at_once_beside_20_000_that_stall() {
    let in_flight = in_flight();
    let mut stalled: Vec<Permit> = (0..STALLING)
        .filter_map(|id| arrive(&in_flight, id))
        .collect();
    assert_eq!(in_flight.used(&Room::Weak), TOTAL / 2);
    assert!(arrive(&in_flight, STALLING).is_none(), "20,000 at once");
    become_slow(&mut stalled);
    let has_waited = in_flight.take(&route(STALLING), tenant(STALLING), LaneClass::First);
    assert!(has_waited.is_err(), "those that wait do not get it");
    let new = arrive(&in_flight, STALLING);
    assert!(new.is_some());
    finish(new, Feedback::Received);
    let next = in_flight.try_take(&route(STALLING), tenant(STALLING), LaneClass::First);
    assert!(next.is_some(), "it is known now");
}

#[tokio::test(start_paused = true)]
async fn however_many_stall_in_trials_there_is_room_for_another_and_for_those_that_respond() {
    let in_flight = in_flight();
    let responsive = STALLING..STALLING + 512;
    for id in responsive.clone() {
        prove(&in_flight, &route(id), tenant(id));
    }
    let mut stalled = Vec::new();
    // Two seconds each: as long as a request may take at most.
    for wave in 0..60 {
        let new = (0..200).filter_map(|n| arrive(&in_flight, wave * 200 + n));
        let mut new: Vec<Permit> = new.collect();
        assert!(!new.is_empty(), "wave {wave}");
        become_slow(&mut new);
        stalled.extend(new);
        assert!(in_flight.count() <= 2 * TOTAL);
    }
    let permits: Vec<Permit> = responsive
        .filter_map(|id| in_flight.try_take(&route(id), tenant(id), LaneClass::First))
        .collect();
    assert_eq!(permits.len(), TOTAL / 2);
    assert!(in_flight.count() <= 2 * TOTAL);
    drop((stalled, permits));
    assert!(in_flight.is_empty());
}

#[test]
fn a_tenant_that_has_some_that_stall_has_no_trials_besides() {
    let in_flight = in_flight();
    let mut stalled: Vec<Permit> = (0..STALLING)
        .filter_map(|id| arrive(&in_flight, id))
        .collect();
    become_slow(&mut stalled);
    let of_one: Vec<Permit> = (0..100)
        .filter_map(|n| {
            let id = STALLING + n;
            let new = route_to(7, id, &format!("https://host-{id}.example.com/"));
            let place = tenant(STALLING);
            in_flight.take_new(&new, place, LaneClass::First).ok()
        })
        .collect();
    assert_eq!(of_one.len(), 1);
    assert!(arrive(&in_flight, STALLING + 1_000).is_some());
}
