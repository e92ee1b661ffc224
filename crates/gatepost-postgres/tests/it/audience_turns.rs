//! Audiences of the outbox take turns, and no row is missed, whatever its order of commit.

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::{OutboxAudience, OutboxStore, OutboxTaken, PutBack};
use gatepost_testkit::fixtures::{at, occurrence};
use tokio_postgres::Client;
use webhook_model::{Object, ObjectId};

use crate::common::{fresh_at, raw, rows};

const ME: u128 = 1;

async fn insert(client: &Client, tenant: u128) {
    let row = format!(
        "INSERT INTO gatepost_occurrence (event_type, event, tenant, due) VALUES ('vms', 'on', {tenant}, 'epoch')"
    );
    client.batch_execute(&row).await.unwrap();
}

async fn take(store: &PostgresStore, holder: u128) -> Option<OutboxTaken> {
    let taken = store.take_outbox(holder, 9, at(60), at(0)).await;
    taken.unwrap()
}

/// Takes the audiences that another process would find, and gives them back unchanged.
async fn tenants(store: &PostgresStore) -> Vec<(u128, usize)> {
    let mut taken = Vec::new();
    let mut found = Vec::new();
    while let Some(next) = take(store, 100 + taken.len() as u128).await {
        found.push((next.audience.tenant, next.rows.len()));
        taken.push(next.audience);
    }
    for (audience, holder) in taken.into_iter().zip(100..) {
        store.give_back_outbox(audience, holder).await.unwrap();
    }
    found.sort_unstable();
    found
}

#[tokio::test]
async fn a_row_is_found_whenever_its_transaction_commits() {
    let (store, _, place) = fresh_at().await;
    let (slow, fast) = (raw(&place).await, raw(&place).await);
    slow.batch_execute("BEGIN").await.unwrap();
    insert(&slow, 1).await;
    insert(&fast, 2).await;
    assert_eq!(tenants(&store).await, [(2, 1)]);
    insert(&fast, 3).await;
    assert_eq!(tenants(&store).await, [(2, 1), (3, 1)]);
    slow.batch_execute("COMMIT").await.unwrap();
    assert_eq!(tenants(&store).await, [(1, 1), (2, 1), (3, 1)]);
}

#[tokio::test]
async fn row_arriving_for_taken_audience_is_found_afterwards() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    insert(&client, 1).await;
    let held = take(&store, ME).await.unwrap();
    client
        .batch_execute("DELETE FROM gatepost_occurrence")
        .await
        .unwrap();
    insert(&client, 1).await;
    assert_eq!(tenants(&store).await, [], "it is held");
    store.give_back_outbox(held.audience, ME).await.unwrap();
    assert_eq!(tenants(&store).await, [(1, 1)]);
}

#[tokio::test]
async fn manually_corrected_row_is_found_again() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    insert(&client, 1).await;
    let taken = take(&store, ME).await.unwrap();
    let id = taken.rows[0].id;
    let aside = PutBack::Aside("no such type".to_owned());
    store.put_back(id, 0, aside).await.unwrap();
    store.give_back_outbox(taken.audience, ME).await.unwrap();
    assert_eq!(tenants(&store).await, []);
    for (set, found) in [
        ("rejected = NULL, tenant = 2", [(2, 1)]),
        ("tenant = 3", [(3, 1)]),
    ] {
        let update = format!("UPDATE gatepost_occurrence SET {set}");
        client.batch_execute(&update).await.unwrap();
        assert_eq!(tenants(&store).await, found, "{set}");
    }
}

/// PostgreSQL's text and `jsonb` hold no U+0000: a value chosen by a user must not stop a push.
#[tokio::test]
async fn nul_characters_in_text_are_replaced() {
    let (store, ..) = fresh_at().await;
    let mut odd = occurrence("on");
    odd.variables = vec![
        ("A\0".into(), r"\u0000".into()),
        ("B".into(), "x\0y".into()),
    ];
    odd.object = Some(Object::new(ObjectId::from(1), "v\0m"));
    store.push_outbox(&odd, at(0)).await.unwrap();
    let taken = store.take_outbox(ME, 1, at(10), at(1)).await.unwrap();
    let row = taken.unwrap().rows.pop().unwrap();
    let kept = row.occurrence.unwrap();
    let marked = [("A\u{fffd}", r"\u0000"), ("B", "x\u{fffd}y")];
    let marked = marked.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(kept.variables, marked);
    assert_eq!(kept.object.unwrap().name, "v\u{fffd}m");
}

#[tokio::test]
async fn deferred_row_is_taken_when_due() {
    let (store, ..) = fresh_at().await;
    let id = store.push_outbox(&occurrence("on"), at(0)).await.unwrap();
    let until = async |turn, due| store.put_back(id, turn, PutBack::Until(at(due))).await;
    until(0, 50).await.unwrap();
    assert_eq!(tenants(&store).await, []);
    until(1, 0).await.unwrap();
    assert_eq!(
        tenants(&store).await,
        [(0, 1)],
        "earlier than it was to come"
    );
}

