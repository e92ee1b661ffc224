//! Lists.

use std::fmt::Write as _;

use gatepost_ids::TenantId;
use gatepost_storage::webhooks::*;
use gatepost_storage::{Order, Page, Scope};
use uuid::Uuid;
use webhook_model::{OwnerId, TaskId, WebhookId};

use super::filled::{ONE_USER, as_a_list, filled, literal};
use crate::common::pages;
use crate::source::{Key, Source, sources};

fn queries() -> Vec<DeliveryQuery> {
    use DeliveryState::*;
    let mut queries = Vec::new();
    for order in [Order::Ascending, Order::Descending] {
        let all = DeliveryQuery::all(Page {
            order,
            ..Page::first(50)
        });
        let scopes = [
            Scope::All,
            Scope::Owner(OwnerId(7)),
            Scope::Tenant(TenantId(2)),
        ];
        for scope in scopes {
            queries.push(DeliveryQuery {
                scope,
                ..all.clone()
            });
        }
        for hook in [1, 7] {
            queries.push(DeliveryQuery {
                webhook: Some(WebhookId(hook)),
                ..all.clone()
            });
            queries.push(DeliveryQuery {
                task: Some(TaskId(hook)),
                ..all.clone()
            });
        }
    }
    let states = [vec![], vec![Queued], vec![Running], vec![Error], vec![Sent]];
    let mut each = Vec::new();
    for query in queries {
        for states in &states {
            each.push(DeliveryQuery {
                states: states.clone(),
                ..query.clone()
            });
        }
        each.push(DeliveryQuery {
            class: Some("timeout".to_owned()),
            ..query
        });
    }
    each
}

#[tokio::test]
async fn list_page_ids_are_found_with_few_reads() {
    let (client, _store) = filled().await;
    let whole = pages(&client, "SELECT count(created) FROM gatepost_delivery", "").await;
    assert!(whole > 1_000, "{whole} pages of all: nothing is proved");
    as_a_list(&client).await;
    let mut worst = String::new();
    for query in queries() {
        let key = Key::of(&query);
        for source in sources(&query) {
            let value = literal(key).map(|id| format!(", {id}")).unwrap_or_default();
            // From the first waiting delivery on, as the store does for a task.
            let low = if query.states == [DeliveryState::Queued] {
                114_000 * 20
            } else {
                0
            };
            let params = format!("{low}, {}, 54{value}", i64::MAX);
            let pages = pages(&client, &source.sql(key, query.page.order), &params).await;
            // In the order from the newest, sent deliveries come after the waiting ones.
            let most = match query.states.as_slice() {
                [DeliveryState::Sent] => 20_000,
                _ => 400,
            };
            if pages > most {
                writeln!(
                    worst,
                    "{pages} pages: {source:?} {key:?} {:?}",
                    query.page.order
                )
                .unwrap();
            }
        }
    }
    assert_eq!(worst, "");
}

/// An owner without deliveries, while one user has all that were sent: to the planner, the next row
/// of any key seems to be close.
#[tokio::test]
async fn list_without_matches_reads_few_pages() {
    let (client, _store) = filled().await;
    client.batch_execute(ONE_USER).await.unwrap();
    client.batch_execute("VACUUM ANALYZE").await.unwrap();
    let mut worst = String::new();
    for query in queries().iter().filter(|query| Key::of(query) != Key::All) {
        let (key, order) = (Key::of(query), query.page.order);
        let key = match key {
            Key::Webhook(_) => Key::Webhook(20),
            Key::Task(_) => Key::Task(20),
            Key::Owner(_) => Key::Owner(Uuid::from_u128(20)),
            _ => Key::Tenant(Uuid::from_u128(20)),
        };
        as_a_list(&client).await;
        for source in sources(query) {
            if matches!(source, Source::Log { .. } | Source::Failed) {
                let params = format!("0, {}, 54, {}", i64::MAX, literal(key).unwrap());
                let pages = pages(&client, &source.sql(key, order), &params).await;
                if pages > 100 {
                    writeln!(worst, "{pages} pages: {source:?} {key:?} {order:?}").unwrap();
                }
            }
        }
    }
    client.batch_execute("RESET enable_sort").await.unwrap();
    for (name, sql, params) in [
        ("last", include_str!("../../../src/sql/gone/last.sql"), "50"),
        (
            "gone",
            include_str!("../../../src/sql/gone/deliveries.sql"),
            "50",
        ),
    ] {
        let pages = pages(&client, sql, params).await;
        if pages > 300 {
            writeln!(worst, "{pages} pages: {name}").unwrap();
        }
    }
    assert_eq!(worst, "");
}
