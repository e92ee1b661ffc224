//! An owner's share of the caches, whatever others have.

use std::sync::Arc;

use gatepost_storage::Revision;
use webhook_model::{OwnerId, TaskId, WebhookId};

use super::super::{Messages, WebhookCache};
use super::{MIB, counted};
use crate::testing::Records;

/// Has more than can be cached.
const GREEDY: u128 = 1;
const OTHER: u128 = 2;

/// Creates tasks of a new webhook of this owner.
async fn tasks(records: &Records, owner: u128, message: &str, number: usize) -> Vec<TaskId> {
    let webhook = records.webhook(|w| w.owner = OwnerId(owner)).await;
    let mut tasks = Vec::new();
    for _ in 0..number {
        tasks.push(records.task(webhook, message, false).await);
    }
    tasks
}

#[tokio::test]
async fn owner_evicts_only_own_webhooks_when_memory_full() {
    let records = Records::new();
    let other = records.webhook(|w| w.owner = OwnerId(OTHER)).await;
    let greedy = records.large_webhooks(GREEDY, 100).await;
    let cache = WebhookCache::with_memory(records.store.clone(), MIB);
    let read = async |id: WebhookId| {
        let found = cache.get(id, Revision::FIRST).await;
        found.unwrap().unwrap()
    };
    let before = read(other).await;
    for id in greedy.iter().chain(&greedy) {
        read(*id).await;
    }
    let cached = |id: WebhookId| cache.cached(id, Revision::FIRST);
    assert!(cached(other).is_some_and(|now| Arc::ptr_eq(&now, &before)));
    let held = greedy.iter().filter(|id| cached(**id).is_some()).count();
    assert!((50..=60).contains(&held), "{held} of 17 KiB in 1 MiB");
}

#[tokio::test]
async fn messages_of_one_owner_do_not_evict_others() {
    let records = Records::new();
    let other = tasks(&records, OTHER, "x", 1).await;
    let greedy = tasks(&records, GREEDY, &"x".repeat(16 * 1024), 60).await;
    let store = counted(&records);
    let messages = Messages::new(store.clone(), MIB);
    let read = async |ids: &[TaskId], owner: u128| {
        for id in ids {
            let task = (*id, OwnerId(owner), Revision::FIRST);
            messages.of([task].into_iter()).await.unwrap();
        }
        store.calls()
    };
    read(&other, OTHER).await;
    read(&greedy, GREEDY).await;
    let before = read(&greedy, GREEDY).await;
    assert_eq!(read(&other, OTHER).await, before);
}