#[tokio::test]
async fn store_restored_on_other_server_finds_rows() {
    let (store, config, place) = fresh_at().await;
    let client = raw(&place).await;
    let moved = "UPDATE gatepost_outbox_look SET done = '999999999999', server = 'another'";
    client.batch_execute(moved).await.unwrap();
    insert(&client, 1).await;
    assert_eq!(tenants(&store).await, []);
    let store = PostgresStore::connect(config).await.unwrap();
    assert_eq!(tenants(&store).await, [(1, 1)]);
}

/// The test uses a server whose counter is higher than the one of this server ever was.
#[tokio::test]
async fn rows_waiting_at_restore_hide_no_later_rows() {
    // An older version may have recorded the server already.
    for noted in ["server = 'another'", "done = '999999999999'"] {
        let (_store, config, place) = fresh_at().await;
        let client = raw(&place).await;
        insert(&client, 1).await;
        let moved = format!(
            "UPDATE gatepost_occurrence SET arrived = '999999999999';
             UPDATE gatepost_outbox_look SET {noted}"
        );
        client.batch_execute(&moved).await.unwrap();
        let store = PostgresStore::connect(config).await.unwrap();
        assert_eq!(tenants(&store).await, [(1, 1)], "{noted}");
        insert(&client, 2).await;
        assert_eq!(tenants(&store).await, [(1, 1), (2, 1)], "{noted}");
    }
}

#[tokio::test]
async fn deferred_or_taken_audiences_block_no_other() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    client
        .batch_execute(
            "INSERT INTO gatepost_occurrence (event_type, event, tenant, due)
             SELECT 'vms', 'on', n, 'infinity' FROM generate_series(1, 5000) AS n",
        )
        .await
        .unwrap();
    insert(&client, 5_001).await;
    let mut turns = Vec::new();
    for holder in 1..=2 {
        turns.push(take(&store, holder).await.map(|taken| taken.audience));
    }
    let last = OutboxAudience {
        tenant: 5_001,
        owner: 0,
    };
    assert_eq!(turns, [Some(last), None]);
}

/// Inserts rows of one audience each, in one statement.
async fn insert_many(client: &Client, from: i64, to: i64) {
    let rows = format!(
        "INSERT INTO gatepost_occurrence (event_type, event, tenant, due) SELECT 'vms', 'on', n, 'epoch' FROM generate_series({from}, {to}) n"
    );
    client.batch_execute(&rows).await.unwrap();
}

#[tokio::test]
async fn audiences_of_large_transaction_are_listed_in_batches() {
    let (store, _, place) = fresh_at().await;
    let (client, slow) = (raw(&place).await, raw(&place).await);
    slow.batch_execute("BEGIN").await.unwrap();
    insert_many(&slow, 10_001, 13_000).await;
    insert_many(&client, 1, 4_500).await;
    insert(&client, 5_000).await;
    let mut listed = 0;
    for look in 1..=4 {
        take(&store, look).await.unwrap();
        let now = rows(&client, "gatepost_outbox_turn").await;
        assert!(now - listed <= 2_000, "{listed} and {now} in one look");
        listed = now;
    }
    assert_eq!(listed, 4_501);
    slow.batch_execute("COMMIT").await.unwrap();
    insert(&client, 5_001).await;
    for look in 5..=8 {
        take(&store, look).await.unwrap();
        let now = rows(&client, "gatepost_outbox_turn").await;
        assert!(now - listed <= 2_000, "{listed} and {now} in one look");
        listed = now;
    }
    assert_eq!(listed, 7_502);
}

/// The platform writes these rows with its own SQL: an unreadable one is set aside, and the rows
/// behind it are processed.
#[tokio::test]
async fn invalid_time_or_turn_fails_only_that_row() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    for bad in ["created = 'infinity'", "created = '-infinity'", "turn = -1"] {
        client
            .batch_execute("DELETE FROM gatepost_occurrence")
            .await
            .unwrap();
        insert(&client, 1).await;
        let update = format!("UPDATE gatepost_occurrence SET {bad}");
        client.batch_execute(&update).await.unwrap();
        insert(&client, 1).await;
        let taken = take(&store, ME).await.unwrap();
        let read: Vec<bool> = taken
            .rows
            .iter()
            .map(|row| row.occurrence.is_ok())
            .collect();
        assert_eq!(read, [false, true], "{bad}");
        let id = taken.rows[0].id;
        let aside = PutBack::Aside("on purpose".to_owned());
        store.put_back(id, 0, aside).await.unwrap();
        store.give_back_outbox(taken.audience, ME).await.unwrap();
        assert_eq!(tenants(&store).await, [(1, 1)], "{bad}");
    }
}
