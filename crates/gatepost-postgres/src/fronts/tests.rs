use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{Lane, LaneClass};
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::front::Front;
use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn lane(webhook: i64) -> Lane {
    Lane {
        webhook: WebhookId(webhook),
        class: LaneClass::First,
    }
}

/// Claims some of lane 1, the last of them due then, at second 1000.
fn claim(fronts: &Fronts, most: i64, count: i64, due: i64) -> Option<DateTime<Utc>> {
    let claiming = fronts.claim(vec![(lane(1), most)]);
    let since = claiming.since[0];
    claiming.end((0..count).map(|_| (lane(1), at(due))), at(1_000));
    since
}

/// Where the next claim of lane 1 begins, in milliseconds.
fn next(fronts: &Fronts) -> Option<i64> {
    let since = claim(fronts, 1, 0, 0)?;
    Some((since - DateTime::UNIX_EPOCH).num_milliseconds())
}

/// From a busy lane a full claim was made, up to second 500.
fn busy() -> Fronts {
    let fronts = Fronts::default();
    claim(&fronts, 200, 200, 500);
    fronts
}

#[test]
fn a_claim_begins_where_the_last_one_ended_and_a_look_only_once_the_lane_is_busy() {
    let fronts = Fronts::default();
    let look = || fronts.of(&[lane(1)]).0[0];
    assert_eq!(claim(&fronts, 40, 40, 500), None);
    assert_eq!(next(&fronts), Some(499_900));
    claim(&fronts, 40, 40, 500);
    assert_eq!(look(), None);
    claim(&fronts, 60, 60, 500);
    assert!(look().is_some());
}

#[test]
fn what_others_queue_is_looked_for_at_the_front_of_a_lane_that_is_not_busy() {
    let fronts = Fronts::default();
    claim(&fronts, 40, 40, 500);
    fronts.heard(&[lane(1)]);
    assert_eq!(claim(&fronts, 100, 100, 600), None);
    fronts.heard(&[lane(1)]);
    assert_eq!(next(&fronts), Some(599_900));
}

#[test]
fn a_claim_that_took_all_there_was_leads_to_its_own_time() {
    let fronts = busy();
    claim(&fronts, 16, 3, 501);
    assert_eq!(next(&fronts), Some(999_900));
}

#[test]
fn one_that_took_nothing_says_nothing() {
    let fronts = busy();
    claim(&fronts, 16, 0, 0);
    assert_eq!(next(&fronts), Some(499_900));
}

#[test]
fn what_is_queued_here_or_found_leads_back() {
    let fronts = busy();
    fronts.queued([(lane(1), at(7)), (lane(2), at(3))]);
    assert_eq!(next(&fronts), Some(7_000));
    fronts.queued_somewhere(at(5));
    assert_eq!(next(&fronts), Some(5_000));
}

#[test]
fn what_is_queued_while_a_claim_is_under_way_is_not_passed_over() {
    let fronts = busy();
    let first = fronts.claim(vec![(lane(1), 2)]);
    fronts.queued([(lane(1), at(600))]);
    first.end([(lane(1), at(700)), (lane(1), at(701))], at(1_000));
    assert_eq!(next(&fronts), Some(600_000));
    // One that began behind it does not pass over it either.
    let second = fronts.claim(vec![(lane(1), 1)]);
    fronts.queued([(lane(1), at(400))]);
    second.end([(lane(1), at(702))], at(1_000));
    assert_eq!(next(&fronts), Some(400_000));
}

#[test]
fn a_claim_that_failed_leads_back_to_the_front() {
    let fronts = busy();
    drop(fronts.claim(vec![(lane(1), 2)]));
    assert_eq!(next(&fronts), None);
}

#[test]
fn a_busy_lane_is_looked_at_as_a_whole_now_and_then() {
    let began = Instant::now();
    let mut front = Front::new(began);
    front.begin();
    front.end(200, None, at(500));
    assert!(!front.is_stale(began));
    let later = began + Duration::from_secs(1);
    assert!(front.is_stale(later));
    front.looked(later);
    assert!(!front.is_stale(later));
    // What it finds leads back.
    front.begin();
    front.end(1, None, at(300));
    assert!(front.since().unwrap() < at(300));
}

#[tokio::test(start_paused = true)]
async fn looks_at_whole_lanes_take_a_tenth_of_the_time_however_many_are_busy() {
    let fronts = Fronts::default();
    let lanes: Vec<_> = (0..100).map(|n| (lane(n), 200)).collect();
    let all = lanes
        .iter()
        .flat_map(|(lane, _)| vec![(*lane, at(500)); 200]);
    fronts.claim(lanes.clone()).end(all, at(1_000));
    let mut looks = 0;
    for _ in 0..1_000 {
        let claiming = fronts.claim(lanes.clone());
        let wholes = claiming
            .since
            .iter()
            .filter(|since| since.is_none())
            .count();
        assert!(wholes <= 1, "one of a claim");
        looks += wholes;
        tokio::time::advance(Duration::from_millis(10)).await;
        claiming.end([], at(1_000));
    }
    assert!(
        (50..=100).contains(&looks),
        "{looks} looks of 10 ms in 10 s"
    );
}

#[test]
fn no_more_lanes_are_remembered_than_there_is_room_for() {
    let fronts = busy();
    for webhook in 2..10_000 {
        let claiming = fronts.claim(vec![(lane(webhook), 1)]);
        claiming.end([], at(1_000));
    }
    assert!(fronts.lock().lanes.len() <= MOST);
    assert_eq!(next(&fronts), Some(499_900), "the busy one is");
}
