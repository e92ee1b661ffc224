//! State that continues across replays.

use gatepost_storage::webhooks::{DeliveryId, DeliveryState, Disposition, QueueClass, Settled};

use crate::fixtures::{at, claim, queued, settlement};
use crate::harness::Webhooks;

async fn replay(store: &Webhooks, id: DeliveryId, now: i64) -> u64 {
    store.log.replay(&[id], at(now)).await.unwrap()
}

/// A delivery may be replayed any number of times: its message id, bytes, row number and creation
/// time must stay, its attempts must continue to count, and its tries must start at zero each time,
/// in the queue of first attempts.
pub async fn l19_replays_go_on_counting(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let mut first = None;
    for round in 0..4_u32 {
        let now = i64::from(round) * 100;
        for (tries, last) in [(0_u32, false), (1, false), (2, true)] {
            let given = claim(&store, hook, now + i64::from(tries)).await;
            assert_eq!(given.len(), 1, "L19 round {round}");
            let one = &given[0];
            let found = (one.delivery.tries, one.delivery.attempts);
            let wanted = (tries, round * 3 + tries);
            assert_eq!(found, wanted, "L19 round {round}, try {tries}");
            let queue = if tries == 0 {
                QueueClass::First
            } else {
                QueueClass::Retry
            };
            assert_eq!(one.class, queue, "L19 queue");
            let is = &one.delivery;
            let is = (is.id, is.message_id.clone(), is.body.clone(), is.created);
            let was = first.get_or_insert_with(|| is.clone());
            assert_eq!(&is, was, "L19 the same");
            let due = at(now + i64::from(tries) + 1);
            let end = match (last, round % 2) {
                (false, _) => Disposition::Retry { due },
                (true, 0) => Disposition::Failed,
                (true, _) => Disposition::Sent,
            };
            let settled = vec![settlement(one, end)];
            let done = store.queue.settle(settled, due).await.unwrap();
            assert_eq!(done, [Settled::Done], "L19 settled");
        }
        let id = first.as_ref().unwrap().0;
        let row = store.log.delivery(id).await.unwrap().unwrap();
        let found = (row.state.is_final(), row.attempts, row.tries);
        assert_eq!(found, (true, round * 3 + 3, 3), "L19 ended");
        let logged = store.log.attempts(id, 99).await.unwrap();
        let logged: Vec<_> = logged.iter().map(|a| a.number).collect();
        let wanted: Vec<_> = (1..=round * 3 + 3).collect();
        assert_eq!(logged, wanted, "L19 numbers");
        assert_eq!(replay(&store, id, now + 100).await, 1, "L19 replayed");
        assert_eq!(replay(&store, id, now + 100).await, 0, "L19 once");
        let row = store.log.delivery(id).await.unwrap().unwrap();
        let found = (row.state, row.due, row.attempts, row.tries);
        let wanted = (DeliveryState::Queued, at(now + 100), round * 3 + 3, 0);
        assert_eq!(found, wanted, "L19 waits again");
    }
}
