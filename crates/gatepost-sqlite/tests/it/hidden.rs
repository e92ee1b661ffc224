//! Texts that were stored before hidden characters were refused.

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::KeyStore as _;
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_testkit::fixtures::{UNLIMITED, at, key, task, webhook};
use rusqlite::Connection;
use webhook_model::Authorization;

const OLD: &str = "x\u{202e}gnp.exe";

#[tokio::test]
async fn old_rows_with_hidden_characters_load_and_update() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let store = SqliteStore::open(SqliteConfig::file(&path)).await.unwrap();
    let mut hook = webhook("w");
    hook.authorization = Authorization::basic("bot", "p").unwrap();
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let task = store
        .insert_task(&task(hook.id), UNLIMITED, at(0))
        .await
        .unwrap();
    let key = store.insert_key(&key(1, "k"), u64::MAX).await.unwrap();
    let platform = Connection::open(&path).unwrap();
    let basic = [b"\0basic\n", OLD.as_bytes(), b":p"].concat();
    for table in ["webhook", "task", "key"] {
        platform
            .execute(&format!("UPDATE gatepost_{table} SET name = ?1"), [OLD])
            .unwrap();
    }
    for table in ["task", "key"] {
        platform
            .execute(
                &format!("UPDATE gatepost_{table} SET description = ?1"),
                [OLD],
            )
            .unwrap();
    }
    platform
        .execute("UPDATE gatepost_webhook SET credentials = ?1", [basic])
        .unwrap();

    let mut hook = store.webhook(hook.id).await.unwrap().unwrap();
    assert_eq!(hook.value.name.as_str(), OLD);
    let user = hook.value.authorization.secret_text().unwrap();
    assert_eq!(user.expose(), format!("{OLD}:p"));
    let task = store.task(task.id).await.unwrap().unwrap();
    assert_eq!(
        (task.value.name.as_str(), task.value.description.as_str()),
        (OLD, OLD)
    );
    let key = store.key(key.id).await.unwrap().unwrap();
    assert_eq!(
        (key.key.name.as_str(), key.key.description.as_str()),
        (OLD, OLD)
    );
    hook.value.name = "seen".parse().unwrap();
    store.update_webhook(&hook, UNLIMITED, at(1)).await.unwrap();
}
