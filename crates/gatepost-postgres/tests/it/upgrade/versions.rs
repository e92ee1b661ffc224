//! What earlier versions left.

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use tokio_postgres::Client;

use crate::common::raw;
use crate::postgres::{self, FreshSchema};

/// The first version as it stood.
pub(crate) const FIRST: [&str; 3] = [SCHEMA, ROWS, MARKED];
/// The schema as the first migration leaves it.
pub(super) const SCHEMA: &str = include_str!("../../../migrations/0001_gatepost.sql");
/// Rows of every table, as the version before places wrote them: dumped with
/// `pg_dump --data-only --inserts`.
pub(super) const ROWS: &str = include_str!("../rows_0001.sql");
/// The second migration, and what the version that it made wrote then.
pub(crate) const SECOND: &str = include_str!("../../../migrations/0002_places.sql");
pub(crate) const ROWS_SECOND: &str = include_str!("../rows_0002.sql");
/// The third migration: what it left is opened by the fourth.
pub(crate) const THIRD: &str = include_str!("../../../migrations/0003_queue.sql");
/// The fourth, with its rows of before: opened by the fifth.
pub(super) const FOURTH: &str = include_str!("../../../migrations/0004_cause.sql");
/// The fifth, opened by the versions after it.
pub(super) const FIFTH: &str = include_str!("../../../migrations/0005_key_use.sql");
pub(super) const SIXTH: &str = include_str!("../../../migrations/0006_data.sql");
pub(super) const SEVENTH: &str = include_str!("../../../migrations/0007_key_grant.sql");
/// The eighth, before keys could be limited and rolled.
pub(super) const EIGHTH: &str = include_str!("../../../migrations/0008_key_expires.sql");
/// The ninth to the twelfth, before webhooks could have client certificates.
pub(super) const UNIDENTIFIED: [&str; 4] = [
    include_str!("../../../migrations/0009_key_limit.sql"),
    include_str!("../../../migrations/0010_audit.sql"),
    include_str!("../../../migrations/0011_channels.sql"),
    include_str!("../../../migrations/0012_trace.sql"),
];
/// The thirteenth, before events could have labels of their own.
pub(super) const UNLABELLED: [&str; 1] =
    [include_str!("../../../migrations/0013_client_identity.sql")];
/// The fourteenth, before the outbox kept who ran something by hand.
pub(super) const UNNAMED: [&str; 1] = [include_str!("../../../migrations/0014_event_label.sql")];
/// Opened by the one that knows traces.
pub(super) const UNTRACED: [&str; 3] = [SIXTH, SEVENTH, EIGHTH];
pub(super) const MARKED: &str = "CREATE TABLE gatepost_migration (
     version integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT clock_timestamp());
     INSERT INTO gatepost_migration (version, name) VALUES (1, 'gatepost')";

/// What the rows are, as text: the columns that both versions have.
const TABLES: [(&str, &str); 3] = [
    (
        "gatepost_key",
        "id, revision, owner, lookup, hint, digest, name, created, last_login, last_login_from",
    ),
    ("gatepost_seen", "id, stored"),
    (
        "gatepost_occurrence",
        "id, event_type, event, object_id, object_name, tags, variables, occurrence_id, created, rejected",
    ),
];

pub(super) async fn text_of(client: &Client) -> Vec<String> {
    let mut all = Vec::new();
    for (table, columns) in TABLES {
        let rows = format!("SELECT row({columns})::text FROM {table} ORDER BY 1");
        let rows = client.query(&rows, &[]).await.unwrap();
        assert!(rows.len() > 1 || table == "gatepost_seen", "{table}");
        all.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    }
    all
}

pub(super) async fn old() -> (PostgresConfig, Client) {
    written_by(&FIRST).await
}

pub(super) async fn written_by(scripts: &[&str]) -> (PostgresConfig, Client) {
    let (at, client) = written_at(scripts).await;
    (config_of(&at), client)
}

/// A schema that these scripts have made.
pub(crate) async fn written_at(scripts: &[&str]) -> (FreshSchema, Client) {
    let fresh = postgres::fresh();
    let client = raw(&fresh).await;
    let create = format!("CREATE SCHEMA {}", fresh.schema);
    client.batch_execute(&create).await.unwrap();
    for sql in scripts {
        let sql = sql.replace(":schema.", &format!("{}.", fresh.schema));
        client.batch_execute(&sql).await.unwrap();
    }
    (fresh, client)
}

pub(crate) fn config_of(at: &FreshSchema) -> PostgresConfig {
    let keys = SealingKeys::new(SealingKey::new(1, [7; 32]));
    PostgresConfig::url(&at.url)
        .with_schema(&at.schema)
        .with_sealing(keys)
}

/// What the third version and these left, opened by this one; `marks` are their marks.
pub(super) async fn opened(later: &[&str], marks: &str) -> (PostgresStore, Client) {
    let marks = format!(
        "INSERT INTO gatepost_migration (version, name)
         VALUES (2, 'places'), (3, 'queue'), {marks}"
    );
    let mut scripts = vec![SCHEMA, ROWS, MARKED, SECOND, ROWS_SECOND, THIRD];
    scripts.extend(later);
    scripts.push(&marks);
    let (config, client) = written_by(&scripts).await;
    let before = text_of(&client).await;
    let store = PostgresStore::connect(config).await.unwrap();
    assert_eq!(text_of(&client).await, before);
    (store, client)
}

/// What the fifth version left, opened by this one.
pub(super) async fn from_the_fifth() -> (PostgresStore, Client) {
    opened(&[FOURTH, FIFTH], "(4, 'cause'), (5, 'key_use')").await
}
