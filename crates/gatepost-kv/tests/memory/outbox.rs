//! One process has an audience of the outbox at a time, and audiences take turns.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{OutboxAudience, OutboxStore};
use webhook_model::{Audience, Occurrence};

use crate::common::at;

async fn push(store: &MemoryStore, audience: Audience, now: i64) {
    let (event_type, event) = ("vms".parse().unwrap(), "on".parse().unwrap());
    let occurrence = Occurrence::new(event_type, event, audience);
    store.push_outbox(&occurrence, at(now)).await.unwrap();
}

/// Takes an audience for ten seconds.
async fn take(store: &MemoryStore, holder: u128, now: i64) -> Option<(OutboxAudience, usize)> {
    let taken = store.take_outbox(holder, 2, at(now + 10), at(now));
    let taken = taken.await.unwrap()?;
    Some((taken.audience, taken.rows.len()))
}

#[tokio::test]
async fn least_recently_taken_audience_comes_first() {
    let store = MemoryStore::new();
    let tenant = |n| Audience::Tenant(TenantId(n));
    let (busy, new) = (tenant(1), Audience::Owner(OwnerId(1)));
    for _ in 0..5 {
        push(&store, busy, 0).await;
    }
    assert_eq!(take(&store, 1, 0).await, Some((busy.into(), 2)));
    assert_eq!(take(&store, 2, 0).await, None, "another has it");
    assert_eq!(
        take(&store, 1, 0).await,
        Some((busy.into(), 2)),
        "it has it"
    );
    push(&store, new, 0).await;
    push(&store, tenant(9), 5).await;
    assert_eq!(take(&store, 1, 0).await, Some((new.into(), 1)));
    assert_eq!(take(&store, 2, 0).await, None, "the third is not due yet");
    assert_eq!(take(&store, 2, 5).await, Some((tenant(9).into(), 1)));
    store.give_back_outbox(new.into(), 2).await.unwrap();
    assert_eq!(take(&store, 3, 5).await, None, "its holder did not give it");
    assert_eq!(take(&store, 3, 10).await, Some((busy.into(), 2)), "by time");
    store.give_back_outbox(busy.into(), 3).await.unwrap();
    assert_eq!(take(&store, 4, 10).await, Some((new.into(), 1)), "by time");
    assert_eq!(take(&store, 4, 10).await, Some((busy.into(), 2)), "given");
}

#[tokio::test]
async fn unaddressed_and_operator_rows_share_one_audience() {
    let store = MemoryStore::new();
    push(&store, Audience::OneSystem, 0).await;
    push(&store, Audience::Operators, 0).await;
    let none = OutboxAudience {
        tenant: 0,
        owner: 0,
    };
    assert_eq!(take(&store, 1, 0).await, Some((none, 2)));
}
