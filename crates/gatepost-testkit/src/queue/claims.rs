//! The contents of a claim, and the handling of lost ones.

use gatepost_storage::webhooks::{Claim, Disposition, Enqueued, NewDelivery, Settled};

use crate::fixtures::{at, claim, direct, message, queued, settlement_of};
use crate::harness::Webhooks;

/// A token must settle the deliveries for which it was given and no others, however it was given.
pub async fn q30_a_token_is_valid_only_for_its_delivery(store: Webhooks) {
    let hook = queued(&store, &["a", "b"]).await;
    let claimed = claim(&store, hook, 0).await;
    let leased = ["c", "d"].map(|id| NewDelivery {
        lease_until: Some(at(10)),
        ..message(hook, id, at(0))
    });
    let stored = store.queue.enqueue(direct(leased.to_vec()), at(0)).await;
    let Enqueued::Stored { deliveries, .. } = stored.unwrap() else {
        panic!("Q30 not stored");
    };
    let mut claims: Vec<Claim> = claimed
        .iter()
        .map(|c| Claim {
            delivery: c.delivery.id,
            token: c.token,
        })
        .collect();
    claims.extend(deliveries.iter().map(|stored| Claim {
        delivery: stored.id,
        token: stored.token.unwrap(),
    }));
    assert_eq!(claims.len(), 4, "Q30 four are being sent");
    let settle = async |claim| {
        let settled = vec![settlement_of(claim, Disposition::Sent)];
        store.queue.settle(settled, at(1)).await.unwrap()[0]
    };
    for own in &claims {
        for other in claims.iter().filter(|other| other.token != own.token) {
            let wrong = Claim {
                token: own.token,
                ..*other
            };
            assert_eq!(settle(wrong).await, Settled::Stale, "Q30 {wrong:?}");
        }
    }
    for own in claims {
        assert_eq!(settle(own).await, Settled::Done, "Q30 its own");
    }
}
