//! The audience of an outbox row: the platform writes its own ids, in its own spelling.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_postgres::PostgresStore;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::owners::OwnerFilter;
use gatepost_storage::webhooks::{OutboxAudience, OutboxStore, OutboxTaken, PutBack};
use gatepost_testkit::fixtures::at;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;
use webhook_model::Audience;

use crate::common::{fresh_at, raw};

const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
/// Spellings of one user that the platform may write, and of another.
const SEVEN: [&str; 4] = ["7", "07", "007", "00000000-0000-0000-0000-000000000007"];
/// Texts that are no id.
const WRONG: [&str; 14] = [
    "",
    " ",
    "tina",
    "-7",
    "+7",
    " 7",
    "7\n",
    "1.0",
    "0x7",
    "７",
    "9223372036854775808",
    "340282366920938463463374607431768211456",
    "67e5504410b1426f9247bb680e5fe0c8",
    "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
];

async fn insert(client: &Client, columns: &str, tenant: Option<&str>, owner: Option<&str>) {
    let row = format!(
        "INSERT INTO {columns} (event_type, event, tenant, owner, due) VALUES ('vms', 'on', $1, $2, 'epoch')"
    );
    client.execute(&row, &[&tenant, &owner]).await.unwrap();
}

async fn insert_of(client: &Client, owner: Option<&str>) {
    insert(client, "gatepost_occurrence", None, owner).await;
}

async fn take(store: &PostgresStore, holder: u128) -> Option<OutboxTaken> {
    let taken = store.take_outbox(holder, 99, at(60), at(0)).await;
    taken.unwrap()
}

fn of(owner: u128) -> OutboxAudience {
    OutboxAudience { tenant: 0, owner }
}

#[tokio::test]
async fn audience_in_other_spellings_takes_one_turn() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let (uuid, upper) = (UUID.parse::<Uuid>().unwrap(), UUID.to_uppercase());
    for owner in SEVEN.into_iter().chain([UUID, &upper]) {
        insert_of(&client, Some(owner)).await;
    }
    for (audience, count) in [(of(7), 4), (of(uuid.as_u128()), 2)] {
        let taken = take(&store, 1).await.unwrap();
        assert_eq!((taken.audience, taken.rows.len()), (audience, count));
        let whose = Audience::Owner(OwnerId(audience.owner));
        for row in &taken.rows {
            assert_eq!(row.occurrence.as_ref().unwrap().audience, whose);
        }
        // The audience that was taken can be given back, and queues behind the others.
        store.give_back_outbox(audience, 1).await.unwrap();
    }
    assert_eq!(take(&store, 2).await.unwrap().audience, of(7));
    let held = take(&store, 2).await.unwrap().audience;
    assert_eq!(held, of(uuid.as_u128()));
    let turns = "SELECT count(*) FROM gatepost_outbox_turn WHERE holder IS NOT NULL";
    let turns: i64 = client.query_one(turns, &[]).await.unwrap().get(0);
    assert_eq!(turns, 2);
}

#[tokio::test]
async fn row_with_invalid_audience_id_is_set_aside() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    for wrong in WRONG {
        insert_of(&client, Some(wrong)).await;
        insert(&client, "gatepost_occurrence", Some(wrong), None).await;
    }
    for owner in [None, Some("3"), Some(UUID)] {
        insert_of(&client, owner).await;
    }
    let first = take(&store, 1).await.unwrap();
    assert_eq!((first.audience, first.rows.len()), (of(0), 29));
    for (row, column) in first.rows.iter().zip(["owner", "tenant"].iter().cycle()) {
        if row.id == first.rows[28].id {
            assert_eq!(
                row.occurrence.as_ref().unwrap().audience,
                Audience::OneSystem
            );
            continue;
        }
        let reason = row.occurrence.as_ref().unwrap_err().0.as_str();
        assert!(reason.starts_with(column), "{reason}");
        let aside = PutBack::Aside(reason.to_owned());
        store.put_back(row.id, 0, aside).await.unwrap();
    }
    for owner in [OwnerId(3), UUID.parse().unwrap()] {
        let taken = take(&store, 1).await.unwrap();
        let occurrence = taken.rows[0].occurrence.as_ref().unwrap();
        assert_eq!(occurrence.audience, Audience::Owner(owner));
        store.give_back_outbox(taken.audience, 1).await.unwrap();
    }
    store.give_back_outbox(of(0), 1).await.unwrap();
    let mut left = Vec::new();
    for holder in 2..=5 {
        left.extend(take(&store, holder).await.map(|taken| taken.rows.len()));
    }
    assert_eq!(left, [1, 1, 1], "what was set aside is not taken again");
}

#[tokio::test]
async fn row_with_invalid_run_by_is_unreadable() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    for run_by in ["7", "'tina'", "'007'"] {
        let row = format!(
            "INSERT INTO gatepost_occurrence (event_type, event, run_by, due) VALUES ('vms', 'on', {run_by}, 'epoch')"
        );
        client.batch_execute(&row).await.unwrap();
    }
    let rows = take(&store, 1).await.unwrap().rows;
    let by: Vec<_> = rows.iter().map(|row| row.by).collect();
    assert_eq!(by, [Some(OwnerId(7)), None, Some(OwnerId(7))]);
    let reason = &rows[1].occurrence.as_ref().unwrap_err().0;
    assert!(reason.starts_with("run_by must be"), "{reason}");
    assert!(rows[0].occurrence.is_ok() && rows[2].occurrence.is_ok());
}

