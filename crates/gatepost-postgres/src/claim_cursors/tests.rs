use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{QueueClass, WebhookQueue};
use webhook_model::WebhookId;

use super::*;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn queue(webhook: i64) -> WebhookQueue {
    WebhookQueue {
        webhook: WebhookId(webhook),
        class: QueueClass::First,
    }
}

/// Claims `count` deliveries of queue 1, the last of them due at `due`, at second 1000.
fn claim(fronts: &Fronts, most: i64, count: i64, due: i64) -> Option<DateTime<Utc>> {
    let claiming = fronts.claim(vec![(queue(1), most)]);
    let since = claiming.since[0];
    claiming.end((0..count).map(|_| (queue(1), at(due))), at(1_000));
    since
}

/// Returns the start of the next claim from queue 1, in milliseconds.
fn next(fronts: &Fronts) -> Option<i64> {
    let since = claim(fronts, 1, 0, 0)?;
    Some((since - DateTime::UNIX_EPOCH).num_milliseconds())
}

/// Returns cursors after a full claim from queue 1, up to second 500.
fn claimed() -> Fronts {
    let fronts = Fronts::default();
    claim(&fronts, 200, 200, 500);
    fronts
}

#[test]
fn a_claim_begins_where_the_last_one_ended() {
    let fronts = Fronts::default();
    assert_eq!(claim(&fronts, 1, 1, 500), None);
    assert_eq!(next(&fronts), Some(499_900));
}

#[test]
fn notification_of_other_process_resets_claim_cursor() {
    let fronts = claimed();
    fronts.heard(&[queue(1), queue(2)]);
    let under_way = fronts.claim(vec![(queue(1), 2)]);
    assert_eq!(under_way.since, [None]);
    fronts.heard(&[queue(1)]);
    under_way.end([(queue(1), at(600))], at(1_000));
    assert_eq!(claim(&fronts, 1, 1, 600), None, "notified during the claim");
    assert_eq!(next(&fronts), Some(599_900));
}

#[test]
fn claim_below_limit_advances_cursor_to_claim_time() {
    let fronts = claimed();
    claim(&fronts, 16, 3, 501);
    assert_eq!(next(&fronts), Some(999_900));
}

#[test]
fn one_that_took_nothing_says_nothing() {
    let fronts = claimed();
    claim(&fronts, 16, 0, 0);
    assert_eq!(next(&fronts), Some(499_900));
}

#[test]
fn queued_deliveries_move_claim_cursor_back() {
    let fronts = claimed();
    fronts.queued([(queue(1), at(7)), (queue(2), at(3))]);
    assert_eq!(next(&fronts), Some(7_000));
    fronts.queued_somewhere(at(5));
    assert_eq!(next(&fronts), Some(5_000));
}

#[test]
fn delivery_queued_during_claim_is_not_skipped() {
    let fronts = claimed();
    let first = fronts.claim(vec![(queue(1), 2)]);
    fronts.queued([(queue(1), at(600))]);
    first.end([(queue(1), at(700)), (queue(1), at(701))], at(1_000));
    assert_eq!(next(&fronts), Some(600_000));
    // A claim that began behind it does not skip it either.
    let second = fronts.claim(vec![(queue(1), 1)]);
    fronts.queued([(queue(1), at(400))]);
    second.end([(queue(1), at(702))], at(1_000));
    assert_eq!(next(&fronts), Some(400_000));
}

#[test]
fn failed_claim_resets_claim_cursor() {
    let fronts = claimed();
    drop(fronts.claim(vec![(queue(1), 2)]));
    assert_eq!(next(&fronts), None);
}

#[test]
fn remembered_queues_stay_within_their_limit() {
    let fronts = claimed();
    for webhook in 2..10_000 {
        let claiming = fronts.claim(vec![(queue(webhook), 1)]);
        claiming.end([], at(1_000));
    }
    assert!(fronts.lock().len() <= MOST);
}
