//! Whose turn it is: no tenant waits for another's many lanes, and what steps aside comes back.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;
use gatepost_ids::Place;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{DueLane, Lane, LaneClass};
use proptest::prelude::*;
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use super::{MOMENT, due, finish, limited, route, tenant};
use crate::admission::lanes::Lanes;
use crate::admission::room::{Room, Wait};
use crate::admission::{Admission, Feedback};
use crate::config::{InFlightLimits, Limits};

const TENANTS: u32 = 6;

fn lane_of(place: Place, owner: u32, webhook: u32) -> DueLane {
    DueLane {
        lane: Lane {
            webhook: WebhookId(webhook.into()),
            class: LaneClass::First,
        },
        due: DateTime::UNIX_EPOCH,
        owner: OwnerId::from(owner),
        place,
        revision: Revision::FIRST,
    }
}

#[derive(Clone, Debug)]
enum Step {
    Add(u32),
    /// Its turn is used, and there is more.
    Serve,
    Done,
    /// It finds no room in one of three.
    Block(usize),
    Free(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..200u32).prop_map(Step::Add),
        8 => Just(Step::Serve),
        1 => Just(Step::Done),
        3 => (0..3usize).prop_map(Step::Block),
        3 => (0..3usize).prop_map(Step::Free),
    ];
    prop::collection::vec(step, 1..600)
}

/// The first tenant has most of the webhooks.
fn place_of(webhook: u32) -> Place {
    tenant(if webhook < 150 { 0 } else { webhook % TENANTS })
}

proptest! {
    #[test]
    fn a_tenant_that_has_a_lane_ready_gets_a_turn_before_any_other_gets_two(steps in steps()) {
        let lanes = Lanes::new(0);
        let room = |n: usize| Room::Owner(OwnerId(n as u128));
        // How many turns others got while the tenant had a lane ready.
        let mut waited: BTreeMap<Place, BTreeMap<Place, usize>> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for step in steps {
            let ready = lanes.ready_places();
            let turn = match step {
                Step::Add(webhook) => {
                    lanes.ready(lane_of(place_of(webhook), webhook % 10, webhook));
                    known.insert(WebhookId(webhook.into()));
                    None
                }
                Step::Free(n) => {
                    lanes.freed(&[room(n)]);
                    None
                }
                Step::Serve | Step::Done | Step::Block(_) => lanes.next(Instant::now()),
            };
            let Some(turn) = turn else { continue };
            let served = turn.due.place;
            waited.retain(|place, _| *place != served && ready.contains(place));
            for place in ready.into_iter().filter(|place| *place != served) {
                let by = waited.entry(place).or_default().entry(served).or_default();
                *by += 1;
                prop_assert!(*by <= 1, "{served} got two turns before {place} got one");
            }
            match step {
                Step::Block(n) => turn.wait(Wait::Room(room(n))),
                Step::Done => {
                    known.remove(&turn.due.lane.webhook);
                    turn.done();
                }
                _ => drop(turn),
            }
        }
        // Nothing was lost: whatever is not done gets a turn once there is room.
        for n in 0..3 {
            (0..200).for_each(|_| lanes.freed(&[room(n)]));
        }
        let turns = std::iter::from_fn(|| lanes.next(Instant::now()));
        let left: BTreeSet<WebhookId> = turns
            .map(|turn| {
                let webhook = turn.due.lane.webhook;
                turn.done();
                webhook
            })
            .collect();
        prop_assert_eq!(left, known);
    }
}

#[tokio::test]
async fn a_lane_made_ready_while_it_was_out_stays_and_one_that_was_not_is_gone() {
    let lanes = Lanes::new(0);
    let due = lane_of(Place::Common, 1, 1);
    lanes.ready(due);
    let turn = lanes.next(Instant::now()).unwrap();
    lanes.ready(due);
    turn.done();
    assert!(lanes.has(due.lane), "something was queued in between");
    lanes.next(Instant::now()).unwrap().done();
    assert!(!lanes.has(due.lane) && !lanes.has_ready());
}

#[tokio::test]
async fn what_a_dispatcher_that_panicked_had_is_ready_again() {
    let lanes = Lanes::new(0);
    lanes.ready(lane_of(Place::Common, 1, 1));
    std::mem::forget(lanes.next(Instant::now()).unwrap());
    assert!(lanes.next(Instant::now()).is_none());
    lanes.recover();
    assert!(lanes.next(Instant::now()).is_some());
}

