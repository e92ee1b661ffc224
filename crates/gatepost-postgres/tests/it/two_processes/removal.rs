//! Deletion of a webhook, an owner or a tenant during an enqueue: no table keeps any of its rows.

use gatepost_ids::{OwnerId, Realm};
use gatepost_postgres::PostgresStore;
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore as _};
use gatepost_testkit::fixtures::{at, settlement_of};
use webhook_model::WebhookId;

use super::{KINDS, Kind, Race, claims_of, listed, remove_all, settle};

/// The rows of the first owner, `$1`, whose webhook is `$2` and whose deliveries are `$3`. A table
/// with several of these columns is listed for each.
const COLUMNS: &str = "
    SELECT c.table_name::text, CASE c.column_name
        WHEN 'webhook' THEN 'webhook = ' || $2
        WHEN 'delivery' THEN 'delivery = ANY (' || $3 || ')'
        WHEN 'ids' THEN 'ids && ' || $3
        ELSE c.column_name || '::text = ' || $1 END
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
        AND c.column_name IN ('webhook', 'delivery', 'ids', 'owner', 'creator')
        -- What changed in a realm is remembered by number.
        AND c.table_name <> 'gatepost_change'";
/// An owner whose webhook is deleted stays, with their usage.
const OF_OWNERS: [&str; 3] = [
    "gatepost_owner",
    "gatepost_record_usage",
    "gatepost_log_usage",
];

#[derive(Clone, Copy, Debug)]
enum Case {
    Webhook,
    Owner,
    Tenant,
}

impl Case {
    /// Makes the removal, until the store says that nothing is left that can be done at this time.
    async fn make(self, store: PostgresStore, webhook: WebhookId, realm: Realm) {
        let marked = match self {
            Self::Webhook => {
                let deleted = store.delete_webhook(webhook, Cascade::Tasks, at(1));
                deleted.await
            }
            Self::Owner => store.mark_gone(Removal::Owner(OwnerId(1)), at(1)).await,
            Self::Tenant => {
                let tenant = realm.tenant().unwrap();
                store.mark_gone(Removal::Tenant(tenant), at(1)).await
            }
        };
        marked.unwrap();
        remove_all(&store).await;
    }
}

/// Stores deliveries that were sent and that wait, counters of both kinds, and usage.
async fn history(race: &Race) -> Vec<DeliveryId> {
    let hook = race.two.of_one;
    let stored = race.enqueue(race.batch(Kind::Leased, "sent").await).await;
    settle(&race.two.a, claims_of(&stored), Disposition::Sent).await;
    let waits = race.enqueue(race.batch(Kind::Waiting, "waits").await).await;
    let rejected = RejectedCount {
        webhook: hook,
        reason: RejectReason::Rate,
        minute: at(0),
        count: 1,
    };
    let usage = UsageDelta {
        owner: OwnerId(1),
        waiting: 2,
        waiting_bytes: 4,
        log_bytes: 8,
    };
    let added = Counters {
        hourly: vec![HourlyCount::failed(hook, at(0))],
        rejected: vec![rejected],
        usage: vec![usage],
    };
    race.two.a.add_counters(added).await.unwrap();
    stored
        .iter()
        .chain(&waits)
        .map(|stored| stored.id)
        .collect()
}

/// Returns the tables that have rows of the first owner.
async fn left(race: &Race, removal: Case, deliveries: &[DeliveryId]) -> Vec<String> {
    let ids: Vec<String> = deliveries.iter().map(|id| id.0.to_string()).collect();
    let ids = format!("'{{{}}}'::bigint[]", ids.join(","));
    let owner = format!("'{:032x}'::uuid::text", 1);
    let hook = race.two.of_one.0.to_string();
    let client = &race.two.client;
    let columns = client.query(COLUMNS, &[&owner, &hook, &ids]).await.unwrap();
    let mut left = Vec::new();
    for (table, condition) in columns.iter().map(|row| (row.get(0), row.get(1))) {
        let (table, condition): (String, String) = (table, condition);
        if matches!(removal, Case::Webhook) && OF_OWNERS.contains(&&*table) {
            continue;
        }
        let found = format!("SELECT FROM {table} WHERE {condition} LIMIT 1");
        if !client.query(&found, &[]).await.unwrap().is_empty() {
            left.push(table);
        }
    }
    left
}

async fn next_to_enqueue(removal: Case) {
    for kind in KINDS {
        let race = Race::new().await;
        let (hook, realm) = (race.two.of_one, race.two.one);
        let mut deliveries = history(&race).await;
        assert!(left(&race, removal, &deliveries).await.len() > 5, "control");
        let later = race.batch(kind, "later").await;
        let batch = race.batch(kind, "m").await;
        let raced = race.run(batch, |b| removal.make(b, hook, realm)).await;
        assert_eq!((raced.shown.len(), listed(&race.two.a).await.len()), (0, 0));
        assert_eq!(race.claim(hook, 2).await, [], "{kind:?}");
        race.assert_refused(later.clone(), kind).await;
        let mut new = later.clone();
        new.precondition = race.two.precondition_of(&[realm]).await;
        let refused = race.two.a.enqueue(new, at(3)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{kind:?}");
        // The process that sent the leased deliveries settles them, in vain or not.
        let settlements = raced.claims().map(|c| settlement_of(c, Disposition::Sent));
        let settlements = settlements.collect();
        race.two.a.settle(settlements, at(4)).await.unwrap();
        remove_all(&race.two.a).await;
        deliveries.extend(raced.ids());
        let left = left(&race, removal, &deliveries).await;
        assert_eq!(left, [""; 0], "{removal:?} {kind:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_webhook_next_to_enqueue_leaves_nothing() {
    next_to_enqueue(Case::Webhook).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removed_owner_next_to_enqueue_leaves_nothing() {
    next_to_enqueue(Case::Owner).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removed_tenant_next_to_enqueue_leaves_nothing() {
    next_to_enqueue(Case::Tenant).await;
}
