//! Lists of deliveries and their sums.

use gatepost_storage::webhooks::{DeliveryState, Disposition};

use crate::fixtures::{at, claim, end, queued, settlement};
use crate::harness::Webhooks;

/// Attempts must be kept completely and numbered from 1, oldest first; the row must sum up the last
/// one.
pub async fn l03_attempts_are_kept_and_numbered(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let retry = Disposition::Retry { due: at(5) };
    end(&store, hook, retry, 0).await;
    let claimed = claim(&store, hook, 5).await;
    let mut last = settlement(&claimed[0], Disposition::Failed);
    last.status_info = "503 Service Unavailable".to_owned();
    let attempt = last.attempt.as_mut().unwrap();
    attempt.started = at(6);
    attempt.status = Some(503);
    attempt.number = 77;
    attempt.remote = Some("[2001:db8::1]:443".parse().unwrap());
    attempt.protocol = Some("HTTP/2".to_owned());
    attempt.response_head = vec![0xff, 0, b'\r'];
    attempt.truncated = true;
    attempt.phases.tls = Some(std::time::Duration::from_micros(1234));
    let mut wanted = attempt.clone();
    wanted.number = 2;
    store.queue.settle(vec![last], at(6)).await.unwrap();
    let id = claimed[0].delivery.id;
    let kept = store.log.attempts(id, 99).await.unwrap();
    assert_eq!(
        kept.iter().map(|a| a.number).collect::<Vec<_>>(),
        [1, 2],
        "L3 numbers"
    );
    assert_eq!(kept[1], wanted, "L3 kept whole");
    let row = store.log.delivery(id).await.unwrap().unwrap();
    let summed = (
        row.state,
        row.attempts,
        row.response_status,
        row.last_attempt,
        row.duration,
    );
    let wanted = (
        DeliveryState::Error,
        2,
        Some(503),
        Some(at(6)),
        Some(wanted.duration),
    );
    assert_eq!(summed, wanted, "L3 summed up");
    assert_eq!(row.status_info, "503 Service Unavailable", "L3 in words");
}
