//! Usage by owners, and counts of deliveries that were not kept or not stored.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{
    Cascade, CounterKind, CounterQuery, Counters, HourlyCount, LogUsage, PurgeBounds, RejectReason,
    RejectedCount, UsageDelta,
};
use webhook_model::WebhookId;

use crate::fixtures::{at, keep_all, place, purge, tenant};
use crate::harness::Webhooks;
use crate::world::set;

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

/// Rejected deliveries must be counted by webhook, reason and minute, listed newest first for a
/// scope, and removed by age; deleted webhooks must be left out.
pub async fn l18_rejected_deliveries_are_counted(store: Webhooks) {
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    place(&store, 2, tenant(1)).await;
    let rejected = |webhook, reason, minute: i64, count| RejectedCount {
        webhook,
        reason,
        minute: at(minute * 60),
        count,
    };
    let (waiting, occurrence) = (RejectReason::Waiting, RejectReason::Occurrence);
    let nowhere = WebhookId(other.webhook.0 + 1000);
    let first = [
        rejected(mine.webhook, waiting, 1, 5),
        rejected(mine.webhook, occurrence, 2, 1),
        rejected(nowhere, waiting, 1, 9),
    ];
    let second = [
        rejected(mine.webhook, waiting, 1, 2),
        rejected(other.webhook, waiting, 3, 4),
    ];
    store.log.count_rejected(&first).await.unwrap();
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
    let listed = async |scope, limit| store.log.rejected(scope, limit).await.unwrap();
    let wanted = [
        rejected(other.webhook, waiting, 3, 4),
        rejected(mine.webhook, occurrence, 2, 1),
        rejected(mine.webhook, waiting, 1, 7),
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
    assert_eq!(listed(Scope::All, 9).await, wanted[..1], "L18 left out");
    store.log.count_rejected(&first).await.unwrap();
    assert_eq!(listed(Scope::All, 9).await, wanted[..1], "L18 skipped");
}
