//! One program, one SQLite, two users of it: Gatepost's store and a platform's sqlx, on one file.

use std::error::Error;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::webhooks::OutboxStore as _;
use gatepost_storage::{Clock as _, KeyStore as _, Page, SystemClock};
use sqlx::{Connection as _, Row as _, SqliteConnection};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("oldest-sqlite-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let path = folder.join("gatepost.db");
    let store = SqliteStore::open(SqliteConfig::file(&path)).await?;
    assert!(
        store
            .list_keys(&KeyQuery::all(Page::first(1)))
            .await?
            .is_empty()
    );

    let mut platform = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await?;
    let mut tx = platform.begin().await?;
    sqlx::query("INSERT INTO gatepost_occurrence (event_type, event) VALUES ('vms', 'poweron')")
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    let now = SystemClock.now();
    let taken = store.take_outbox(1, 9, now, now).await?;
    assert_eq!(taken.map(|taken| taken.rows.len()), Some(1));

    let version = sqlx::query("SELECT sqlite_version()")
        .fetch_one(&mut platform)
        .await?;
    println!("SQLite {} serves both", version.get::<String, _>(0));
    platform.close().await?;
    store.close().await;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
