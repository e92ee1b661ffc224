//! The states of a delivery.

use super::*;
use crate::webhooks::Claim;

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 1_999).unwrap()
}

fn new() -> DeliveryRow {
    let new = NewDelivery {
        message_id: "msg_a".parse().unwrap(),
        webhook: webhook_model::WebhookId(5),
        task: None,
        cause: None,
        body: "{}".into(),
        due: at(0),
        lease_until: None,
    };
    DeliveryRow::enqueued(DeliveryId(1), new, (OwnerId(2), None), None, at(0))
}

fn end(row: &mut DeliveryRow, token: i64, disposition: Disposition) -> Result<(), Settled> {
    let settlement = Settlement {
        claim: Claim {
            delivery: row.delivery.id,
            token: ClaimToken(token),
        },
        disposition,
        status_info: "why".to_owned(),
        attempt: Some(AttemptRecord::fetched(at(1))),
        keep_message: false,
    };
    row.settle(settlement).map(drop)
}

#[test]
fn claim_token_settles_once_and_repetition_changes_nothing() {
    let mut row = new();
    row.claim(ClaimToken(7), at(9));
    let retry = Disposition::Retry { due: at(2) };
    assert_eq!(end(&mut row, 6, retry.clone()), Err(Settled::Stale));
    assert_eq!(end(&mut row, 7, retry.clone()), Ok(()));
    assert_eq!(row.queue().class, QueueClass::Retry);
    let before = row.clone();
    assert_eq!(end(&mut row, 7, Disposition::Sent), Err(Settled::Done));
    assert_eq!(row, before, "a repeated settlement changes nothing");
    let ways: [fn(&mut DeliveryRow); 3] = [
        |row| row.fail("cancelled"),
        |row| drop(row.fetch(true, at(3))),
        |row| row.replay(at(3)),
    ];
    for otherwise in ways {
        let mut row = before.clone();
        otherwise(&mut row);
        assert_eq!(end(&mut row, 7, retry.clone()), Err(Settled::Stale));
    }
}

#[test]
fn quarantined_delivery_ends_after_lost_claim_despite_release() {
    let mut row = new();
    let classes = [QueueClass::Lost, QueueClass::Lost, QueueClass::Quarantine];
    for ((token, lost), class) in [(1, 0), (2, 1), (3, 2)].into_iter().zip(classes) {
        row.claim(ClaimToken(token), at(9));
        assert_eq!(row.reclaim(at(10)), DeliveryState::Queued);
        assert_eq!(row.queue().class, class);
        assert_eq!(row.delivery.lost_claims, lost);
    }
    row.claim(ClaimToken(4), at(19));
    assert_eq!(
        end(&mut row, 4, Disposition::Release { due: at(11) }),
        Ok(())
    );
    assert_eq!(row.queue().class, QueueClass::Quarantine);
    row.claim(ClaimToken(5), at(29));
    assert_eq!(row.reclaim(at(30)), DeliveryState::Error);
    assert_eq!(row.delivery.status_info, EndReason::LostClaims.as_str());
}

#[test]
fn times_truncate_to_microseconds_and_replay_needs_message() {
    let mut row = new();
    row.claim(ClaimToken(1), at(9));
    let times = (row.delivery.created, row.delivery.lease_until);
    let cut = |second| DateTime::from_timestamp(second, 1_000);
    assert_eq!((Some(times.0), times.1), (cut(0), cut(9)));
    assert_eq!(end(&mut row, 1, Disposition::Failed), Ok(()));
    assert_eq!(
        (&*row.delivery.body, row.delivery.message_kept),
        ("", false)
    );
    assert!(!row.can_be_replayed());
    row.delivery.message_kept = true;
    assert!(row.can_be_replayed());
    let asked = IfWaiting::any(row.delivery.id);
    let changed = row.change_waiting(asked, &WaitingChange::Due, at(5));
    assert_eq!(changed, None, "it does not wait");
}
