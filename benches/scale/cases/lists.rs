//! 50 rows of each list with 10,000,000 kept.

use std::time::Instant;

use benches::platform::{now, open};
use chrono::TimeDelta;
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery, DeliveryState};
use gatepost_storage::{Page, Scope};
use webhook_model::{TaskId, WebhookId};

use crate::emitter::owner;
use crate::report::row;
use crate::stage::Stage;

const CALLS: usize = 20;
const GOAL: &str = "<= 20 ms";

pub(crate) async fn measure(stage: &mut Stage) {
    let place = stage.kept().await;
    let store = open(stage.kind, &place).await;
    for (what, query) in queries() {
        let mut medians = Vec::new();
        let mut worst = 0.0_f64;
        for _ in 0..stage.rounds(3) {
            let mut waits = Vec::new();
            for _ in 0..CALLS {
                let begun = Instant::now();
                let rows = store.list_deliveries(&query).await.unwrap();
                waits.push(begun.elapsed().as_secs_f64() * 1e3);
                assert!(!rows.is_empty() || what.starts_with("queued"), "{what}");
            }
            let (median, _, most) = benches::spread(waits);
            medians.push(median);
            worst = worst.max(most);
        }
        let what = format!("list, {what} (worst call {worst:.1} ms)");
        row(stage.kind, &what, &medians, "ms", GOAL);
    }
}

/// Returns filters, single and combined. Errors are one in 97.
fn queries() -> Vec<(&'static str, DeliveryQuery)> {
    let all = DeliveryQuery::all(Page::newest(50));
    let states = |states: &[DeliveryState]| DeliveryQuery {
        states: states.to_vec(),
        ..all.clone()
    };
    let mine = DeliveryQuery {
        scope: Scope::Owner(owner(77)),
        ..all.clone()
    };
    let error = states(&[DeliveryState::Error]);
    let hour = DeliveryQuery {
        created_from: Some(now() - TimeDelta::days(10) - TimeDelta::hours(1)),
        created_before: Some(now() - TimeDelta::days(10)),
        ..all.clone()
    };
    let middle = DeliveryQuery {
        page: Page::newest(50).beyond(DeliveryId(500_000)),
        ..all.clone()
    };
    vec![
        ("newest", all.clone()),
        ("from the middle", middle),
        (
            "of a webhook",
            DeliveryQuery {
                webhook: Some(WebhookId(77)),
                ..all.clone()
            },
        ),
        (
            "of a task",
            DeliveryQuery {
                task: Some(TaskId(77)),
                ..all.clone()
            },
        ),
        ("of an owner", mine.clone()),
        (
            "of a tenant",
            DeliveryQuery {
                scope: Scope::Tenant(benches::platform::tenant_of(owner(77)).unwrap()),
                ..all.clone()
            },
        ),
        ("queued", states(&[DeliveryState::Queued])),
        ("sent", states(&[DeliveryState::Sent])),
        ("in error", error.clone()),
        (
            "in error of an owner",
            DeliveryQuery {
                states: error.states.clone(),
                ..mine.clone()
            },
        ),
        (
            "of a class",
            DeliveryQuery {
                class: Some("status".to_owned()),
                ..all.clone()
            },
        ),
        ("of an hour ten days ago", hour.clone()),
        (
            "of an owner, of the last ten days",
            DeliveryQuery {
                created_from: Some(now() - TimeDelta::days(10)),
                ..mine
            },
        ),
        (
            "in error, of an hour ten days ago",
            DeliveryQuery {
                states: error.states,
                ..hour
            },
        ),
    ]
}
