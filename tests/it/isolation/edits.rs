//! One user's changes make no other user's data be read again.

use std::sync::atomic::{AtomicBool, Ordering};

use webhook_model::{ObjectId, Target};

use super::{A, ALONE, B, COLLEAGUE, Platform, switched_on};

/// Returns the store calls that emits of A make.
async fn calls_of_emits(platform: &Platform, emits: usize) -> u64 {
    let before = platform.counted.calls_of("enqueue") + platform.counted.calls_of("route_changes");
    for _ in 0..emits {
        let emitted = platform.engine.emit(switched_on(110)).await.unwrap();
        assert_eq!(emitted.deliveries.len(), 1);
    }
    platform.counted.calls_of("enqueue") + platform.counted.calls_of("route_changes") - before
}

#[tokio::test]
async fn edits_in_other_realms_cost_emits_nothing() {
    let platform = Platform::start().await;
    let (own, _) = platform.watching(A, "a", 110).await;
    platform.engine.pause_webhook(own).await.unwrap();
    let large = "x".repeat(100_000);
    let mut edited = Vec::new();
    for owner in [B, ALONE] {
        let webhook = platform.webhook(owner, "w").await;
        for _ in 0..20 {
            edited.push(platform.task(webhook, &large, false).await);
        }
    }
    let alone = calls_of_emits(&platform, 10).await;
    let editing = async {
        for n in 0..10 {
            for task in &edited {
                let edit = platform.engine.edit_task(*task, |task| {
                    task.description = n.to_string().parse()?;
                    Ok(())
                });
                edit.await.unwrap();
            }
        }
    };
    let emitting = async {
        let mut most = 0;
        for _ in 0..20 {
            most = most.max(calls_of_emits(&platform, 10).await);
        }
        most
    };
    let ((), most) = tokio::join!(editing, emitting);
    assert_eq!(alone, 10, "one enqueue each");
    assert_eq!(most, 10, "others' edits cost a try or a read");
}

#[tokio::test]
async fn edits_within_realm_never_refuse_an_emit() {
    let platform = Platform::start().await;
    let (own, _) = platform.watching(A, "a", 110).await;
    platform.engine.pause_webhook(own).await.unwrap();
    let webhook = platform.webhook(COLLEAGUE, "w").await;
    let task = platform.task(webhook, "x", false).await;
    let stop = AtomicBool::new(false);
    let editing = async {
        for n in 0_u64.. {
            if stop.load(Ordering::Relaxed) {
                return n;
            }
            let edit = platform.engine.edit_task(task, |task| {
                task.description = n.to_string().parse()?;
                Ok(())
            });
            edit.await.unwrap();
        }
        0
    };
    let emitting = async {
        let mut stored = 0;
        for _ in 0..300 {
            let emitted = platform.engine.emit(switched_on(110)).await.unwrap();
            stored += emitted.deliveries.len() + usize::from(emitted.pending);
        }
        stop.store(true, Ordering::Relaxed);
        stored
    };
    let (edits, stored) = tokio::join!(editing, emitting);
    assert_eq!(stored, 300, "beside {edits} edits");
}

#[tokio::test]
async fn one_time_task_flood_causes_no_route_reads() {
    let platform = Platform::start().await;
    let (own, _) = platform.watching(A, "a", 110).await;
    platform.engine.pause_webhook(own).await.unwrap();
    let webhook = platform.webhook(B, "b").await;
    platform.engine.pause_webhook(webhook).await.unwrap();
    for _ in 0..50 {
        let task = platform.task(webhook, "x", true).await;
        platform
            .event("vms", Target::Instance(ObjectId::from(210)), task)
            .await
            .unwrap();
        assert_eq!(
            platform
                .engine
                .emit(switched_on(210))
                .await
                .unwrap()
                .deliveries
                .len(),
            1
        );
    }
    calls_of_emits(&platform, 1).await;
    let reads = platform.counted.calls_of("routes");
    for _ in 0..50 {
        let task = platform.task(webhook, "x", true).await;
        platform
            .event("vms", Target::Instance(ObjectId::from(210)), task)
            .await
            .unwrap();
        assert_eq!(
            platform
                .engine
                .emit(switched_on(210))
                .await
                .unwrap()
                .deliveries
                .len(),
            1
        );
        assert_eq!(calls_of_emits(&platform, 1).await, 1);
    }
    assert_eq!(
        platform.counted.calls_of("routes"),
        reads,
        "the table is not read again"
    );
}
