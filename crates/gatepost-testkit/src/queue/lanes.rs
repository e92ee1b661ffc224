//! The time at which a delivery is claimed, and the ends of a claim.

use chrono::TimeDelta;
use gatepost_storage::webhooks::{
    Cascade, Claimed, Delivery, DeliveryState, Disposition, QueueClass, Queues, Settled,
};
use webhook_model::{Activity, DeliveryOrder};

use super::look::names;
use crate::fixtures::{
    START, UNLIMITED, at, change, claim, direct, due_lanes, lane, message, queued, settlement,
    webhook,
};
use crate::harness::Webhooks;

async fn stored(store: &Webhooks, claimed: &Claimed) -> Delivery {
    let delivery = store.log.delivery(claimed.delivery.id).await.unwrap();
    delivery.unwrap()
}

async fn settle(
    store: &Webhooks,
    claimed: &Claimed,
    disposition: Disposition,
    now: i64,
) -> Settled {
    let all = vec![settlement(claimed, disposition)];
    store.queue.settle(all, at(now)).await.unwrap()[0]
}

/// A delivery is claimable at its due time and not a microsecond before.
pub async fn q01_due_is_inclusive(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let lanes = [lane(hook, QueueClass::First)];
    let early = at(0) - TimeDelta::microseconds(1);
    assert!(
        store
            .queue
            .claim(&lanes, at(9), early)
            .await
            .unwrap()
            .is_empty(),
        "Q1 early"
    );
    assert_eq!(
        names(&claim(&store, hook, 0).await),
        ["a"],
        "Q1 at its time"
    );
}

/// A lane gives its deliveries by due time, then by row number.
pub async fn q02_the_oldest_due_comes_first(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let due = [("late", 3), ("first", 1), ("second", 1)];
    let batch = due.map(|(id, due)| message(hook, id, at(due))).to_vec();
    store.queue.enqueue(direct(batch), at(0)).await.unwrap();
    assert_eq!(
        names(&claim(&store, hook, 5).await),
        ["first", "second", "late"],
        "Q2"
    );
}

/// Of sixteen that claim at once, one gets the delivery.
pub async fn q03_no_delivery_is_given_to_two(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let racers: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { claim(&store, hook, 0).await.len() })
        })
        .collect();
    let mut given = 0;
    for racer in racers {
        given += racer.await.unwrap();
    }
    assert_eq!(given, 1, "Q3");
}

/// A lease is not reclaimed before its end; at its end it is, and no attempt is counted.
pub async fn q04_a_lease_holds_until_its_end(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let claimed = claim(&store, hook, 0).await;
    assert_eq!(
        store.queue.reclaim(9, at(9)).await.unwrap().requeued,
        0,
        "Q4 early"
    );
    assert_eq!(
        store.queue.reclaim(9, at(10)).await.unwrap().requeued,
        1,
        "Q4 at its end"
    );
    let row = stored(&store, &claimed[0]).await;
    let found = (row.state, row.attempts, row.lost_claims);
    assert_eq!(found, (DeliveryState::Queued, 0, 0), "Q4");
}

/// A token from before a reclaim settles nothing.
pub async fn q05_an_old_token_settles_nothing(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let old = claim(&store, hook, 0).await;
    store.queue.reclaim(9, at(10)).await.unwrap();
    assert_eq!(
        settle(&store, &old[0], Disposition::Sent, 11).await,
        Settled::Stale,
        "Q5 reclaimed"
    );
    let new = claim(&store, hook, 11).await;
    assert_eq!(
        settle(&store, &old[0], Disposition::Sent, 12).await,
        Settled::Stale,
        "Q5 claimed again"
    );
    assert_eq!(
        stored(&store, &new[0]).await.state,
        DeliveryState::Running,
        "Q5 unchanged"
    );
}

/// A settlement that is repeated is `Done` again and logged once.
pub async fn q06_a_repeated_settlement_is_done_once(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let claimed = claim(&store, hook, 0).await;
    for _ in 0..2 {
        assert_eq!(
            settle(&store, &claimed[0], Disposition::Sent, 1).await,
            Settled::Done,
            "Q6"
        );
    }
    let attempts = store
        .log
        .attempts(claimed[0].delivery.id, 99)
        .await
        .unwrap();
    assert_eq!(
        attempts.iter().map(|a| a.number).collect::<Vec<_>>(),
        [1],
        "Q6 logged once"
    );
    assert_eq!(
        stored(&store, &claimed[0]).await.state,
        DeliveryState::Sent,
        "Q6 sent"
    );
}

/// A retry counts its attempt and waits, until it is due, in the lane of retries.
pub async fn q07_a_retry_keeps_count_in_its_own_lane(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let claimed = claim(&store, hook, 0).await;
    settle(&store, &claimed[0], Disposition::Retry { due: at(5) }, 1).await;
    let row = stored(&store, &claimed[0]).await;
    assert_eq!((row.attempts, row.due), (1, at(5)), "Q7");
    let first = [lane(hook, QueueClass::First)];
    assert!(
        store
            .queue
            .claim(&first, at(9), at(5))
            .await
            .unwrap()
            .is_empty(),
        "Q7 first"
    );
    let retry = [lane(hook, QueueClass::Retry)];
    assert_eq!(
        store.queue.claim(&retry, at(9), at(5)).await.unwrap().len(),
        1,
        "Q7 retry"
    );
}

/// A delivery that is released is queued again with no attempt counted.
pub async fn q08_a_release_counts_no_attempt(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let claimed = claim(&store, hook, 0).await;
    settle(&store, &claimed[0], Disposition::Release { due: at(5) }, 1).await;
    let row = stored(&store, &claimed[0]).await;
    let found = (row.state, row.attempts, row.due);
    assert_eq!(found, (DeliveryState::Queued, 0, at(5)), "Q8");
}

