//! Usage by owners, and counts of deliveries that were not kept or not stored.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::{
    Cascade, CounterKind, CounterQuery, Counters, Disposition, DropReason, Dropped, HourlyCount,
    LogUsage, NewDelivery, PurgeBounds, UsageDelta,
};
use webhook_model::WebhookId;

use crate::fixtures::{
    at, claim, direct, keep_all, message, place, purge, queued, settlement, tenant,
};
use crate::harness::Webhooks;
use crate::world::{enqueue, set};

/// A message that is not to be kept goes when the delivery ends, and not before; such a delivery is
/// listed without it and is not replayed.
pub async fn l14_a_message_may_go_when_its_delivery_ends(store: Webhooks) {
    let hook = queued(&store, &["sent", "failed", "retried", "kept"]).await;
    let ends = [
        Disposition::Sent,
        Disposition::Failed,
        Disposition::Retry { due: at(5) },
        Disposition::Failed,
    ];
    let claimed = claim(&store, hook, 0).await;
    let settled = claimed.iter().zip(ends).map(|(claimed, end)| {
        let mut settled = settlement(claimed, end);
        settled.keep_message = claimed.delivery.message_id.as_str() == "kept";
        settled
    });
    store.queue.settle(settled.collect(), at(1)).await.unwrap();
    let mut kept = Vec::new();
    for claimed in &claimed {
        let row = store.log.delivery(claimed.delivery.id).await.unwrap();
        let row = row.unwrap();
        assert_eq!(
            row.body.is_empty(),
            !row.message_kept,
            "L14 the message itself"
        );
        kept.push(row.message_kept);
    }
    assert_eq!(kept, [false, false, true, true], "L14 kept");
    let ids: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
    let replayed = store.log.replay(&ids, at(2)).await.unwrap();
    assert_eq!(replayed, 1, "L14 replayed");
    let bodies: Vec<_> = claim(&store, hook, 5).await;
    let whole = bodies.iter().all(|c| &*c.delivery.body == "{}");
    assert!(
        whole && bodies.len() == 2,
        "L14 what is sent again is whole"
    );
}

/// Whether an attempt's response was kept is itself kept.
pub async fn l15_a_response_may_not_be_kept(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let claimed = claim(&store, hook, 0).await;
    let mut settled = settlement(&claimed[0], Disposition::Retry { due: at(1) });
    let attempt = settled.attempt.as_mut().unwrap();
    attempt.kept = false;
    attempt.request_head.clear();
    attempt.response_head.clear();
    attempt.response_body.clear();
    store.queue.settle(vec![settled], at(1)).await.unwrap();
    let claimed = claim(&store, hook, 1).await;
    let settled = vec![settlement(&claimed[0], Disposition::Sent)];
    store.queue.settle(settled, at(2)).await.unwrap();
    let kept = store
        .log
        .attempts(claimed[0].delivery.id, 99)
        .await
        .unwrap();
    let kept: Vec<_> = kept.iter().map(|a| a.kept).collect();
    assert_eq!(kept, [false, true], "L15");
}

fn delta(owner: u128, waiting: i64, waiting_bytes: i64, log_bytes: i64) -> UsageDelta {
    UsageDelta {
        owner: OwnerId(owner),
        waiting,
        waiting_bytes,
        log_bytes,
    }
}

fn used(waiting: u64, waiting_bytes: u64, log_bytes: u64) -> LogUsage {
    LogUsage {
        waiting,
        waiting_bytes,
        log_bytes,
    }
}

/// What owners use is added up, never below nothing, and read in the order of the request; an owner
/// who was removed uses nothing.
pub async fn l16_what_owners_use_is_added_up(store: Webhooks) {
    let log = &store.log;
    place(&store, 3, tenant(1)).await;
    let deltas = [
        delta(1, 5, 50, 500),
        delta(2, 1, 1, 1),
        delta(1, -2, -20, 5),
    ];
    log.add_usage(&deltas).await.unwrap();
    log.add_usage(&[delta(2, -9, 4, -1)]).await.unwrap();
    log.add_usage(&[]).await.unwrap();
    let owners = [OwnerId(2), OwnerId(9), OwnerId(1)];
    let found = log.log_usage(&owners).await.unwrap();
    let wanted = [used(0, 5, 0), used(0, 0, 0), used(3, 30, 505)];
    assert_eq!(found, wanted, "L16");
    log.add_usage(&[delta(3, 1, 1, 1)]).await.unwrap();
    let gone = Removal::Owner(OwnerId(3));
    store.records.mark_gone(gone, at(1)).await.unwrap();
    log.add_usage(&[delta(3, 7, 7, 7), delta(1, 1, 0, 0)])
        .await
        .unwrap();
    let found = log.log_usage(&[OwnerId(3), OwnerId(1)]).await.unwrap();
    assert_eq!(found, [used(0, 0, 0), used(4, 30, 505)], "L16 removed");
}