/// The insertion and the process that takes turns must agree on the audience of a row.
#[tokio::test]
async fn sql_audience_id_matches_storage_for_any_text() {
    let (_store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let zeros = "0".repeat(100_000);
    let (long, nines) = (format!("{zeros}7"), "9".repeat(100_000));
    let (most, least) = (u128::from(u64::MAX >> 1), u128::from(1_u64 << 63));
    let edges = [most, least, 0, u128::MAX].map(|id| OwnerId(id).to_string());
    let upper = UUID.to_uppercase();
    let own = [
        "1234567890123456789",
        "9999999999999999999",
        &long,
        &nines,
        UUID,
        &upper,
    ];
    let own = own.into_iter().chain(edges.iter().map(String::as_str));
    for text in own.chain(SEVEN).chain(WRONG).map(Some).chain([None]) {
        let sql = "SELECT gatepost_id($1)";
        let id: Uuid = client.query_one(sql, &[&text]).await.unwrap().get(0);
        let read = OutboxAudience::of_columns(None, text).owner;
        assert_eq!(id.as_u128(), read, "{:.50}", text.unwrap_or("NULL"));
    }
}

#[tokio::test]
async fn row_of_nobody_is_found_whenever_it_commits() {
    let (store, _, place) = fresh_at().await;
    let (slow, fast) = (raw(&place).await, raw(&place).await);
    slow.batch_execute("BEGIN").await.unwrap();
    insert_of(&slow, None).await;
    insert_of(&fast, Some("2")).await;
    assert_eq!(take(&store, 1).await.unwrap().audience, of(2));
    slow.batch_execute("COMMIT").await.unwrap();
    assert_eq!(take(&store, 1).await.unwrap().audience, of(0));
}

/// The role may only insert, the schema is not in its path, and the path has its own operators.
#[tokio::test]
async fn insert_only_platform_role_writes_outbox_rows() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let (schema, role) = (&place.schema, format!("{}_platform", place.schema));
    let grants = format!(
        "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
         GRANT INSERT ON {schema}.gatepost_occurrence TO {role};
         CREATE SCHEMA {role} AUTHORIZATION {role}"
    );
    client.batch_execute(&grants).await.unwrap();
    let (_, server) = place.url.split_once('@').unwrap();
    let url = format!("postgres://{role}@{server}");
    let (platform, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let own = format!(
        "SET search_path = {role}, pg_catalog;
         CREATE FUNCTION odd(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 = 0';
         CREATE OPERATOR ~ (leftarg = text, rightarg = text, function = odd);
         CREATE FUNCTION to_hex(bigint) RETURNS text LANGUAGE sql AS 'SELECT ''tina''';"
    );
    platform.batch_execute(&own).await.unwrap();
    let table = format!("{schema}.gatepost_occurrence");
    insert(&platform, &table, None, Some(UUID)).await;
    insert(&platform, &table, Some("07"), None).await;
    // A column of integers or of UUIDs is converted to text implicitly.
    let typed = format!(
        "INSERT INTO {table} (event_type, event, tenant, due) VALUES ('vms', 'on', 7, 'epoch');
         INSERT INTO {table} (event_type, event, owner, due) VALUES ('vms', 'on', '{UUID}'::uuid, 'epoch')"
    );
    platform.batch_execute(&typed).await.unwrap();
    let tenant = OutboxAudience {
        tenant: 7,
        owner: 0,
    };
    for audience in [of(UUID.parse::<Uuid>().unwrap().as_u128()), tenant] {
        let taken = take(&store, 1).await.unwrap();
        assert_eq!((taken.audience, taken.rows.len()), (audience, 2));
    }
}

#[tokio::test]
async fn owners_of_all_widths_are_listed_in_order() {
    let (store, ..) = fresh_at().await;
    let uuid: OwnerId = UUID.parse().unwrap();
    let all = [OwnerId(0), OwnerId(1 << 63), uuid, OwnerId(u128::MAX)];
    for owner in all {
        let place = Realm::Tenant(TenantId(owner.0));
        store.assign_realm(owner, place, at(0)).await.unwrap();
        store.hold_owner(owner, true, at(0)).await.unwrap();
        let row = store.owner(owner).await.unwrap().unwrap();
        assert_eq!((row.owner, row.realm), (owner, place));
    }
    let list = async |which, after| store.list_owners(which, after, 1).await.unwrap();
    let mut after = None;
    for owner in all {
        let page = list(OwnerFilter::Suspended, after).await;
        assert_eq!(page[0].owner, owner);
        after = Some(owner);
    }
    for which in [OwnerFilter::Suspended, OwnerFilter::Unplaced] {
        assert!(list(which, after).await.is_empty());
    }
}
