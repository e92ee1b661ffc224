//! Tables and messages over a store whose calls are counted.

mod addressed;
mod filters;
mod owners;
mod table;

use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Realm;
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::RoutesVersion;
use gatepost_storage::{OwnerStore as _, Revision};
use gatepost_testkit::fault::{Fault, FaultStore};
use webhook_model::{OwnerId, TagId, Target, TaskId, Template, Values};

use super::{Matched, MatchedTask, Messages, Tables};
use crate::testing::{Records, noon, poweron};

const MIB: usize = 1024 * 1024;
const COMMON: [Realm; 1] = [Realm::Shared];

fn counted(records: &Records) -> Arc<FaultStore<MemoryStore>> {
    Arc::new(FaultStore::new(records.store.clone()))
}

fn ids(matched: &Matched) -> Vec<i64> {
    matched.tasks.iter().map(|task| task.id().0).collect()
}

#[tokio::test]
async fn realm_is_read_once_then_only_its_changes() {
    let records = Records::new();
    records.tagged("x").await;
    let store = counted(&records);
    let tables = Tables::new(store.clone(), MIB);
    let occurrence = poweron(7, &[1]);
    let matched = || tables.matched(&COMMON, &occurrence);
    let (one, two) = tokio::join!(matched(), matched());
    assert_eq!((ids(&one.unwrap()), ids(&two.unwrap())), (vec![1], vec![1]));
    assert_eq!(store.calls(), 1);

    records.tagged("y").await;
    let seen = matched().await.unwrap().seen;
    assert!(!tables.are_current(&seen).await.unwrap());
    let before = store.calls();
    let refresh = || tables.refresh(&seen);
    let (one, two) = tokio::join!(refresh(), refresh());
    one.and(two).unwrap();
    assert_eq!(store.calls() - before, 1);
    let now = matched().await.unwrap();
    assert_eq!(ids(&now), [1, 2]);
    assert!(tables.are_current(&now.seen).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn concurrent_refreshes_share_reads_of_an_unchanged_realm() {
    let records = Records::new();
    records.tagged("x").await;
    let store = counted(&records);
    let tables = Arc::new(Tables::new(store.clone(), MIB));
    let seen = tables.matched(&COMMON, &poweron(7, &[1])).await.unwrap();
    let reading = || store.calls_of("route_changes");
    store.fail("route_changes", 1, Fault::Late(Duration::from_secs(1)));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..10 {
        let (tables, seen) = (tables.clone(), seen.seen.clone());
        callers.spawn(async move { tables.refresh(&seen).await });
    }
    for refreshed in callers.join_all().await {
        refreshed.unwrap();
    }
    let begun = "one that was under way already, and one that began after all had called";
    assert_eq!(reading(), 2, "{begun}");

    store.fail("route_changes", 1, Fault::Refused);
    let (one, two) = tokio::join!(tables.refresh(&seen.seen), tables.refresh(&seen.seen));
    assert!(one.is_err(), "what failed is nothing to share");
    two.unwrap();
    assert_eq!(reading(), 4);
}

#[tokio::test(start_paused = true)]
async fn concurrent_version_checks_share_one_later_read() {
    let records = Records::new();
    records.tagged("x").await;
    let store = counted(&records);
    let tables = Arc::new(Tables::new(store.clone(), MIB));
    let seen = tables.matched(&COMMON, &poweron(7, &[1])).await.unwrap();
    let check = || {
        let (tables, seen) = (tables.clone(), seen.seen.clone());
        tokio::spawn(async move { tables.are_current(&seen).await })
    };
    store.fail("routes_versions", 1, Fault::Late(Duration::from_secs(1)));
    let (first, gone) = (check(), check());
    tokio::task::yield_now().await;
    gone.abort();
    records.tagged("y").await;
    let later: Vec<_> = (0..100).map(|_| check()).collect();
    assert!(first.await.unwrap().unwrap(), "it was read before");
    for later in later {
        assert!(!later.await.unwrap().unwrap());
    }
    assert_eq!(store.calls_of("routes_versions"), 2);

    store.fail("routes_versions", 1, Fault::Refused);
    assert!(tables.are_current(&seen.seen).await.is_err());
    assert!(!tables.are_current(&seen.seen).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn abandoned_version_check_is_made_by_next_caller() {
    let records = Records::new();
    records.tagged("x").await;
    let store = counted(&records);
    let tables = Arc::new(Tables::new(store.clone(), MIB));
    let seen = tables.matched(&COMMON, &poweron(7, &[1])).await.unwrap();
    let check = || {
        let (tables, seen) = (tables.clone(), seen.seen.clone());
        tokio::spawn(async move { tables.are_current(&seen).await })
    };
    store.fail("routes_versions", 1, Fault::Hang(Duration::from_secs(60)));
    let (asker, next) = (check(), check());
    tokio::task::yield_now().await;
    asker.abort();
    assert!(next.await.unwrap().unwrap());
}

#[tokio::test]
async fn changes_of_one_realm_affect_no_other() {
    let records = Records::new();
    let (here, there) = (Realm::Solo(OwnerId(1)), Realm::Solo(OwnerId(2)));
    for (owner, place) in [(1, here), (2, there)] {
        let placed = records.store.assign_realm(OwnerId(owner), place, noon());
        placed.await.unwrap();
        records.tagged_of(owner, "x").await;
    }
    let tables = Tables::new(counted(&records), MIB);
    let occurrence = poweron(7, &[1]);
    let seen = tables.matched(&[here], &occurrence).await.unwrap();
    assert_eq!(ids(&seen), [1]);
    records.tagged_of(2, "y").await;
    assert!(tables.are_current(&seen.seen).await.unwrap());
    let both = tables.matched(&[there, here], &occurrence).await.unwrap();
    assert_eq!(ids(&both), [1, 2, 3], "in order, whatever the realm");
    assert_eq!(both.tasks[0].place, here);
}

#[tokio::test]
async fn consumed_task_stays_removed_without_reading_the_store() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "x", true).await;
    records.event(Target::Tag(TagId(1)), task).await;
    let store = counted(&records);
    let tables = Tables::new(store.clone(), MIB);
    let matched = async || tables.matched(&COMMON, &poweron(7, &[1])).await.unwrap();
    let seen = matched().await.seen;
    let next = vec![(Realm::Shared, RoutesVersion(seen[0].1.0 + 10))];
    let before = store.calls();
    tables.consumed(&[task], &seen, &next);
    let now = matched().await;
    assert_eq!((ids(&now), &now.seen), (Vec::new(), &next));
    assert_eq!(store.calls(), before);
    // Nothing is known about a version that is not cached any more.
    tables.consumed(&[], &seen, &[(Realm::Shared, RoutesVersion(1))]);
    assert_eq!(matched().await.seen, next);
}

#[tokio::test(start_paused = true)]
async fn oversized_realm_is_looked_up_and_retried_later() {
    let records = Records::new();
    for n in 0..40 {
        let webhook = records.webhook(|_| {}).await;
        let task = records.task(webhook, "x", false).await;
        records.event(Target::Tag(TagId(n)), task).await;
    }
    let store = counted(&records);
    // A sixteenth of it is enough for 21 rows.
    let tables = Tables::new(store.clone(), 64 * 1024);
    for round in 0..3 {
        let before = store.calls();
        let matched = tables.matched(&COMMON, &poweron(7, &[3])).await.unwrap();
        assert_eq!(ids(&matched), [4]);
        let calls = if round == 1 { 1 } else { 2 };
        assert_eq!(store.calls() - before, calls, "round {round}");
        assert!(tables.tasks(&COMMON, &[TaskId(1)]).await.unwrap().is_none());
        if round == 1 {
            tokio::time::advance(Duration::from_secs(601)).await;
        }
    }
}

#[tokio::test]
async fn least_recently_used_table_is_evicted_and_reread() {
    let records = Records::new();
    let store = counted(&records);
    let tables = Tables::new(store.clone(), 64 * 1024);
    let place = |n: u128| [Realm::Solo(OwnerId(n))];
    for n in 0..1_000 {
        tables.matched(&place(n), &poweron(7, &[1])).await.unwrap();
    }
    assert_eq!(store.calls(), 1_000);
    tables
        .matched(&place(999), &poweron(7, &[1]))
        .await
        .unwrap();
    assert_eq!(store.calls(), 1_000, "used a moment ago");
    tables.matched(&place(0), &poweron(7, &[1])).await.unwrap();
    assert_eq!(store.calls(), 1_001);
}

#[tokio::test]
async fn tasks_are_found_by_their_numbers() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "x", false).await;
    let tables = Tables::new(records.store.clone(), MIB);
    let found = tables.tasks(&COMMON, &[TaskId(9), task]).await.unwrap();
    let found = found.unwrap();
    assert_eq!(
        found.tasks.iter().map(MatchedTask::id).collect::<Vec<_>>(),
        [task]
    );
    let elsewhere = tables.tasks(&[Realm::System], &[task]).await.unwrap();
    assert!(elsewhere.unwrap().tasks.is_empty());
}

