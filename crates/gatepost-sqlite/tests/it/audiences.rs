//! The audience of an outbox row: the platform writes tenants and owners as texts in its own
//! spelling, on a connection that has none of this crate's functions.

use gatepost_sqlite::SqliteStore;
use gatepost_storage::webhooks::{
    OutboxAudience, OutboxRow, OutboxStore as _, OutboxTaken, PutBack,
};
use gatepost_testkit::fixtures::{at, occurrence};
use rusqlite::Connection;
use webhook_model::{Audience, OwnerId};

use crate::common::fresh;

const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
const NONE: OutboxAudience = OutboxAudience {
    tenant: 0,
    owner: 0,
};

fn platform(folder: &tempfile::TempDir) -> Connection {
    Connection::open(folder.path().join("gatepost.db")).unwrap()
}

fn insert(platform: &Connection, column: &str, id: &str) {
    let sql = format!(
        "INSERT INTO gatepost_occurrence (event_type, event, created, {column}) VALUES ('vms', 'poweron', 0, ?1)"
    );
    platform.execute(&sql, [id]).unwrap();
}

async fn take(store: &SqliteStore, holder: u128) -> Option<OutboxTaken> {
    store.take_outbox(holder, 10, at(9), at(0)).await.unwrap()
}

fn ids(rows: &[OutboxRow]) -> Vec<i64> {
    rows.iter().map(|row| row.id.0).collect()
}

#[tokio::test]
async fn audience_in_other_spellings_is_one_turn() {
    for column in ["tenant", "owner"] {
        let (store, _, folder) = fresh().await;
        let platform = platform(&folder);
        for seven in ["7", "07", "007", "00000000-0000-0000-0000-000000000007"] {
            insert(&platform, column, seven);
        }
        let integer = format!(
            "INSERT INTO gatepost_occurrence (event_type, event, created, {column}) VALUES ('vms', 'poweron', 0, 7)"
        );
        platform.execute_batch(&integer).unwrap();
        insert(&platform, column, UUID);
        insert(&platform, column, &UUID.to_uppercase());

        let seven = take(&store, 1).await.unwrap();
        assert_eq!(ids(&seven.rows), [1, 2, 3, 4, 5], "{column}");
        let uuid = take(&store, 2).await.unwrap();
        assert_eq!(ids(&uuid.rows), [6, 7], "{column}");
        for taken in [&seven, &uuid] {
            for row in &taken.rows {
                let audience = row.occurrence.as_ref().unwrap().audience;
                assert_eq!(OutboxAudience::from(audience), taken.audience, "{column}");
            }
        }
        assert_eq!(take(&store, 3).await, None, "{column}");
    }
}

