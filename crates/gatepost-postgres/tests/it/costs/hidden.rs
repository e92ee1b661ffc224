//! Lists with deliveries that are too old and whose partition has not been dropped yet.

use gatepost_ids::TenantId;
use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_storage::{Page, Scope};
use webhook_model::OwnerId;

use super::filled::{as_a_list, filled, literal};
use crate::common::pages;
use crate::source::{Key, sources};

/// All up to the 110,000th are too old; one among them waits.
const OLD: &str = "
    UPDATE gatepost_kept SET created_before = timestamptz '2026-01-01' + 110000 * interval '1 second', first = 110000 * 20;
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    VALUES (50000 * 20, 1, '2026-03-01', 0, 0, 0, 0, false)";

/// The owners are in three tenants. One left the second, and a delivery of theirs was replayed.
const PLACED: &str = "
    UPDATE gatepost_owner SET place = 'tenant:' || 1 + n % 3, tenant = gatepost_id((1 + n % 3)::text), known = true
    FROM generate_series(1, 20) AS n WHERE owner = gatepost_id(n::text);
    UPDATE gatepost_owner SET place = 'tenant:9', tenant = gatepost_id('9') WHERE owner = gatepost_id('4');
    INSERT INTO gatepost_queue (id, webhook, due, tries, attempts, class, lost, marked)
    VALUES (109967 * 20, 4, '2026-03-01', 0, 0, 0, 0, false)";
/// The owners were in more tenants than are stored.
const MANY_MOVES: &str =
    "UPDATE gatepost_owner SET left_tenants = NULL WHERE owner = gatepost_id('4')";

/// Returns the listed deliveries, by their numbers in `FILL`.
async fn ids(store: &PostgresStore, query: &DeliveryQuery) -> Vec<i64> {
    let found = store.list_deliveries(query).await.unwrap();
    found.iter().map(|row| row.id.0 / 20).collect()
}

#[tokio::test]
async fn lists_pass_over_what_is_too_old() {
    let (client, (store, _place)) = filled().await;
    client.batch_execute(OLD).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    as_a_list(&client).await;
    let of = |scope| DeliveryQuery {
        scope,
        ..DeliveryQuery::all(Page::first(3))
    };
    let shown = [50_000, 110_000, 110_001];
    for scope in [Scope::All, Scope::Owner(OwnerId(1))] {
        assert_eq!(ids(&store, &of(scope)).await, shown, "{scope:?}");
    }
    let newest = DeliveryQuery {
        page: Page {
            after: Some(DeliveryId(110_002 * 20)),
            ..Page::newest(3)
        },
        ..of(Scope::Owner(OwnerId(1)))
    };
    let [second, first, waits] = ids(&store, &newest).await[..] else {
        panic!("three are left");
    };
    assert_eq!([second, first, waits], [110_001, 110_000, 50_000]);
    let key = Key::of(&newest);
    for source in sources(&newest) {
        let of = literal(key).unwrap();
        let params = format!("{}, {}, 54, {of}", 110_000 * 20, i64::MAX);
        let read = pages(&client, &source.sql(key, newest.page.order), &params).await;
        assert!(read < 400, "{read} pages: {source:?}");
    }
}

#[tokio::test]
async fn waiting_deliveries_stay_in_tenant_their_owner_left() {
    let (client, (store, _place)) = filled().await;
    client.batch_execute(OLD).await.unwrap();
    client.batch_execute(PLACED).await.unwrap();
    client.batch_execute("ANALYZE").await.unwrap();
    let query = |states: &[DeliveryState]| DeliveryQuery {
        scope: Scope::Tenant(TenantId(2)),
        states: states.to_vec(),
        ..DeliveryQuery::all(Page::first(3))
    };
    for moves in ["SELECT 1", MANY_MOVES] {
        client.batch_execute(moves).await.unwrap();
        let all = ids(&store, &query(&[])).await;
        assert_eq!(all, [50_000, 109_967, 110_000], "{moves}");
        let waits = ids(&store, &query(&[DeliveryState::Queued])).await;
        assert_eq!(waits[..2], [50_000, 109_967], "{moves}");
    }
}

#[tokio::test]
async fn lists_leave_out_removed_webhooks() {
    let (client, (store, _place)) = filled().await;
    let query = DeliveryQuery {
        scope: Scope::Owner(OwnerId(7)),
        ..DeliveryQuery::all(Page::first(1))
    };
    assert_eq!(ids(&store, &query).await.len(), 1);
    let gone = "UPDATE gatepost_webhook SET gone = true WHERE id = 7; DELETE FROM gatepost_queue WHERE webhook = 7";
    client.batch_execute(gone).await.unwrap();
    assert_eq!(ids(&store, &query).await, [0; 0]);
}
