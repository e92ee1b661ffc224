//! Settings of the database or the role for every session do not change the store's behaviour.

use std::sync::atomic::{AtomicU32, Ordering};

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_testkit::model;
use tokio_postgres::{Client, NoTls};

use crate::contract;
use crate::postgres::{FreshSchema, TestPostgres};

/// Returns every table of a schema with its rows, and every view, sequence and function.
async fn all_of(client: &Client, schema: &str) -> Vec<String> {
    let named = "SELECT c.relkind::text || c.relname FROM pg_class c WHERE c.relnamespace = $1::text::regnamespace
        UNION ALL SELECT 'f' || p.proname FROM pg_proc p WHERE p.pronamespace = $1::text::regnamespace ORDER BY 1";
    let named = client.query(named, &[&schema]).await.unwrap();
    let mut all: Vec<String> = named.iter().map(|row| row.get(0)).collect();
    for name in all.clone() {
        if let Some(table) = name.strip_prefix(['r', 'S']) {
            let what = if name.starts_with('S') {
                "last_value"
            } else {
                "t"
            };
            let rows = format!("SELECT {what}::text FROM {schema}.{table} t ORDER BY 1");
            let rows = client.query(&rows, &[]).await.unwrap();
            all.extend(rows.iter().map(|row| row.get(0)));
        }
    }
    all
}

#[test]
fn statements_do_not_depend_on_search_path() {
    let server = TestPostgres::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Tables of the same names and the same version, in the schema that sessions search first.
    let (client, before) = runtime.block_on(async {
        let decoy = PostgresConfig::url(server.url()).with_schema("decoy");
        PostgresStore::connect(decoy).await.unwrap().close().await;
        let (client, connection) = tokio_postgres::connect(server.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        let set = "ALTER DATABASE postgres SET search_path = decoy, public";
        client.batch_execute(set).await.unwrap();
        let before = all_of(&client, "decoy").await;
        assert!(before.len() > 100, "{before:?}");
        (client, before)
    });
    let number = AtomicU32::new(0);
    let place = || {
        let number = number.fetch_add(1, Ordering::Relaxed);
        contract::place_at(FreshSchema {
            url: server.url().to_owned(),
            schema: format!("place_{number}"),
        })
    };
    model::check_key_store(4, place);
    model::check_webhook_store(12, place);
    runtime.block_on(async {
        assert_eq!(all_of(&client, "decoy").await, before);
        assert!(all_of(&client, "public").await.is_empty());
    });
}

/// Settings of the database under which a value is read differently or refused.
#[test]
fn database_settings_change_nothing() {
    let server = TestPostgres::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(server.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        for setting in [
            "standard_conforming_strings = off",
            "default_tablespace = pg_default",
            "array_nulls = off",
            "bytea_output = escape",
            "datestyle = 'German, DMY'",
            "default_transaction_deferrable = on",
            "default_transaction_isolation = serializable",
            "extra_float_digits = -3",
            "intervalstyle = sql_standard",
            "quote_all_identifiers = on",
            "transform_null_equals = on",
        ] {
            let set = format!("ALTER DATABASE postgres SET {setting}");
            client.batch_execute(&set).await.unwrap();
        }
    });
    let number = AtomicU32::new(0);
    let place = || {
        let number = number.fetch_add(1, Ordering::Relaxed);
        contract::place_at(FreshSchema {
            url: server.url().to_owned(),
            schema: format!("place_{number}"),
        })
    };
    model::check_key_store(4, place);
    model::check_webhook_store(12, place);
}

/// `'\x01'` is one byte with `standard_conforming_strings`, and three letters without.
#[test]
fn statements_have_backslashes_in_escape_strings_only() {
    let sql = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sql");
    let mut folders = vec![sql];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            read += 1;
            for literal in text.split('\'').collect::<Vec<_>>().windows(2).step_by(2) {
                let [before, literal] = literal else { continue };
                let plain = !before.ends_with(['E', 'e']);
                assert!(!(plain && literal.contains('\\')), "{path:?}: '{literal}'");
            }
        }
    }
    assert!(read > 80, "{read} statements were read");
}
