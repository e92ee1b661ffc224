//! Lists of an owner who has ten rows, when others have ten and when they have very many.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::platform::{Kind, Platform, now, tenant_of};
use gatepost_storage::webhooks::{
    DeliveryQuery, DeliveryState, EventQuery, TaskQuery, WebhookQuery,
};
use gatepost_storage::{Page, Scope};
use webhook_model::OwnerId;

const OWN: OwnerId = OwnerId(11);
const CALLS: usize = 200;

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let platform = Arc::new(Platform::open(kind).await);
    let (webhook, tasks) = platform.records(OWN, "http://target.test/paused", 10).await;
    platform.queue(webhook, Some(tasks[0]), 10).await;
    if case == "million" {
        let owners = if short { 1_000 } else { 10_000 };
        platform
            .records_of_all(
                (10..owners).map(|n| OwnerId(n * 10 + 1)),
                "http://target.test/paused",
                10,
            )
            .await;
        let (other, tasks) = platform
            .records(OwnerId(31), "http://target.test/paused", 1)
            .await;
        let many = if short { 100_000 } else { 1_000_000 };
        platform.queue(other, Some(tasks[0]), many).await;
    }
    let store = &platform.store;
    for (whose, scope) in [
        ("owner", Scope::Owner(OWN)),
        ("tenant", Scope::Tenant(tenant_of(OWN).unwrap())),
    ] {
        let webhooks = WebhookQuery {
            scope,
            name: None,
            page: Page::newest(50),
        };
        figure(&format!("webhooks of {whose}"), || {
            store.list_webhooks(&webhooks)
        })
        .await;
        let tasks = TaskQuery {
            scope,
            creator: None,
            webhook: None,
            name: None,
            page: Page::newest(50),
        };
        figure(&format!("tasks of {whose}"), || store.list_tasks(&tasks)).await;
        let events = EventQuery {
            scope,
            task: None,
            event_type: None,
            page: Page::newest(50),
        };
        figure(&format!("events of {whose}"), || store.list_events(&events)).await;
        let all = DeliveryQuery {
            scope,
            ..DeliveryQuery::all(Page::newest(50))
        };
        figure(&format!("deliveries of {whose}"), || {
            store.list_deliveries(&all)
        })
        .await;
        let queued = DeliveryQuery {
            states: vec![DeliveryState::Queued],
            ..all.clone()
        };
        figure(&format!("queued of {whose}"), || {
            store.list_deliveries(&queued)
        })
        .await;
        let rare = DeliveryQuery {
            states: vec![DeliveryState::Error],
            ..all.clone()
        };
        figure(&format!("errors of {whose}"), || {
            store.list_deliveries(&rare)
        })
        .await;
        let recent = DeliveryQuery {
            created_from: Some(now() - Duration::from_secs(86_400)),
            ..all.clone()
        };
        figure(&format!("today's of {whose}"), || {
            store.list_deliveries(&recent)
        })
        .await;
    }
    let all = DeliveryQuery::all(Page::newest(50));
    let by_webhook = DeliveryQuery {
        webhook: Some(webhook),
        ..all.clone()
    };
    figure("deliveries of a webhook", || {
        store.list_deliveries(&by_webhook)
    })
    .await;
    let by_task = DeliveryQuery {
        task: Some(tasks[0]),
        ..all
    };
    figure("deliveries of a task", || store.list_deliveries(&by_task)).await;
}

/// Returns the median of many calls.
async fn figure<T, E: std::fmt::Debug, F: Future<Output = Result<Vec<T>, E>>>(
    what: &str,
    list: impl Fn() -> F,
) {
    let mut waits = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        list().await.unwrap();
        waits.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    println!("figure {what}, µs {}", benches::spread(waits).0);
}
