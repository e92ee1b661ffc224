//! The log of this backend: how it is stored, and which deliveries it shows.

use chrono::{DateTime, Utc};
use gatepost_sqlite::SqliteStore;
use gatepost_storage::Page;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, message, queue_claim, settlement, webhook,
};
use rusqlite::Connection;
use webhook_model::{OwnerId, WebhookId};

use crate::common::fresh;

fn keep(created_before: DateTime<Utc>, bytes: Option<u64>) -> PurgeBounds {
    PurgeBounds {
        created_before,
        bytes,
        counts_before: at(-1),
        occurrences_before: at(-1),
    }
}

/// Purges until nothing is left to do.
async fn purge(store: &SqliteStore, bounds: PurgeBounds, limit: u32) {
    for _ in 0..1_000 {
        if !store.purge(&bounds, limit, at(0)).await.unwrap().more {
            return;
        }
    }
    panic!("retention comes to no end");
}

async fn enqueue(store: &SqliteStore, hook: WebhookId, names: &[&str], now: i64) {
    let new = names.iter().map(|name| message(hook, name, at(now)));
    store.enqueue(direct(new.collect()), at(now)).await.unwrap();
}

async fn end(store: &SqliteStore, hook: WebhookId, how: Disposition, now: i64) {
    let classes = [QueueClass::First, QueueClass::Retry].map(|class| queue_claim(hook, class));
    let claimed = store.claim(&classes, at(now + 60), at(now)).await.unwrap();
    let settled = claimed.iter().map(|claim| {
        let mut settled = settlement(claim, how.clone());
        if how != Disposition::Sent
            && let Some(attempt) = &mut settled.attempt
        {
            attempt.class = "timeout".to_owned();
        }
        settled
    });
    store.settle(settled.collect(), at(now)).await.unwrap();
}

async fn listed(store: &SqliteStore, query: DeliveryQuery) -> Vec<String> {
    let found = store.list_deliveries(&query).await.unwrap();
    found.iter().map(|d| d.message_id.to_string()).collect()
}

fn all() -> DeliveryQuery {
    DeliveryQuery::all(Page::first(99))
}

fn count(folder: &tempfile::TempDir, table: &str) -> i64 {
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let sql = format!("SELECT count(*) FROM gatepost_{table}");
    file.query_row(&sql, [], |r| r.get(0)).unwrap()
}

async fn hook(store: &SqliteStore) -> WebhookId {
    let row = store.insert_webhook(&webhook("w"), UNLIMITED, at(0)).await;
    row.unwrap().id
}

#[tokio::test]
async fn deliveries_beyond_the_share_are_hidden_then_leave() {
    let (store, _, folder) = fresh().await;
    let hook = hook(&store).await;
    enqueue(&store, hook, &["a", "b", "c", "d"], 1).await;
    end(&store, hook, Disposition::Sent, 1).await;
    enqueue(&store, hook, &["open"], 2).await;
    let used = store.recount_usage(OwnerId(1), u64::MAX).await.unwrap();
    let half = (used.log_bytes - used.waiting_bytes) / 2;
    store.recount_usage(OwnerId(1), half).await.unwrap();
    assert_eq!(listed(&store, all()).await, ["c", "d", "open"]);
    let of_webhook = DeliveryQuery {
        webhook: Some(hook),
        ..all()
    };
    assert_eq!(listed(&store, of_webhook).await, ["c", "d", "open"]);
    assert_eq!(store.delivery(DeliveryId(1)).await.unwrap(), None);
    assert_eq!(store.attempts(DeliveryId(1), 99).await.unwrap(), []);
    let replay = [DeliveryId(1), DeliveryId(3)];
    assert_eq!(
        store.replay(&replay, at(3)).await.unwrap(),
        1,
        "what is shown"
    );
    assert_eq!(count(&folder, "delivery"), 5, "hidden, and stored");
    let one = store.purge(&keep(at(0), None), 1, at(0)).await.unwrap();
    assert_eq!((one.more, count(&folder, "delivery")), (true, 4));
    purge(&store, keep(at(0), None), 1).await;
    assert_eq!(
        (count(&folder, "delivery"), count(&folder, "outcome")),
        (3, 3)
    );

    // A delivery that ends below the hidden bound is shown until the next count.
    end(&store, hook, Disposition::Sent, 4).await;
    assert_eq!(listed(&store, all()).await, ["c", "d", "open"]);
    store.recount_usage(OwnerId(1), 0).await.unwrap();
    assert_eq!(listed(&store, all()).await, [""; 0]);
    purge(&store, keep(at(0), None), 9).await;
    assert_eq!(
        (count(&folder, "delivery"), count(&folder, "outcome")),
        (0, 0)
    );
}

