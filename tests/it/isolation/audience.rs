//! The platform decides which users receive an occurrence.

use gatepost_engine::{Audience, EngineError};
use gatepost_ids::TenantId;
use webhook_model::{Field, ObjectId, Target};

use super::{A, ALONE, B, COLLEAGUE, Platform, alarm, switched_on};

#[tokio::test]
async fn event_on_object_of_others_is_forbidden() {
    let platform = Platform::start().await;
    let webhook = platform.webhook(B, "b").await;
    let task = platform.task(webhook, "${NAME}", false).await;
    let refused = platform
        .event("vms", Target::Instance(ObjectId::from(110)), task)
        .await
        .unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused}");
    let missing = platform
        .event("vms", Target::Instance(ObjectId::from(999)), task)
        .await
        .unwrap_err();
    assert!(
        matches!(missing, EngineError::Dangling(Field::Owner)),
        "{missing:?}"
    );
    platform
        .event("vms", Target::Instance(ObjectId::from(210)), task)
        .await
        .unwrap();
}

#[tokio::test]
async fn tenant_occurrence_never_reaches_another_tenant() {
    let platform = Platform::start().await;
    let (own, all) = (Target::Instance(ObjectId::from(110)), Target::Generic);
    for (owner, path) in [
        (A, "a"),
        (COLLEAGUE, "colleague"),
        (B, "b"),
        (ALONE, "alone"),
    ] {
        let webhook = platform.webhook(owner, path).await;
        let task = platform.task(webhook, "${NAME} ${SECRET}", false).await;
        platform.event("vms", all, task).await.unwrap();
        platform.event("alarms", all, task).await.unwrap();
        if owner == A {
            platform.event("vms", own, task).await.unwrap();
        }
    }
    let mut occurrence = switched_on(110);
    occurrence.variables = vec![("SECRET".to_owned(), "of tenant 1".to_owned())];
    let emitted = platform.engine.emit(occurrence).await.unwrap();
    assert_eq!(
        emitted.deliveries.len(),
        2,
        "a and the colleague, once each"
    );
    let to_one = platform
        .engine
        .emit(alarm("alarms", Audience::Owner(ALONE)))
        .await
        .unwrap();
    assert_eq!(to_one.deliveries.len(), 1);
    let to_b = platform
        .engine
        .emit(alarm("alarms", Audience::Tenant(TenantId(2))))
        .await
        .unwrap();
    assert_eq!(to_b.deliveries.len(), 1);
    for (path, count) in [("a", 1), ("colleague", 1), ("alone", 1), ("b", 1)] {
        platform
            .receiver
            .wait_for(&format!("/{path}"), count)
            .await
            .unwrap();
        assert_eq!(platform.arrived(path), count, "{path}");
    }
    let b = platform.receiver.wait_for("/b", 1).await.unwrap();
    assert!(!b.body.contains("tenant 1"), "{}", b.body);
}
