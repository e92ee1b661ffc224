//! The calls that are delayed by a change in one realm, and those that are not: two handles on one
//! database, and an outside transaction that keeps a change from ending.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyId, LastLogin};
use chrono::Days;
use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::keys::{KeyStore as _, KeyUse, Login};
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::*;
use gatepost_storage::{OwnerStore, StoreError};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, key, message, outbox, queue_claim, task, webhook_of,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Client;
use webhook_model::{DeliveryOrder, WebhookId};

use crate::common::{fresh_at, raw};
use crate::postgres::FreshSchema;

/// Much longer than any call that is not blocked, and shorter than one that is.
pub(crate) const SOON: Duration = Duration::from_secs(5);

/// Two handles on one schema, in which two tenants have a webhook each, and whose realms have
/// different locks.
pub(crate) struct Two {
    pub(crate) a: PostgresStore,
    pub(crate) b: PostgresStore,
    pub(crate) config: PostgresConfig,
    pub(crate) of_one: WebhookId,
    pub(crate) of_other: WebhookId,
    pub(crate) one: Realm,
    pub(crate) other: Realm,
    pub(crate) client: Client,
    pub(crate) place: FreshSchema,
}

pub(crate) async fn two() -> Two {
    two_where("true").await
}

/// Uses the first tenant `n` for which the condition is true.
pub(crate) async fn two_where(first: &str) -> Two {
    let (a, config, place) = fresh_at().await;
    let b = PostgresStore::connect(config.clone()).await.unwrap();
    let client = raw(&place).await;
    let tenant = async |condition: &str| {
        let numbers = "SELECT n FROM generate_series(1, 999) AS n WHERE";
        let first = format!("{numbers} {condition} ORDER BY n LIMIT 1");
        let number: i32 = client.query_one(&first, &[]).await.unwrap().get(0);
        Realm::Tenant(TenantId(number.unsigned_abs().into()))
    };
    let one = tenant(first).await;
    let apart = format!("hashtext('tenant:' || n) & 63 <> hashtext('{one}') & 63");
    let other = tenant(&apart).await;
    a.assign_realm(OwnerId(1), one, at(0)).await.unwrap();
    a.assign_realm(OwnerId(2), other, at(0)).await.unwrap();
    let insert = async |owner| {
        let hook = webhook_of(owner, "w");
        a.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap().id
    };
    let (of_one, of_other) = (insert(1).await, insert(2).await);
    Two {
        a,
        b,
        config,
        of_one,
        of_other,
        one,
        other,
        client,
        place,
    }
}

impl Two {
    /// Starts a change in the first tenant that has its lock and does not end.
    pub(crate) async fn change_that_hangs(&self) -> JoinHandle<Result<(), StoreError>> {
        let hold = format!(
            "BEGIN; SELECT FROM gatepost_place WHERE place = '{}' FOR UPDATE",
            self.one
        );
        self.client.batch_execute(&hold).await.unwrap();
        let (store, hook) = (self.a.clone(), self.of_one);
        let change = tokio::spawn(async move {
            let row = store.webhook(hook).await.unwrap().unwrap();
            store.update_webhook(&row, UNLIMITED, at(1)).await.map(drop)
        });
        let waiting = "SELECT FROM pg_locks w JOIN pg_locks l ON l.pid = w.pid
            WHERE NOT w.granted AND l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' AND l.granted
              AND pg_backend_pid() = ANY (pg_blocking_pids(w.pid))";
        let start = Instant::now();
        while self.client.query(waiting, &[]).await.unwrap().is_empty() {
            assert!(start.elapsed() < SOON, "the change never had its lock");
            sleep(Duration::from_millis(2)).await;
        }
        change
    }

    pub(crate) async fn let_go(&self) {
        self.client.batch_execute("ROLLBACK").await.unwrap();
    }

    async fn precondition(&self, place: Realm) -> Precondition {
        self.precondition_of(&[place]).await
    }

