//! What is remembered of lanes is bounded: beyond that, lanes that wait are forgotten, and found
//! again when there is room.

use gatepost_ids::Place;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{DueLane, Lane, LaneClass};
use tokio::time::Instant;
use webhook_model::{OwnerId, WebhookId};

use crate::admission::board::MOST;
use crate::admission::lanes::Lanes;
use crate::admission::room::{Room, Wait};
use crate::testing::noon;

fn lane(webhook: usize) -> DueLane {
    DueLane {
        lane: Lane {
            webhook: WebhookId(webhook as i64),
            class: LaneClass::First,
        },
        due: noon(),
        owner: OwnerId(webhook as u128),
        place: Place::Common,
        revision: Revision::FIRST,
    }
}

fn known(lanes: &Lanes, among: usize) -> usize {
    (0..among).filter(|n| lanes.has(lane(*n).lane)).count()
}

#[tokio::test(start_paused = true)]
async fn beyond_the_bound_lanes_that_wait_make_room_and_are_asked_for_again_later() {
    let lanes = Lanes::new(0);
    lanes.take_look(noon());
    for n in 0..MOST {
        lanes.ready(lane(n));
        let turn = lanes.next(Instant::now()).unwrap();
        let room = Room::Webhook(turn.due.lane.webhook);
        turn.wait(Wait::Room(room));
    }
    assert_eq!(known(&lanes, MOST), MOST);
    for n in MOST..MOST + 100 {
        lanes.ready(lane(n));
        let turn = lanes.next(Instant::now()).unwrap();
        assert_eq!(turn.due, lane(n), "it has its turn at once");
        turn.done();
    }
    let left = known(&lanes, MOST);
    assert!(left < MOST && left > MOST * 9 / 10, "{left}");
    assert!(!lanes.take_look(noon()), "there is no room for them yet");
    for n in 0..MOST {
        lanes.freed(&[Room::Webhook(WebhookId(n as i64))]);
        if let Some(turn) = lanes.next(Instant::now()) {
            turn.done();
        }
    }
    assert!(lanes.inquiries.take_sweep());
}

#[tokio::test(start_paused = true)]
async fn lanes_that_are_ready_are_not_forgotten_for_others() {
    let lanes = Lanes::new(0);
    lanes.take_look(noon());
    (0..MOST + 10).for_each(|n| lanes.ready(lane(n)));
    assert_eq!(known(&lanes, MOST + 10), MOST);
    while let Some(turn) = lanes.next(Instant::now()) {
        turn.done();
    }
    assert!(lanes.inquiries.take_sweep());
}