/// A delivery ends in `error` after three lost claims; the first loss does not count, and puts it
/// into the lane of those that lost one. For the last it is claimed alone.
pub async fn q09_lost_claims_end_a_delivery(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    for lost in 0..=Delivery::MAX_LOST_CLAIMS {
        let now = i64::from(lost) * 20;
        let claimed = claim(&store, hook, now).await;
        assert_eq!(claimed.len(), 1, "Q9 claim {lost}");
        let class = match lost {
            0 => QueueClass::First,
            Delivery::MAX_LOST_CLAIMS => QueueClass::Quarantine,
            _ => QueueClass::Lost,
        };
        assert_eq!(claimed[0].class, class, "Q9 lane of claim {lost}");
        let reclaimed = store.queue.reclaim(9, at(now + 10)).await.unwrap();
        let last = lost == Delivery::MAX_LOST_CLAIMS;
        assert_eq!(reclaimed.ended, u64::from(last), "Q9 loss {lost}");
        assert_eq!(reclaimed.requeued, u64::from(!last), "Q9 loss {lost}");
        let row = stored(&store, &claimed[0]).await;
        let ended = row.state == DeliveryState::Error;
        assert_eq!(
            (ended, row.lost_claims),
            (last, lost),
            "Q9 after loss {lost}"
        );
    }
}

/// The deliveries of a paused webhook wait until it is active again.
pub async fn q14_a_paused_webhook_is_not_claimed(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    change(&store, hook, |w| w.activity = Activity::Paused).await;
    assert!(claim(&store, hook, 1).await.is_empty(), "Q14 paused");
    assert!(due_lanes(&store, 1).await.is_empty(), "Q14 lanes");
    change(&store, hook, |w| w.activity = Activity::Active).await;
    assert_eq!(claim(&store, hook, 2).await.len(), 1, "Q14 resumed");
}

/// A webhook in order gives only its oldest open delivery, even while that waits for a retry.
pub async fn q15_in_order_gives_the_head_alone(store: Webhooks) {
    let hook = queued(&store, &["a", "b"]).await;
    change(&store, hook, |w| w.order = DeliveryOrder::InOrder).await;
    let head = claim(&store, hook, 0).await;
    assert_eq!(names(&head), ["a"], "Q15 the head");
    assert!(claim(&store, hook, 1).await.is_empty(), "Q15 while it runs");
    settle(&store, &head[0], Disposition::Retry { due: at(5) }, 2).await;
    assert!(
        claim(&store, hook, 3).await.is_empty(),
        "Q15 while it waits"
    );
    let head = claim(&store, hook, 5).await;
    assert_eq!(names(&head), ["a"], "Q15 the retry");
    settle(&store, &head[0], Disposition::Sent, 6).await;
    assert_eq!(names(&claim(&store, hook, 6).await), ["b"], "Q15 the next");
}

/// A settlement after the end of the lease counts as long as it has not been reclaimed.
pub async fn q16_a_late_settlement_counts_until_reclaimed(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let claimed = claim(&store, hook, 0).await;
    assert_eq!(
        settle(&store, &claimed[0], Disposition::Sent, 60).await,
        Settled::Done,
        "Q16"
    );
}

/// The lanes with work come in order, in pages.
pub async fn q17_due_lanes_come_in_pages(store: Webhooks) {
    let mut hooks = Vec::new();
    for name in ["x", "y", "z"] {
        let row = store
            .records
            .insert_webhook(&webhook(name), UNLIMITED, at(0))
            .await
            .unwrap();
        let batch = direct(vec![message(row.id, name, at(0))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
        hooks.push(row.id);
    }
    let asked = async |which| store.queue.queues(which, 2, at(0)).await.unwrap();
    let first = asked(Queues::Due(START)).await;
    let rest = asked(first.more.expect("Q17 there is more")).await;
    let found = first.due.iter().chain(&rest.due);
    let found: Vec<_> = found.map(|due| due.lane.webhook).collect();
    assert_eq!(found, hooks, "Q17");
}

/// The next due time is the earliest one after now.
pub async fn q18_next_due_lies_after_now(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let batch = vec![message(hook, "b", at(9)), message(hook, "c", at(5))];
    store.queue.enqueue(direct(batch), at(0)).await.unwrap();
    assert_eq!(
        store.queue.next_due(at(0)).await.unwrap(),
        Some(at(5)),
        "Q18"
    );
    assert_eq!(
        store.queue.next_due(at(9)).await.unwrap(),
        None,
        "Q18 none later"
    );
}

/// A delivery that is being sent goes with its webhook, and no settlement brings it back.
pub async fn q21_a_deleted_webhook_takes_along_what_is_being_sent(store: Webhooks) {
    let hook = queued(&store, &["a", "b", "c"]).await;
    let claimed = claim(&store, hook, 0).await;
    let deleted = store.records.delete_webhook(hook, Cascade::Refuse, at(1));
    deleted.await.unwrap();
    let ends = [
        Disposition::Sent,
        Disposition::Failed,
        Disposition::Retry { due: at(2) },
    ];
    for (claimed, end) in claimed.iter().zip(ends) {
        settle(&store, claimed, end, 2).await;
        let id = claimed.delivery.id;
        assert_eq!(store.log.delivery(id).await.unwrap(), None, "Q21");
        assert_eq!(store.log.attempts(id, 9).await.unwrap(), [], "Q21");
    }
    assert!(claim(&store, hook, 3).await.is_empty(), "Q21 claim");
    let figures = store.log.count_queue(at(3)).await.unwrap();
    assert_eq!((figures.queued, figures.running), (0, 0), "Q21");
}