#[tokio::test(start_paused = true)]
async fn room_that_becomes_free_between_the_look_and_the_step_aside_wakes_the_lane() {
    let Admission {
        lanes, in_flight, ..
    } = Admission::new(&Limits::default().with_in_flight(InFlightLimits::default().with_total(1)));
    let (one, two) = (route(1), route(2));
    let permit = in_flight.try_take(&one, tenant(1), LaneClass::First);
    lanes.ready(due(&two, tenant(2), LaneClass::First));
    let turn = lanes.next(Instant::now()).unwrap();
    let blocked = in_flight
        .take(&two, tenant(2), LaneClass::First)
        .unwrap_err();
    drop(permit);
    in_flight.step_aside(turn, blocked);
    assert!(lanes.has_ready());

    let turn = lanes.next(Instant::now()).unwrap();
    let permit = in_flight.try_take(&one, tenant(1), LaneClass::First);
    let blocked = in_flight
        .take(&two, tenant(2), LaneClass::First)
        .unwrap_err();
    in_flight.step_aside(turn, blocked);
    assert!(!lanes.has_ready(), "there is still no room");
    drop(permit);
    assert!(lanes.has_ready());
}

#[tokio::test(start_paused = true)]
async fn who_is_woken_and_needs_no_room_passes_it_on() {
    let lanes = Lanes::new(0);
    let room = Room::Retries;
    for n in 1..=3 {
        lanes.ready(lane_of(tenant(n), n, n));
        let turn = lanes.next(Instant::now()).unwrap();
        turn.wait(Wait::Room(room.clone()));
    }
    lanes.freed(&[room]);
    let first = lanes.next(Instant::now()).unwrap();
    assert!(lanes.next(Instant::now()).is_none(), "one for one");
    first.done();
    let second = lanes.next(Instant::now()).unwrap();
    second.wait(Wait::Until(Instant::now() + MOMENT));
    let third = lanes.next(Instant::now()).unwrap();
    drop(third);
    tokio::time::advance(MOMENT).await;
    assert!(lanes.next(Instant::now()).is_some());
}

/// Lanes of as many tenants that wait for this.
fn waiting_for(room: &Wait, count: u32) -> std::sync::Arc<Lanes> {
    let lanes = Lanes::new(0);
    for n in 1..=count {
        lanes.ready(lane_of(tenant(n), n, n));
        lanes.next(Instant::now()).unwrap().wait(room.clone());
    }
    lanes
}