/// What an owner uses can be counted again, and is then read so.
pub async fn l17_what_an_owner_uses_is_counted(store: Webhooks) {
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    let waits = NewDelivery {
        body: "éé".into(),
        ..message(mine.webhook, "a", at(5))
    };
    store
        .queue
        .enqueue(direct(vec![waits]), at(0))
        .await
        .unwrap();
    enqueue(&store, mine.webhook, &["sent", "running"]).await;
    enqueue(&store, other.webhook, &["other"]).await;
    let claimed = claim(&store, mine.webhook, 0).await;
    let settled = settlement(&claimed[0], Disposition::Sent);
    let attempt = settled.attempt.as_ref().unwrap();
    let kept = attempt.kept_bytes();
    store.queue.settle(vec![settled], at(1)).await.unwrap();
    store
        .log
        .add_usage(&[delta(1, 100, 100, 100)])
        .await
        .unwrap();
    let wanted = used(2, 6, 8 + kept);
    let found = store.log.recount_usage(OwnerId(1), u64::MAX).await.unwrap();
    assert_eq!(found, wanted, "L17 counted");
    let found = store.log.log_usage(&[OwnerId(1)]).await.unwrap();
    assert_eq!(found, [wanted], "L17 stored");
    let nobody = store.log.recount_usage(OwnerId(9), u64::MAX).await.unwrap();
    assert_eq!(nobody, LogUsage::default(), "L17 nobody");
}

/// What was counted instead of stored is added up for each webhook, reason and minute, listed
/// newest first for a scope, and removed by age; webhooks that are gone are left out.
pub async fn l18_what_was_dropped_is_counted(store: Webhooks) {
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    place(&store, 2, tenant(1)).await;
    let dropped = |webhook, reason, minute: i64, count| Dropped {
        webhook,
        reason,
        minute: at(minute * 60),
        count,
    };
    let (waiting, occurrence) = (DropReason::Waiting, DropReason::Occurrence);
    let nowhere = WebhookId(other.webhook.0 + 1000);
    let first = [
        dropped(mine.webhook, waiting, 1, 5),
        dropped(mine.webhook, occurrence, 2, 1),
        dropped(nowhere, waiting, 1, 9),
    ];
    let second = [
        dropped(mine.webhook, waiting, 1, 2),
        dropped(other.webhook, waiting, 3, 4),
    ];
    store.log.count_dropped(&first).await.unwrap();
    let several = Counters {
        hourly: vec![HourlyCount::failed(mine.webhook, at(0))],
        rejected: second.to_vec(),
        usage: vec![delta(1, 1, 2, 3)],
    };
    store.log.add_counters(several.clone()).await.unwrap();
    let usage = store.log.log_usage(&[OwnerId(1)]).await.unwrap();
    assert_eq!(usage, [used(1, 2, 3)], "L18 with what is used");
    let asked_for = [mine.webhook];
    let sums = store.log.summed_counts(&asked_for, at(0), at(9));
    assert_eq!(sums.await.unwrap(), several.hourly, "L18 with outcomes");
    let listed = async |scope, limit| store.log.dropped(scope, limit).await.unwrap();
    let wanted = [
        dropped(other.webhook, waiting, 3, 4),
        dropped(mine.webhook, occurrence, 2, 1),
        dropped(mine.webhook, waiting, 1, 7),
    ];
    assert_eq!(listed(Scope::All, 9).await, wanted, "L18 all");
    assert_eq!(listed(Scope::All, 2).await, wanted[..2], "L18 the limit");
    assert_eq!(
        listed(Scope::Owner(OwnerId(1)), 9).await,
        wanted[1..],
        "L18 owner"
    );
    let tenants = listed(Scope::Tenant(TenantId(1)), 9).await;
    assert_eq!(tenants, wanted[..1], "L18 tenant");
    let query = CounterQuery {
        kind: CounterKind::Rejected,
        scope: Scope::All,
        webhooks: Some(vec![mine.webhook]),
        from: at(120),
        before: at(240),
        limit: 9,
    };
    let found = store.log.counters(&query).await.unwrap();
    assert_eq!(found.rejected, wanted[1..2], "L18 a webhook, a span");
    let keep = PurgeBounds {
        created_before: at(120),
        ..keep_all()
    };
    purge(&store, &keep, 300).await;
    assert_eq!(listed(Scope::All, 9).await, wanted[..2], "L18 by age");
    let deleted = store
        .records
        .delete_webhook(mine.webhook, Cascade::Tasks, at(301));
    assert!(deleted.await.is_ok(), "L18 deleted");
    assert_eq!(listed(Scope::All, 9).await, wanted[..1], "L18 gone");
    store.log.count_dropped(&first).await.unwrap();
    assert_eq!(listed(Scope::All, 9).await, wanted[..1], "L18 skipped");
}
