//! Every field of an attempt.

use gatepost_storage::webhooks::{AttemptRecord, Disposition};

use super::home::Home;
use crate::fields::{difference, of_attempt};
use crate::fixtures::{at, claim, queued, settlement};
use crate::harness::Webhooks;
use crate::outcome::Outcome;

/// Every field of an attempt is stored as it was settled, separately and exactly, except for its
/// number, which the store counts. Every read must return the same, also when the store is opened
/// again.
pub async fn f07_every_field_of_an_attempt_is_kept(home: Home) -> Outcome {
    let store = home.fresh().await;
    let hook = queued(&store, &["m"]).await;
    let mut rows: Vec<AttemptRecord> = Vec::new();
    let mut delivery = None;
    for (number, attempt) in attempts().into_iter().enumerate() {
        let claims = claim(&store, hook, 0).await;
        let claimed = claims.first().expect("F7 it is due immediately");
        let mut settlement = settlement(claimed, Disposition::Retry { due: at(0) });
        settlement.attempt = Some(attempt.clone());
        let settled = store.queue.settle(vec![settlement], at(1)).await;
        settled.expect("F7 an attempt is stored");
        delivery = Some(claimed.delivery.id);
        rows.push(AttemptRecord {
            number: u32::try_from(number + 1).unwrap(),
            ..attempt
        });
    }
    let delivery = delivery.expect("there are attempts");
    let is_kept = async |store: &Webhooks| {
        let found = store.log.attempts(delivery, 999).await.expect("F7 read");
        assert_eq!(found.len(), rows.len(), "F7 all are there");
        for (expected, found) in rows.iter().zip(&found) {
            if expected != found {
                let differs = difference(&of_attempt(expected), expected, found);
                panic!("F7 {}", differs.unwrap_or_default());
            }
        }
    };
    is_kept(&store).await;
    if let Some(store) = home.reopen(store).await {
        is_kept(&store).await;
    }
    Outcome::Held
}

/// Returns attempts that differ in one field.
fn attempts() -> Vec<AttemptRecord> {
    let base = AttemptRecord {
        number: 0,
        started: at(1),
        duration: std::time::Duration::from_millis(12),
        phases: gatepost_storage::webhooks::Phases::default(),
        class: "ok".to_owned(),
        info: "200 OK".to_owned(),
        status: Some(200),
        remote: Some("127.0.0.1:443".parse().unwrap()),
        protocol: Some("HTTP/1.1".to_owned()),
        request_head: b"POST https://a.example/in\r\n\r\n".to_vec(),
        response_head: b"content-length: 2".to_vec(),
        response_body: b"ok".to_vec(),
        truncated: false,
        kept: true,
    };
    let mut all = vec![base.clone()];
    for field in of_attempt(&base) {
        for value in field.values() {
            let mut attempt = base.clone();
            // Each attempt began at another time.
            attempt.started = at(100 + i64::try_from(all.len()).unwrap());
            field.copy(value, &mut attempt);
            all.push(attempt);
        }
    }
    all
}