#[tokio::test(start_paused = true)]
async fn room_is_offered_on_until_somebody_finds_none() {
    let room = Wait::Room(Room::Weak);
    let lanes = waiting_for(&room, 10);
    lanes.freed(&[Room::Weak]);
    for _ in 0..4 {
        drop(lanes.next(Instant::now()).unwrap()); // It got what it wanted, and has more.
    }
    let mut full = 0;
    while let Some(turn) = lanes.next(Instant::now()) {
        turn.wait(room.clone());
        full += 1;
    }
    assert_eq!(
        full, 5,
        "four with more, and the one that was woken by the last of them"
    );
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_something_wider_offers_it_to_a_few_others_and_then_keeps_it() {
    let retries = Wait::Room(Room::Retries);
    let lanes = waiting_for(&retries, 100);
    lanes.freed(&[Room::Retries]);
    let mut looked_at = 0;
    while let Some(turn) = lanes.next(Instant::now()) {
        turn.wait(Wait::Room(Room::Weak));
        looked_at += 1;
    }
    assert_eq!(looked_at, 17);
    lanes.freed(&[Room::Weak]);
    let mut order = Vec::new();
    while let Some(turn) = lanes.next(Instant::now()) {
        order.push(turn.due.lane.webhook.0);
        turn.done();
    }
    let expected: Vec<i64> = (1..=100).collect();
    assert_eq!(
        order, expected,
        "once the 17th is through, the others are notified"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_free_for_one_tenant_is_kept_by_its_lane_that_waits_for_all() {
    let mine = Wait::Room(Room::Owner(OwnerId(1)));
    let lanes = waiting_for(&mine, 3);
    lanes.freed(&[Room::Owner(OwnerId(1))]);
    lanes
        .next(Instant::now())
        .unwrap()
        .wait(Wait::Room(Room::All));
    assert!(!lanes.has_ready(), "the others would wait for all, too");
    lanes.freed(&[Room::All]);
    drop(lanes.next(Instant::now()).unwrap());
    let left = std::iter::from_fn(|| lanes.next(Instant::now()).map(crate::admission::Turn::done));
    assert_eq!(left.count(), 3, "itself, and one after the other");
}

#[tokio::test(start_paused = true)]
async fn what_is_free_for_one_tenant_passes_all_that_are_sent_alone_and_a_few_retries() {
    let mine = Room::Owner(OwnerId(1));
    for (of_class, expected) in [(Room::Alone, 100), (Room::Retries, 17)] {
        let lanes = waiting_for(&Wait::Room(mine.clone()), 100);
        lanes.freed(std::slice::from_ref(&mine));
        let mut looked_at = 0;
        while let Some(turn) = lanes.next(Instant::now()) {
            turn.wait(Wait::Room(of_class.clone()));
            looked_at += 1;
        }
        assert_eq!(looked_at, expected, "{of_class:?}");
    }
}

/// Else its room stays empty for as long as another tenant's request hangs.
#[tokio::test(start_paused = true)]
async fn who_waits_for_others_of_its_class_leaves_the_room_of_its_tenant_to_what_need_not() {
    for class in [LaneClass::Alone, LaneClass::Retry] {
        let limits = InFlightLimits::default().with_per_tenant(1);
        let limits = limits.with_retry_percent(0); // One at a time, then.
        let Admission {
            lanes, in_flight, ..
        } = limited(limits);
        let pass = || {
            let mut permits = Vec::new();
            while let Some(turn) = lanes.next(Instant::now()) {
                let Lane { webhook, class } = turn.due.lane;
                let route = route(webhook.0.try_into().unwrap());
                match in_flight.take(&route, tenant(1), class) {
                    Err(blocked) => in_flight.step_aside(turn, blocked),
                    Ok(permit) => {
                        permits.push(permit);
                        turn.done();
                    }
                }
            }
            permits
        };
        let hangs = in_flight.try_take(&route(4), tenant(2), class);
        let own = in_flight.try_take(&route(3), tenant(1), LaneClass::First);
        assert!(hangs.is_some() && own.is_some());
        lanes.ready(due(&route(1), tenant(1), class));
        lanes.ready(due(&route(2), tenant(1), LaneClass::First));
        assert!(pass().is_empty());
        drop(own);
        let permits = pass();
        let sent: Vec<_> = permits.iter().map(|permit| permit.route().id).collect();
        assert_eq!(sent, [WebhookId(2)], "{class:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_proves_itself_or_is_edited_waits_no_longer_for_what_is_not_its_matter() {
    let Admission {
        lanes, in_flight, ..
    } = Admission::new(&Limits::default());
    let webhook = route(1);
    let permit = in_flight.try_take(&webhook, tenant(1), LaneClass::First);
    let waiting = due(&webhook, tenant(1), LaneClass::First);
    let wait = || {
        lanes.ready(waiting);
        lanes
            .next(Instant::now())
            .unwrap()
            .wait(Wait::Room(Room::Slow));
        assert!(!lanes.has_ready());
    };
    wait();
    finish(permit, Feedback::Received);
    assert!(lanes.has_ready());
    wait();
    lanes.ready(DueLane {
        revision: Revision::FIRST.next(),
        ..waiting
    });
    assert!(lanes.has_ready());
    assert_eq!(
        lanes.next(Instant::now()).unwrap().due.revision,
        Revision(2)
    );
}

fn after(lanes: &std::sync::Arc<Lanes>, due: &DueLane) -> usize {
    let may = |_: &usize| lanes.may_send(due, Instant::now()).is_ok();
    (0..1000).take_while(may).count()
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_rests_sends_nothing_until_then() {
    let lanes = Lanes::new(0);
    let (mine, others) = (lane_of(Place::Common, 1, 1), lane_of(Place::Common, 2, 2));
    lanes.rest(OwnerId(1), Instant::now() + MOMENT);
    assert_eq!((after(&lanes, &mine), after(&lanes, &others)), (0, 1000));
    tokio::time::advance(MOMENT).await;
    assert_eq!(after(&lanes, &mine), 1000);
}