fn text(template: &Template) -> String {
    let values = Values::new("", 0, "");
    template.render(&values, || 0).unwrap()
}

#[tokio::test]
async fn messages_are_read_together_once_per_revision() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let mut tasks = Vec::new();
    for message in ["one", "two"] {
        tasks.push(records.task(webhook, message, false).await);
    }
    let store = counted(&records);
    let messages = Messages::new(store.clone(), MIB);
    let of = async |ids: &[TaskId], revision| {
        let read = messages
            .of(ids.iter().map(|id| (*id, OwnerId(1), revision)))
            .await
            .unwrap();
        let texts = ids
            .iter()
            .map(|id| read.get(*id).map(|template| text(template)));
        texts.collect::<Vec<_>>()
    };
    let first = Revision::FIRST;
    let both = [Some("one".to_owned()), Some("two".to_owned())];
    for _ in 0..2 {
        assert_eq!(of(&tasks, first).await, both);
        assert_eq!(store.calls(), 1);
    }
    assert_eq!(of(&[TaskId(99)], first).await, [None]);
    assert_eq!(of(&tasks, first.next()).await, both);
    assert_eq!(store.calls(), 3, "what is asked for is another revision");
}

#[tokio::test]
async fn very_large_message_is_not_cached() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, &"x".repeat(MIB / 16), false).await;
    let store = counted(&records);
    let messages = Messages::new(store.clone(), MIB);
    for calls in 1..=2 {
        let read = messages.of([(task, OwnerId(1), Revision::FIRST)].into_iter());
        assert_eq!(read.await.unwrap().iter().count(), 1);
        assert_eq!(store.calls(), calls);
    }
}
