//! Counts by the hour, and counts of the queue.

use chrono::TimeDelta;
use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{Cascade, Disposition, HourlyCount, PurgeBounds};
use webhook_model::WebhookId;

use crate::fixtures::{at, direct, end, keep_all, message, place, purge, queued, tenant};
use crate::harness::Webhooks;
use crate::runtime::racing;
use crate::world::{enqueue, set};

fn count(webhook: WebhookId, hour: i64, n: u64) -> HourlyCount {
    HourlyCount {
        webhook,
        hour: at(hour * 3_600),
        sent: n,
        last_sent: (n != 2).then(|| at(hour * 3_600) + TimeDelta::milliseconds(n as i64)),
        failed: n + 1,
        retried: n + 2,
        milliseconds: n * 1_000,
        bytes: n << 40,
    }
}

fn sum(one: HourlyCount, other: HourlyCount) -> HourlyCount {
    HourlyCount {
        sent: one.sent + other.sent,
        last_sent: one.last_sent.max(other.last_sent),
        failed: one.failed + other.failed,
        retried: one.retried + other.retried,
        milliseconds: one.milliseconds + other.milliseconds,
        bytes: one.bytes + other.bytes,
        ..one
    }
}

/// Counters of a webhook and an hour must be added up, whichever caller adds. They must be listed
/// for a scope or a webhook, newest hour first, at most the limit, or summed up for some webhooks.
/// They must outlive the deliveries, be removed by their own age, and be deleted with their
/// webhook.
pub async fn l26_outcomes_are_counted_by_the_hour(store: Webhooks) {
    let (mine, other) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    place(&store, 2, tenant(1)).await;
    let (w, o) = (mine.webhook, other.webhook);
    let log = &store.log;
    let nowhere = WebhookId(o.0 + 1000);
    let first = [count(w, 1, 5), count(nowhere, 1, 9), count(w, 2, 1)];
    log.add_counts(&first).await.unwrap();
    log.add_counts(&[]).await.unwrap();
    let racers = (0..8).map(|_| {
        let log = store.log.clone();
        let both = [count(w, 1, 1), count(o, 2, 1)];
        async move { log.add_counts(&both).await.is_ok() }
    });
    for racer in racing(racers).await {
        assert!(racer, "L26 concurrent callers");
    }
    log.add_counts(&[count(o, 3, 1), count(o, 3, 2)])
        .await
        .unwrap();
    let eight = |one: HourlyCount| (1..8).fold(one, |all, _| sum(all, one));
    let wanted = [
        sum(count(o, 3, 1), count(o, 3, 2)),
        count(w, 2, 1),
        eight(count(o, 2, 1)),
        sum(count(w, 1, 5), eight(count(w, 1, 1))),
    ];
    let asked = async |scope, webhook, from: i64, before: i64, limit| {
        let (from, before) = (at(from * 3_600), at(before * 3_600));
        let found = log.hourly_counts(scope, webhook, from, before, limit);
        found.await.unwrap()
    };
    let all = asked(Scope::All, None, 0, 9, 9).await;
    assert_eq!(all, wanted, "L26 all");
    let some = asked(Scope::All, None, 0, 9, 3).await;
    assert_eq!(some, wanted[..3], "L26 the limit");
    let some = asked(Scope::All, None, 2, 3, 9).await;
    assert_eq!(some, wanted[1..3], "L26 the span, its end left out");
    let own = asked(Scope::Owner(OwnerId(1)), None, 0, 9, 9).await;
    assert_eq!(own, [wanted[1], wanted[3]], "L26 an owner");
    let tenants = asked(Scope::Tenant(TenantId(1)), None, 0, 9, 9).await;
    assert_eq!(tenants, [wanted[0], wanted[2]], "L26 a tenant");
    let one = asked(Scope::All, Some(w), 0, 9, 9).await;
    assert_eq!(one, [wanted[1], wanted[3]], "L26 a webhook");
    let asked_for = [o, nowhere, w];
    let sums = log.summed_counts(&asked_for, at(2 * 3_600), at(4 * 3_600));
    let summed = [sum(wanted[0], wanted[2]), wanted[1]];
    assert_eq!(
        sums.await.unwrap(),
        summed,
        "L26 summed up, as of the newest hour"
    );
    let none = asked(Scope::Owner(OwnerId(1)), Some(o), 0, 9, 9).await;
    assert_eq!(none, [], "L26 another's webhook");

    enqueue(&store, w, &["a"]).await;
    end(&store, w, Disposition::Sent, 0).await;
    let keep = PurgeBounds {
        created_before: at(99_999),
        counts_before: at(2 * 3_600),
        ..keep_all()
    };
    purge(&store, &keep, 99_999).await;
    let kept = asked(Scope::All, None, 0, 9, 9).await;
    assert_eq!(kept, wanted[..3], "L26 only by age");
    let deleted = store.records.delete_webhook(o, Cascade::Tasks, at(1));
    assert!(deleted.await.is_ok(), "L26 deleted");
    let kept = asked(Scope::All, None, 0, 9, 9).await;
    assert_eq!(kept, wanted[1..2], "L26 with its webhook");
}

/// A caller may prepare the log at any time and any number of times, while others use it: no stored
/// row may change, and no call must wait for it.
pub async fn l28_partitions_are_added_at_any_time(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let rooms: Vec<_> = (0..4)
        .map(|n| {
            let log = store.log.clone();
            tokio::spawn(async move {
                let mut made = 0;
                for round in 0..4 {
                    made += u32::from(log.prepare_log(at(n * 100 + round)).await.is_ok());
                    tokio::task::yield_now().await;
                }
                made
            })
        })
        .collect();
    for n in 0..20 {
        let batch = direct(vec![message(hook, &format!("m{n}"), at(0))]);
        let stored = store.queue.enqueue(batch, at(0)).await;
        assert!(stored.is_ok(), "L28 stored");
        end(&store, hook, Disposition::Sent, 0).await;
    }
    for room in rooms {
        assert_eq!(room.await.unwrap(), 4, "L28 made");
    }
    let room = store.log.prepare_log(at(1_000)).await.unwrap();
    assert!(room.ahead != Some(0), "L28 it is prepared for later");
    let all = super::look::listed(&store, &super::look::all()).await;
    let wanted: Vec<_> = (0..20).map(|n| format!("m{n}")).collect();
    assert_eq!(all, wanted, "L28 nothing changed");
}
