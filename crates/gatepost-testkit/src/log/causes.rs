//! The cause of a delivery, and the request that was sent for it.

use gatepost_storage::webhooks::{Cause, Disposition, NewDelivery};
use webhook_model::{ObjectId, OwnerId};

use super::look::{all, number};
use crate::fixtures::{at, claim, direct, excerpt, message, queued, settlement, trace};
use crate::harness::Webhooks;

/// A delivery must return its cause with trace and data by number, in lists, when it is claimed,
/// and after it has ended; one that was sent manually must have none.
pub async fn l33_a_delivery_names_its_cause(store: Webhooks) {
    let hook = queued(&store, &["by-hand"]).await;
    let cause = Cause {
        event_type: "vms".parse().unwrap(),
        event: "poweron".parse().unwrap(),
        object: Some(ObjectId::from(3)),
        by: Some(OwnerId(7)),
        occurrence: Some("order=4711;~".parse().unwrap()),
        trace: Some(trace()),
        data: Some(excerpt()),
    };
    let new = NewDelivery {
        cause: Some(cause.clone()),
        ..message(hook, "caused", at(0))
    };
    store.queue.enqueue(direct(vec![new]), at(0)).await.unwrap();
    let wanted = [None, Some(cause)];
    let ids = [
        number(&store, "by-hand").await,
        number(&store, "caused").await,
    ];
    let claimed = claim(&store, hook, 1).await;
    let causes = claimed.iter().map(|claimed| claimed.delivery.cause.clone());
    assert_eq!(causes.collect::<Vec<_>>(), wanted, "L33 claimed");
    let sent = claimed.iter().map(|one| settlement(one, Disposition::Sent));
    store.queue.settle(sent.collect(), at(2)).await.unwrap();
    let rows = store.log.list_deliveries(&all()).await.unwrap();
    let listed: Vec<_> = rows.into_iter().map(|row| row.cause).collect();
    assert_eq!(listed, wanted, "L33 listed");
    for (id, wanted) in ids.into_iter().zip(wanted) {
        let row = store.log.delivery(id).await.unwrap().unwrap();
        assert_eq!(row.cause, wanted, "L33 by number");
    }
}

/// The head of a request must be kept byte for byte with its attempt; if none was kept, there must
/// be none.
pub async fn l34_the_head_of_a_request_is_kept(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let id = number(&store, "a").await;
    let heads: [&[u8]; 3] = [
        b"POST https://a.example/ HTTP/1.1\r\nA: \xff\r\n",
        b"",
        b"P",
    ];
    for (head, now) in heads.into_iter().zip(0..) {
        let claimed = claim(&store, hook, now).await;
        let due = at(now + 1);
        let mut settled = settlement(&claimed[0], Disposition::Retry { due });
        let attempt = settled.attempt.as_mut().unwrap();
        attempt.request_head = head.to_vec();
        store.queue.settle(vec![settled], due).await.unwrap();
    }
    let kept = store.log.attempts(id, 99).await.unwrap();
    let kept: Vec<_> = kept.into_iter().map(|a| a.request_head).collect();
    assert_eq!(kept, heads, "L34");
    let last = store.log.attempts(id, 1).await.unwrap().remove(0);
    assert_eq!(last.request_head, b"P", "L34 last");
}
