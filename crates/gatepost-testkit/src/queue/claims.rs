//! The contents of a claim, and the handling of lost ones.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    Claim, Disposition, Enqueued, NewDelivery, QueueClass, Settled, Settlement,
};
use webhook_model::DeliveryOrder;

use crate::fixtures::{
    at, change, claim, direct, due_lanes, lane, message, place, queued, settlement, settlement_of,
    tenant,
};
use crate::harness::Webhooks;
use crate::world::{enqueue, set};

/// A token settles the deliveries that it was given for and no other, however it was given.
pub async fn q30_a_token_is_good_for_its_delivery_alone(store: Webhooks) {
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

/// A claim says the lane in which the delivery waited and the webhook's revision at that moment, a
/// due lane the owner, the realm and the revision.
pub async fn q31_a_claim_says_lane_and_revision(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let mine = set(&store, 1, "w").await;
    enqueue(&store, mine.webhook, &["a"]).await;
    change(&store, mine.webhook, |w| w.allow_insecure = true).await;
    let second = Revision::FIRST.next();
    let due = due_lanes(&store, 0).await;
    assert_eq!(due.len(), 1, "Q31 one lane");
    let found = (due[0].owner, due[0].place, due[0].revision, due[0].due);
    assert_eq!(found, (OwnerId(1), tenant(1), second, at(0)), "Q31 lane");
    let claimed = claim(&store, mine.webhook, 0).await;
    let found = (claimed[0].class, claimed[0].revision);
    assert_eq!(found, (QueueClass::First, second), "Q31 claim");
    let retry = settlement(&claimed[0], Disposition::Retry { due: at(1) });
    store.queue.settle(vec![retry], at(1)).await.unwrap();
    change(&store, mine.webhook, |w| w.allow_insecure = false).await;
    let claimed = claim(&store, mine.webhook, 1).await;
    let found = (claimed[0].class, claimed[0].revision);
    assert_eq!(found, (QueueClass::Retry, second.next()), "Q31 retry");
}

/// A delivery belongs to its webhook's owner and to the tenant in which that owner was then.
pub async fn q32_a_delivery_is_its_owners_and_its_tenants(store: Webhooks) {
    let mine = set(&store, 1, "w").await;
    let mut found = Vec::new();
    for (to, id) in [(None, "a"), (Some(tenant(1)), "b"), (Some(tenant(2)), "c")] {
        if let Some(to) = to {
            place(&store, 1, to).await;
        }
        let ids = enqueue(&store, mine.webhook, &[id]).await;
        let row = store.log.delivery(ids[0]).await.unwrap().unwrap();
        assert_eq!(row.owner, OwnerId(1), "Q32 owner");
        found.push(row.tenant);
    }
    let wanted = [None, Some(TenantId(1)), Some(TenantId(2))];
    assert_eq!(found, wanted, "Q32 tenant");
}

/// What lost a claim waits in a lane of its own, whether it had been tried before or not; a release
/// leaves it there, any other end of a claim takes it out, with an attempt or without.
pub async fn q33_what_lost_a_claim_waits_apart(store: Webhooks) {
    let hook = queued(&store, &["a", "b", "c"]).await;
    let lost = [lane(hook, QueueClass::Lost)];
    let claimed = claim(&store, hook, 0).await;
    let retry = settlement(&claimed[1], Disposition::Retry { due: at(1) });
    store.queue.settle(vec![retry], at(1)).await.unwrap();
    assert_eq!(claim(&store, hook, 1).await.len(), 1, "Q33 the retry");
    let back = store.queue.reclaim(9, at(20)).await.unwrap();
    assert_eq!((back.requeued, back.ended), (3, 0), "Q33 three are lost");
    let due = due_lanes(&store, 20).await;
    let due: Vec<_> = due.iter().map(|d| d.lane.class).collect();
    assert_eq!(due, [QueueClass::Lost], "Q33 in one lane");
    let others = [lane(hook, QueueClass::First), lane(hook, QueueClass::Retry)];
    let none = store.queue.claim(&others, at(30), at(20)).await.unwrap();
    assert!(none.is_empty(), "Q33 and in no other");

    let claimed = store.queue.claim(&lost, at(30), at(20)).await.unwrap();
    assert_eq!(claimed.len(), 3, "Q33 all");
    let released = settlement(&claimed[0], Disposition::Release { due: at(21) });
    let retried = settlement(&claimed[1], Disposition::Retry { due: at(21) });
    let untried = Settlement {
        attempt: None,
        ..settlement(&claimed[2], Disposition::Retry { due: at(21) })
    };
    let all = vec![released, retried, untried];
    store.queue.settle(all, at(21)).await.unwrap();
    let again = store.queue.claim(&lost, at(40), at(21)).await.unwrap();
    let again: Vec<_> = again.iter().map(|c| c.delivery.id).collect();
    assert_eq!(
        again,
        [claimed[0].delivery.id],
        "Q33 the one that was given back"
    );
    let others = claim(&store, hook, 21).await;
    let mut found: Vec<_> = others.iter().map(|c| (c.delivery.id, c.class)).collect();
    found.sort_unstable();
    let wanted = [
        (claimed[1].delivery.id, QueueClass::Retry),
        (claimed[2].delivery.id, QueueClass::First),
    ];
    assert_eq!(found, wanted, "Q33 the others");
}

/// A webhook in order waits for its oldest delivery also after that lost a claim.
pub async fn q34_in_order_waits_for_what_lost_a_claim(store: Webhooks) {
    let hook = queued(&store, &["a", "b"]).await;
    change(&store, hook, |w| w.order = DeliveryOrder::InOrder).await;
    assert_eq!(claim(&store, hook, 0).await.len(), 1, "Q34 the head");
    store.queue.reclaim(9, at(10)).await.unwrap();
    let others = [lane(hook, QueueClass::First), lane(hook, QueueClass::Retry)];
    let none = store.queue.claim(&others, at(30), at(11)).await.unwrap();
    assert!(none.is_empty(), "Q34 the next waits");
    let head = claim(&store, hook, 11).await;
    let ids: Vec<_> = head
        .iter()
        .map(|c| c.delivery.message_id.as_str())
        .collect();
    assert_eq!(ids, ["a"], "Q34 the head, alone");
    let sent = settlement(&head[0], Disposition::Sent);
    store.queue.settle(vec![sent], at(12)).await.unwrap();
    let next = claim(&store, hook, 12).await;
    let ids: Vec<_> = next
        .iter()
        .map(|c| c.delivery.message_id.as_str())
        .collect();
    assert_eq!(ids, ["b"], "Q34 the next");
}
