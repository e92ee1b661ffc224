//! The last free places: who gets them when all are about to be taken.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::LaneClass;
use tokio::time::{Instant, advance};

use super::{due, limited, prove, route, tenant};
use crate::admission::{Admission, InFlight, Permit};
use crate::config::InFlightLimits;

const TOTAL: u32 = 1024;

/// Each of a tenant of its own.
fn take(in_flight: &Arc<InFlight>, ids: impl IntoIterator<Item = u32>) -> Vec<Permit> {
    let take = |id| in_flight.try_take(&route(id), tenant(id), LaneClass::First);
    ids.into_iter().filter_map(take).collect()
}

fn prove_all(in_flight: &Arc<InFlight>, ids: impl IntoIterator<Item = u32>) {
    ids.into_iter()
        .for_each(|id| prove(in_flight, &route(id), tenant(id)));
}

#[tokio::test(start_paused = true)]
async fn they_are_for_webhooks_that_responded_last() {
    let in_flight = limited(InFlightLimits::default()).in_flight;
    prove_all(&in_flight, 0..2 * TOTAL);
    advance(Duration::from_secs(120)).await;
    prove_all(&in_flight, 5_000..6_000);
    advance(Duration::from_secs(1)).await;
    prove_all(&in_flight, 9_000..9_020);
    advance(Duration::from_millis(100)).await;
    // Silent for two minutes: three quarters.
    let old = take(&in_flight, 0..2 * TOTAL);
    assert_eq!(old.len(), 769);
    // Silent for a second: all but a few.
    let newer = take(&in_flight, 5_000..6_000);
    assert!((210..230).contains(&newer.len()), "{}", newer.len());
    let newest = take(&in_flight, 9_000..9_020);
    assert_eq!(newest.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn where_enough_is_free_it_does_not_matter_when_a_webhook_responded() {
    let in_flight = limited(InFlightLimits::default()).in_flight;
    prove_all(&in_flight, [1, 2]);
    advance(Duration::from_secs(100_000)).await;
    // Half of all stalls, and was never known.
    let stalled = take(&in_flight, 10_000..20_000);
    assert_eq!(stalled.len(), 512);
    assert_eq!(take(&in_flight, [1, 2]).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_was_silent_for_long_is_tried_as_one_that_is_new() {
    let in_flight = limited(InFlightLimits::default()).in_flight;
    prove_all(&in_flight, 0..2 * TOTAL);
    advance(Duration::from_secs(120)).await;
    let busy = take(&in_flight, 0..2 * TOTAL);
    let id = 2 * TOTAL - 1;
    assert!(take(&in_flight, [id]).is_empty());
    let tried = in_flight.take_new(&route(id), tenant(id), LaneClass::First);
    assert!(tried.is_ok());
    drop(busy);
}

#[tokio::test(start_paused = true)]
async fn those_that_wait_because_of_it_are_sent_once_there_is_room() {
    let admission = limited(InFlightLimits::default().with_total(16));
    let Admission {
        lanes, in_flight, ..
    } = &admission;
    prove_all(in_flight, 0..100);
    advance(Duration::from_secs(120)).await;
    let mut permits = take(in_flight, 0..16);
    assert_eq!(permits.len(), 13);
    for id in 50..100 {
        lanes.ready(due(&route(id), tenant(id), LaneClass::First));
    }
    let mut sent = 0;
    while let Some(permit) = permits.pop() {
        while let Some(turn) = lanes.next(Instant::now()) {
            let id = u32::try_from(turn.due.lane.webhook.0).unwrap();
            match in_flight.take(&route(id), tenant(id), LaneClass::First) {
                Ok(more) => {
                    sent += 1;
                    permits.push(more);
                    turn.done();
                }
                Err(blocked) => in_flight.step_aside(turn, blocked),
            }
        }
        drop(permit);
    }
    assert_eq!(sent, 50);
}
