//! The log has bounds, and a change neither fails nor waits because of them.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::Clock as _;
use gatepost_storage::audit::AuditEntry;
use gatepost_testkit::fault::{Fault, FaultStore};
use gatepost_testkit::fixtures::entry;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_keeps_newest_entries_per_owner() {
    on_each_store(async |store, stores| {
        let platform = Platform::with(&stores, |log| log.kept_of_owner(3)).await;
        platform.webhook(STRANGER, "quiet").await;
        for n in 0..20 {
            platform.webhook(ADA, &format!("w{n}")).await;
        }
        let seen = platform.seen_by(OPERATOR).await;
        let names: Vec<_> = seen.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["quiet", "w17", "w18", "w19"], "{store}");
    })
    .await;
}

fn old(at: DateTime<Utc>) -> AuditEntry {
    AuditEntry {
        at,
        ..entry(ADA, 1, 0)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_entries_are_hidden_and_removed() {
    on_each_store(async |store, stores| {
        let days = |log: AuditLogBuilder| log.retention(TimeDelta::days(30));
        let platform = Platform::with(&stores, days).await;
        let now = platform.clock.now();
        // Not added by the log, which removes old entries after it has added one.
        let entry = old(now - TimeDelta::days(29));
        stores.audit.append_audit(&[entry], 9).await.unwrap();
        assert_eq!(platform.seen_by(ADA).await.len(), 1, "{store}");
        platform.clock.jump(TimeDelta::days(2));
        assert_eq!(platform.seen_by(ADA).await.len(), 0, "{store}: not shown");
        let all = AuditQuery::all(Page::first(9));
        assert_eq!(stores.audit.list_audit(&all).await.unwrap().len(), 1);
        platform.webhook(ADA, "new").await;
        for _ in 0..1_000 {
            let kept = stores.audit.list_audit(&all).await.unwrap();
            let names: Vec<_> = kept.iter().map(|row| row.entry.name.as_str()).collect();
            if names == ["new"] {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{store}: the old entry stays");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_store_delays_entries_without_blocking_changes() {
    let faulty = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
    let stores = Stores::of(&faulty);
    faulty.set_refused("append_audit", true);
    let platform = Platform::start(&stores).await;
    let hook = platform.webhook(ADA, "chat").await;
    platform.of(ADA).pause_webhook(hook).await.unwrap();
    let all = AuditQuery::all(Page::first(9));
    assert_eq!(stores.audit.list_audit(&all).await.unwrap(), []);
    faulty.set_refused("append_audit", false);
    let seen: Vec<_> = platform.seen_by(ADA).await.iter().map(said).collect();
    assert_eq!(
        seen,
        ["create webhook_urls/1 chat", "pause webhook_urls/1 chat"]
    );
    assert_eq!(platform.log.lost(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn panicking_or_hanging_store_fails_no_change() {
    for fault in [Fault::Panic, Fault::Late(Duration::from_secs(60))] {
        let faulty = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
        let stores = Stores::of(&faulty);
        let platform = Platform::start(&stores).await;
        faulty.fail("append_audit", 1, fault);
        for n in 0..3 {
            platform.webhook(ADA, &format!("w{n}")).await;
        }
        if fault == Fault::Panic {
            assert_eq!(platform.seen_by(ADA).await.len(), 3, "stored after all");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn overflow_loses_and_counts_only_that_owners_entries() {
    let faulty = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
    let stores = Stores::of(&faulty);
    faulty.set_refused("append_audit", true);
    let platform = Platform::start(&stores).await;
    let hook = platform.webhook(ADA, "chat").await;
    // An entry takes some 300 bytes of the 1 MiB of its owner.
    while platform.log.lost() == 0 {
        platform.of(ADA).pause_webhook(hook).await.unwrap();
    }
    platform.webhook(STRANGER, "other").await;
    assert_eq!(platform.log.lost(), 1, "the stranger's is kept");
    assert_eq!(platform.of(OPERATOR).audit_lost(), Some(1));
    assert_eq!(platform.of(ADA).audit_lost(), None);
    faulty.set_refused("append_audit", false);
    assert_eq!(platform.seen_by(STRANGER).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_option_stores_entry_before_change_returns() {
    let faulty = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
    let stores = Stores::of(&faulty);
    let platform = Platform::with(&stores, |log| log.wait(true)).await;
    faulty.fail("append_audit", 1, Fault::Refused);
    platform.webhook(ADA, "chat").await;
    // No flush: the entry is there when the call returns, also if the store failed at first.
    let all = AuditQuery::all(Page::first(9));
    assert_eq!(stores.audit.list_audit(&all).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_is_removed_can_be_forgotten() {
    on_each_store(async |store, stores| {
        let platform = Platform::start(&stores).await;
        platform.webhook(ADA, "chat").await;
        platform.webhook(BOSS, "mail").await;
        platform.log.forget(OwnerId(ADA)).await.unwrap();
        let seen: Vec<_> = platform.seen_by(OPERATOR).await;
        let names: Vec<_> = seen.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["mail"], "{store}");
    })
    .await;
}

#[tokio::test]
async fn without_a_log_there_is_no_list() {
    let stores = Stores::in_memory();
    let platform = Platform::start(&stores).await;
    let door = Management::builder(platform.keys.clone(), platform.engine.clone()).build();
    let actor = door.of(&principal(ADA));
    actor.create_webhook(webhook(ADA, "chat")).await.unwrap();
    assert!(!actor.has_audit_log());
    let all = AuditQuery::all(Page::first(9));
    actor.logged_changes(&all).await.unwrap_err();
    assert_eq!(platform.seen_by(ADA).await, []);
}
