//! A transaction of the platform that writes for a very long time delays nothing.

use gatepost_ids::OwnerId;
use gatepost_postgres::PostgresStore;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, keep_all};
use tokio::time::timeout;
use webhook_model::{Activity, DeliveryOrder, Webhook};

use super::{Kind, Race, claims_of, listed, move_owner, remove_all, settle};
use crate::common::claim_all;
use crate::locks::SOON;

/// The statements of such a transaction: it writes to the outbox, or to another table.
const WRITES: [&str; 2] = [
    "INSERT INTO gatepost_occurrence (event_type, event) VALUES ('vms', 'poweron')",
    "INSERT INTO foreign_rows VALUES (1)",
];

async fn change(race: &Race, edit: impl FnOnce(&mut Webhook)) {
    let store = &race.two.b;
    let mut row = store.webhook(race.two.of_one).await.unwrap().unwrap();
    edit(&mut row.value);
    store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
}

async fn claim_one(race: &Race) {
    let claimed = claim_all(&race.two.b, race.two.of_one, 1).await;
    assert_eq!(claimed.len(), 1, "in order");
    let claims = claimed.iter().map(|claimed| Claim {
        delivery: claimed.delivery.id,
        token: claimed.token,
    });
    settle(&race.two.b, claims, Disposition::Sent).await;
}

/// Makes every kind of change, with enqueues and claims in between.
async fn changes(race: &Race) {
    let (store, owner) = (&race.two.b, OwnerId(1));
    let task = store.task(race.task).await.unwrap().unwrap();
    store.update_task(&task, UNLIMITED, at(1)).await.unwrap();
    change(race, |hook| hook.activity = Activity::Paused).await;
    change(race, |hook| hook.activity = Activity::Active).await;
    store.hold_owner(owner, true, at(1)).await.unwrap();
    store.hold_owner(owner, false, at(1)).await.unwrap();
    race.enqueue(race.batch(Kind::Waiting, "m").await).await;
    change(race, |hook| hook.order = DeliveryOrder::InOrder).await;
    claim_one(race).await;
    claim_one(race).await;
    move_owner(store, race.two.other).await;
    let deleted = store.delete_webhook(race.two.of_one, Cascade::Tasks, at(1));
    deleted.await.unwrap();
    remove_all(store).await;
    store.mark_gone(Removal::Owner(owner), at(1)).await.unwrap();
    remove_all(store).await;
}

/// Stores deliveries that were sent, in two parts of the log.
async fn history(race: &Race) {
    let sent = async |name| {
        let leased = race.enqueue(race.batch(Kind::Leased, name).await).await;
        settle(&race.two.a, claims_of(&leased), Disposition::Sent).await;
    };
    sent("first").await;
    let next = "SELECT setval('gatepost_delivery_id_seq', 1000000, false)";
    race.two.client.batch_execute(next).await.unwrap();
    sent("next").await;
}

async fn purge(store: &PostgresStore) {
    let bounds = PurgeBounds {
        created_before: at(100),
        ..keep_all()
    };
    store.prepare_log(at(1_000)).await.unwrap();
    while store.purge(&bounds, 1_000, at(1_000)).await.unwrap().more {}
    assert_eq!(listed(store).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_foreign_transaction_delays_nothing() {
    for write in WRITES {
        let race = Race::new().await;
        history(&race).await;
        let client = &race.two.client;
        let table = "CREATE TABLE foreign_rows (n int)";
        client.batch_execute(table).await.unwrap();
        let begin = format!("BEGIN; {write}");
        client.batch_execute(&begin).await.unwrap();
        let purged = timeout(SOON, Box::pin(purge(&race.two.b)));
        purged.await.expect("retention is held up");
        let changed = timeout(SOON, Box::pin(changes(&race)));
        changed.await.expect("a change is held up");
        client.batch_execute("COMMIT").await.unwrap();
    }
}