#[tokio::test]
async fn outbox_turn_of_any_text_matches_parsed_id() {
    let (_store, _, folder) = fresh().await;
    let platform = platform(&folder);
    let texts = [
        "",
        "0",
        "00",
        "1",
        "255",
        "9223372036854775807",
        "009223372036854775807",
        "9223372036854775808",
        "99999999999999999999999999999999999999999",
        "00000000000000000000000000000000000000000000000000000000000000000007",
        "-7",
        "+7",
        " 7",
        "7 ",
        "7.0",
        "7e0",
        "0x7",
        "７",
        "tina",
        "é7e55044-10b1-426f-9247-bb680e5fe0c8",
        UUID,
        "67E55044-10b1-426F-9247-bb680e5fe0c8",
        "67e5504410b1426f9247bb680e5fe0c8",
        "{67e55044-10b1-426f-9247-bb680e5fe0c8}",
        "urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8",
        "67e55044-10b1-426f-9247-bb680e5fe0c8 ",
        "67e55044-10b1-426f-9247-bb680e5fe0cg",
        "67e55044-10b1-426f-9247-bb680e5fe0",
        "67e55044-10b1-426f-9247--b680e5fe0c8",
        "67e550-4410-b142-6f92-47bb680e5fe0c8",
        "12345678-1234-1234-1234-12345678901-",
        "00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-7fff-ffffffffffff",
        "00000000-0000-0000-8000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ];
    for text in texts {
        insert(&platform, "tenant", text);
        insert(&platform, "owner", text);
        let turns = "SELECT tenant, owner FROM gatepost_outbox_turn ORDER BY tenant, owner";
        let mut turns = platform.prepare(turns).unwrap();
        let turns = turns.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        let turns: Vec<([u8; 16], [u8; 16])> = turns.unwrap().map(Result::unwrap).collect();
        let mut expected = [(None, Some(text)), (Some(text), None)].map(|(tenant, owner)| {
            let audience = OutboxAudience::of_columns(tenant, owner);
            (audience.tenant.to_be_bytes(), audience.owner.to_be_bytes())
        });
        expected.sort_unstable();
        let both_none = expected[0] == expected[1];
        assert_eq!(turns, expected[usize::from(both_none)..], "{text:?}");
        platform
            .execute_batch("DELETE FROM gatepost_occurrence; DELETE FROM gatepost_outbox_turn")
            .unwrap();
    }
}

#[tokio::test]
async fn outbox_row_of_no_id_is_set_aside() {
    let (store, _, folder) = fresh().await;
    let platform = platform(&folder);
    insert(&platform, "owner", "tina");
    insert(&platform, "owner", "");
    insert(&platform, "tenant", "9223372036854775808");
    let bytes = "INSERT INTO gatepost_occurrence (event_type, event, created, owner) \
                 VALUES ('vms', 'poweron', 0, CAST(x'ff37' AS TEXT))";
    platform.execute_batch(bytes).unwrap();
    insert(&platform, "run_by", "tina");
    insert(&platform, "owner", "7");
    insert(&platform, "data", "{}");

    // One at a time, so that an unusable row would block the next.
    let mut taken = Vec::new();
    while let Some(next) = store.take_outbox(1, 1, at(9), at(0)).await.unwrap() {
        let row = &next.rows[0];
        let reason = row.occurrence.as_ref().err().map(ToString::to_string);
        let reason = reason.unwrap_or_default();
        let aside = PutBack::Aside("done".to_owned());
        store.put_back(row.id, 0, aside).await.unwrap();
        store.give_back_outbox(next.audience, 1).await.unwrap();
        let words: Vec<&str> = reason.split(' ').take(3).collect();
        taken.push((row.id.0, next.audience.owner, words.join(" ")));
    }
    taken.sort();
    let set_aside = |id, reason: &str| (id, 0, reason.to_owned());
    assert_eq!(
        taken,
        [
            set_aside(1, "owner must be"),
            set_aside(2, "owner must be"),
            set_aside(3, "tenant must be"),
            set_aside(4, "owner must be"),
            set_aside(5, "run_by must be"),
            (6, 7, String::new()),
            set_aside(7, ""),
        ]
    );
}

#[tokio::test]
async fn outbox_row_with_uuid_owner_reaches_that_owner() {
    let (store, _, folder) = fresh().await;
    insert(&platform(&folder), "owner", UUID);
    let owner: OwnerId = UUID.parse().unwrap();
    let taken = take(&store, 1).await.unwrap();
    let audience = taken.rows[0].occurrence.as_ref().unwrap().audience;
    assert_eq!(audience, Audience::Owner(owner));
    assert_eq!(taken.audience, Audience::Owner(owner).into());
}

#[tokio::test]
async fn uuid_audience_given_back_is_taken_again() {
    let (store, _, _folder) = fresh().await;
    let audience = Audience::Owner(OwnerId(u128::MAX));
    let mut new = occurrence("poweron");
    new.audience = audience;
    let id = store.push_outbox(&new, at(0)).await.unwrap();
    let first = take(&store, 1).await.unwrap();
    assert_eq!(first.audience, audience.into());
    assert_eq!(take(&store, 2).await, None, "held");
    store.give_back_outbox(first.audience, 1).await.unwrap();
    assert_eq!(take(&store, 2).await, Some(first.clone()));
    let later = PutBack::Until(at(5));
    store.put_back(id, 0, later).await.unwrap();
    store.give_back_outbox(first.audience, 2).await.unwrap();
    assert_eq!(take(&store, 3).await, None, "put off");
    let later = store.take_outbox(3, 10, at(9), at(5)).await.unwrap();
    assert_eq!(later.map(|taken| taken.audience), Some(audience.into()));
}

#[tokio::test]
async fn outbox_row_of_another_owner_changes_turn() {
    let (store, _, folder) = fresh().await;
    let platform = platform(&folder);
    insert(&platform, "owner", "tina");
    let first = take(&store, 1).await.unwrap();
    assert_eq!(first.audience, NONE);
    store.give_back_outbox(NONE, 1).await.unwrap();
    let change = "UPDATE gatepost_occurrence SET owner = ?1";
    platform.execute(change, [UUID]).unwrap();
    let owner: OwnerId = UUID.parse().unwrap();
    let second = take(&store, 1).await.unwrap();
    assert_eq!(second.audience, Audience::Owner(owner).into());
    assert_eq!(ids(&second.rows), [1]);
    assert!(second.rows[0].occurrence.is_ok());
}