    pub(crate) async fn precondition_of(&self, places: &[Realm]) -> Precondition {
        let versions = self.a.routes_versions(places).await.unwrap();
        Precondition::Realms(places.iter().copied().zip(versions).collect())
    }
}

pub(crate) fn one(hook: WebhookId, id: &str) -> Enqueue {
    direct(vec![message(hook, id, at(0))])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn enqueues_continue_while_realm_changes() {
    let two = two().await;
    let old = two.precondition(two.one).await;
    let under = two.precondition(two.other).await;
    let change = two.change_that_hangs().await;
    let mut calls = Vec::new();
    for n in 0..60 {
        let store = if n % 2 == 0 { &two.a } else { &two.b };
        let mut own = one(two.of_one, &format!("one{n}"));
        if n % 3 == 0 {
            own.precondition = old.clone();
        }
        let other = Enqueue {
            precondition: under.clone(),
            ..one(two.of_other, &format!("other{n}"))
        };
        for batch in [own, other] {
            let store = store.clone();
            calls.push(tokio::spawn(
                async move { store.enqueue(batch, at(0)).await },
            ));
        }
    }
    for call in calls {
        let stored = timeout(SOON, call).await.expect("held up").unwrap();
        assert!(matches!(stored, Ok(Enqueued::Stored { .. })), "{stored:?}");
    }
    // A single enqueue, without a batch to share.
    let alone = two.b.enqueue(one(two.of_other, "alone"), at(0));
    timeout(SOON, alone).await.expect("held up").unwrap();
    assert!(!change.is_finished(), "the change still holds its lock");
    two.let_go().await;
    change.await.unwrap().unwrap();
    let stale = Enqueue {
        precondition: old,
        ..one(two.of_one, "stale")
    };
    let refused = two.a.enqueue(stale, at(0)).await.unwrap();
    assert_eq!(refused, Enqueued::RoutesChanged);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_realm_changes_and_one_time_tasks_proceed() {
    let two = two().await;
    let once = task(two.of_other);
    let once = two.a.insert_task(&once, UNLIMITED, at(0)).await.unwrap();
    let change = two.change_that_hangs().await;
    let consume = Enqueue {
        precondition: two.precondition(two.other).await,
        consume: vec![once.id],
        ..one(two.of_other, "once")
    };
    let stored = timeout(SOON, two.b.enqueue(consume, at(0))).await;
    match stored.expect("held up").unwrap() {
        Enqueued::Stored { moved, .. } => assert_eq!(moved[0].0, two.other),
        other => panic!("{other:?}"),
    }
    let edit = async {
        let row = two.b.webhook(two.of_other).await.unwrap().unwrap();
        two.b.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
        let once = task(two.of_other);
        let once = two.b.insert_task(&once, UNLIMITED, at(1)).await.unwrap();
        two.b.delete_task(once.id, at(1)).await.unwrap();
        let held = two.b.hold_owner(OwnerId(2), true, at(1)).await;
        held.unwrap();
        let gone = two.b.delete_webhook(two.of_other, Cascade::Tasks, at(1));
        gone.await.unwrap();
        while two.b.remove_gone(100, at(1)).await.unwrap() == 100 {}
    };
    timeout(SOON, edit).await.expect("held up");
    assert!(!change.is_finished(), "the change still holds its lock");
    two.let_go().await;
    change.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locked_webhook_delays_no_claim() {
    let two = two().await;
    let mut ordered = two.a.webhook(two.of_one).await.unwrap().unwrap();
    ordered.value.order = DeliveryOrder::InOrder;
    let ordered = two.a.update_webhook(&ordered, UNLIMITED, at(0)).await;
    ordered.unwrap();
    for (n, hook) in [two.of_one, two.of_other].into_iter().enumerate() {
        let batch = one(hook, &format!("m{n}"));
        two.a.enqueue(batch, at(0)).await.unwrap();
    }
    let hold = format!(
        "BEGIN; SELECT FROM gatepost_webhook WHERE id = {} FOR UPDATE",
        two.of_one
    );
    two.client.batch_execute(&hold).await.unwrap();
    let queues = [two.of_one, two.of_other].map(|hook| queue_claim(hook, QueueClass::First));
    let claim = timeout(SOON, two.b.claim(&queues, at(60), at(1))).await;
    let claimed = claim.expect("held up").unwrap();
    let webhooks: Vec<_> = claimed.iter().map(|c| c.delivery.webhook).collect();
    assert_eq!(webhooks, [two.of_one, two.of_other]);
    two.let_go().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locked_outbox_row_delays_no_other_batch() {
    let two = two().await;
    let occurrence = gatepost_testkit::fixtures::occurrence("poweron");
    let row = two.a.push_outbox(&occurrence, at(0)).await.unwrap();
    let hold = format!(
        "BEGIN; SELECT FROM gatepost_occurrence WHERE id = {} FOR UPDATE",
        row.0
    );
    two.client.batch_execute(&hold).await.unwrap();
    let drain = Enqueue {
        origin: gatepost_testkit::fixtures::from_outbox(row),
        ..one(two.of_one, "drained")
    };
    let store = two.a.clone();
    let drained = tokio::spawn(async move { store.enqueue(drain, at(0)).await });
    for n in 0..40 {
        let stored = two.a.enqueue(one(two.of_one, &format!("m{n}")), at(0));
        timeout(SOON, stored).await.expect("held up").unwrap();
    }
    assert!(!drained.is_finished(), "it waits for the platform");
    two.let_go().await;
    let drained = timeout(SOON, drained).await.expect("forgotten").unwrap();
    assert!(
        matches!(drained, Ok(Enqueued::Stored { .. })),
        "{drained:?}"
    );
    let store = Webhooks::of(Arc::new(two.a.clone()));
    assert_eq!(outbox(&store, 9).await, []);
}

/// A reader that sees a delivery of a webhook in order sees all with lower numbers, even if two
/// processes enqueue at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_order_row_numbers_rise_in_commit_order() {
    let two = two().await;
    let mut ordered = two.a.webhook(two.of_one).await.unwrap().unwrap();
    ordered.value.order = DeliveryOrder::InOrder;
    let ordered = two.a.update_webhook(&ordered, UNLIMITED, at(0)).await;
    let hook = ordered.unwrap().id;
    let writers = (0..6).map(|writer| {
        let store = if writer % 2 == 0 { &two.a } else { &two.b }.clone();
        tokio::spawn(async move {
            for n in 0..40 {
                let batch = one(hook, &format!("w{writer}n{n}"));
                store.enqueue(batch, at(0)).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let ids = format!("SELECT id FROM gatepost_delivery WHERE webhook = {hook} ORDER BY id");
    let mut before: Vec<i64> = Vec::new();
    let mut looks = 0;
    while before.len() < 240 {
        let found = two.client.query(&ids, &[]).await.unwrap();
        let now: Vec<i64> = found.iter().map(|row| row.get(0)).collect();
        assert_eq!(now.get(..before.len()), Some(&before[..]), "one came late");
        looks += usize::from(now.len() > before.len());
        before = now;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(looks > 10, "many commits were seen apart: {looks}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_rows_leave_in_batches_while_owner_writes() {
    let two = two().await;
    for n in 0..6 {
        let many = (0..1000).map(|m| message(two.of_one, &format!("b{n}m{m}"), at(0)));
        two.a.enqueue(direct(many.collect()), at(0)).await.unwrap();
    }
    two.a
        .delete_webhook(two.of_one, Cascade::Refuse, at(1))
        .await
        .unwrap();
    let again = webhook_of(1, "w");
    let again = two
        .a
        .insert_webhook(&again, UNLIMITED, at(1))
        .await
        .unwrap();
    assert_eq!(two.a.remove_gone(100, at(1)).await.unwrap(), 100);
    let store = two.b.clone();
    let removing = tokio::spawn(async move {
        let mut removed = 0;
        loop {
            match store.remove_gone(1000, at(1)).await.unwrap() {
                1000 => removed += 1000,
                rest => return removed + rest,
            }
        }
    });
    let mut stored = 0;
    while !removing.is_finished() {
        let batch = one(again.id, &format!("new{stored}"));
        two.a.enqueue(batch, at(1)).await.unwrap();
        let row = two.a.webhook(again.id).await.unwrap().unwrap();
        two.a.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
        stored += 1;
    }
    assert_eq!(removing.await.unwrap(), 5_901, "and the webhook itself");
    assert!(stored > 3, "others went on: {stored}");
    let left: i64 = crate::common::rows(&two.client, "gatepost_delivery").await;
    assert_eq!(left, stored);
}

/// Logins lock one key and wait for a second; a removal has deleted the second and waits for the
/// first. The server aborts the transaction that waited first, which is repeated.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn activity_crossing_removal_is_repeated() {
    let (store, _, place) = fresh_at().await;
    let insert = async |owner, name| {
        let new = store.insert_key(&key(owner, name), u64::MAX).await;
        new.unwrap().id
    };
    let (kept, first) = (insert(2, "kept").await, insert(1, "first").await);
    let (between, last) = (insert(1, "between").await, insert(1, "last").await);
    let before_uses = holding(&place, kept).await;
    let before_last = holding(&place, between).await;
    let login = Login {
        key: last,
        login: LastLogin {
            at: at(1),
            from: [192, 0, 2, 1].into(),
        },
    };
    let day = at(1).date_naive();
    let uses = [kept, first].map(|key| KeyUse {
        key,
        day,
        used: 1,
        refused: 0,
    });
    let other = store.clone();
    let activity = tokio::spawn(async move { other.record_activity(&[login], &uses).await });
    blocked(&before_uses, 1).await;
    store
        .mark_gone(Removal::Owner(OwnerId(1)), at(2))
        .await
        .unwrap();
    let other = store.clone();
    let removal = tokio::spawn(async move { other.remove_gone(100, at(2)).await });
    blocked(&before_last, 1).await;
    before_uses.batch_execute("ROLLBACK").await.unwrap();
    blocked(&before_last, 2).await;
    before_last.batch_execute("ROLLBACK").await.unwrap();
    activity.await.unwrap().unwrap();
    assert_eq!(removal.await.unwrap().unwrap(), 3);
    let days = store.key_uses(kept, day, day + Days::new(1), 9).await;
    assert_eq!(days.unwrap().iter().map(|day| day.used).sum::<u64>(), 1);
}

/// Returns a connection whose transaction holds a key's row.
async fn holding(place: &FreshSchema, key: KeyId) -> Client {
    let client = raw(place).await;
    let hold = format!(
        "BEGIN; SELECT FROM gatepost_key WHERE id = {} FOR UPDATE",
        key.0
    );
    client.batch_execute(&hold).await.unwrap();
    client
}

/// Waits until this number of connections waits for this one, directly or indirectly.
async fn blocked(client: &Client, wanted: usize) {
    let waiting = "WITH RECURSIVE waiting (pid) AS (
            SELECT pg_backend_pid() UNION
            SELECT a.pid FROM pg_stat_activity a, waiting w WHERE w.pid = ANY (pg_blocking_pids(a.pid)))
        SELECT pid FROM waiting WHERE pid <> pg_backend_pid()";
    let start = Instant::now();
    while client.query(waiting, &[]).await.unwrap().len() < wanted {
        assert!(start.elapsed() < SOON, "nobody waits");
        sleep(Duration::from_millis(2)).await;
    }
}