#[tokio::test]
async fn open_delivery_past_retention_leaves_once_it_ends() {
    let (store, _, folder) = fresh().await;
    let hook = hook(&store).await;
    enqueue(&store, hook, &["a", "b"], 1).await;
    end(&store, hook, Disposition::Retry { due: at(9) }, 1).await;
    enqueue(&store, hook, &["c"], 1).await;
    store.cancel(&[DeliveryId(3)], "no", at(1)).await.unwrap();
    purge(&store, keep(at(5), None), 9).await;
    assert_eq!(listed(&store, all()).await, ["a", "b"]);
    store.cancel(&[DeliveryId(1)], "no", at(1)).await.unwrap();
    end(&store, hook, Disposition::Failed, 9).await;
    assert_eq!(listed(&store, all()).await, [""; 0]);
    purge(&store, keep(at(5), None), 9).await;
    assert_eq!(
        (count(&folder, "delivery"), count(&folder, "outcome")),
        (0, 0)
    );
    assert_eq!(store.prepare_log(at(9)).await.unwrap().bytes, 0);
}

#[tokio::test]
async fn oldest_deliveries_leave_while_log_is_too_large() {
    let (store, _, folder) = fresh().await;
    let hook = hook(&store).await;
    for n in 0..20 {
        let mut new = message(hook, &format!("m{n}"), at(n));
        new.body = "x".repeat(1_000).into();
        store.enqueue(direct(vec![new]), at(n)).await.unwrap();
    }
    end(&store, hook, Disposition::Sent, 50).await;
    enqueue(&store, hook, &["open"], 50).await;
    let bytes = store.prepare_log(at(50)).await.unwrap().bytes;
    assert!(bytes > 20_000, "{bytes}");
    purge(&store, keep(at(-1), Some(bytes / 2)), 3).await;
    let left = store.prepare_log(at(50)).await.unwrap().bytes;
    assert!((bytes / 3..=bytes / 2).contains(&left), "{left} of {bytes}");
    let shown = listed(&store, all()).await;
    assert_eq!(shown.last().unwrap(), "open");
    assert!(!shown.contains(&"m0".to_owned()) && shown.contains(&"m19".to_owned()));
    assert_eq!(
        count(&folder, "delivery"),
        i64::try_from(shown.len()).unwrap()
    );
    purge(&store, keep(at(-1), Some(0)), 3).await;
    assert_eq!(listed(&store, all()).await, ["open"]);
}

#[tokio::test]
async fn lists_filter_by_class_state_and_time() {
    let (store, _, _folder) = fresh().await;
    let hook = hook(&store).await;
    enqueue(&store, hook, &["sent"], 100).await;
    end(&store, hook, Disposition::Sent, 100).await;
    enqueue(&store, hook, &["failed"], 300).await;
    end(&store, hook, Disposition::Failed, 300).await;
    enqueue(&store, hook, &["retry"], 500).await;
    end(&store, hook, Disposition::Retry { due: at(900) }, 500).await;
    enqueue(&store, hook, &["new"], 700).await;
    let class = |class: &str| DeliveryQuery {
        class: Some(class.to_owned()),
        ..all()
    };
    assert_eq!(listed(&store, class("timeout")).await, ["failed", "retry"]);
    assert_eq!(listed(&store, class("ok")).await, ["sent"]);
    let states = |states: &[DeliveryState], webhook| DeliveryQuery {
        states: states.to_vec(),
        webhook,
        ..DeliveryQuery::all(Page::newest(9))
    };
    use DeliveryState::{Error, Queued, Running, Sent};
    for webhook in [None, Some(hook)] {
        let of = |list: &[DeliveryState]| listed(&store, states(list, webhook));
        assert_eq!(of(&[Queued]).await, ["new", "retry"]);
        assert_eq!(of(&[Error]).await, ["failed"]);
        assert_eq!(
            of(&[Error, Queued, Running]).await,
            ["new", "retry", "failed"]
        );
        assert_eq!(of(&[Sent]).await, ["sent"]);
    }
    let between = DeliveryQuery {
        created_from: Some(at(300)),
        created_before: Some(at(700)),
        ..all()
    };
    assert_eq!(listed(&store, between).await, ["failed", "retry"]);
    let later = DeliveryQuery {
        created_from: Some(at(5_000)),
        ..all()
    };
    assert_eq!(listed(&store, later).await, [""; 0]);
}

#[tokio::test]
async fn queue_stats_are_those_counted_last() {
    let (store, config, _folder) = fresh().await;
    assert_eq!(store.queue_stats().await.unwrap(), None);
    let hook = hook(&store).await;
    enqueue(&store, hook, &["a", "b"], 1).await;
    let one = QueueClaim {
        limit: 1,
        ..queue_claim(hook, QueueClass::First)
    };
    store.claim(&[one], at(60), at(1)).await.unwrap();
    let counted = store.count_queue(at(2)).await.unwrap();
    assert_eq!((counted.queued, counted.running), (1, 1));
    assert_eq!((counted.counted, counted.oldest_due), (at(2), Some(at(1))));
    enqueue(&store, hook, &["c"], 3).await;
    let other = SqliteStore::open(config).await.unwrap();
    assert_eq!(other.queue_stats().await.unwrap(), Some(counted));
}
