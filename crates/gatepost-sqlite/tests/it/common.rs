//! A store to test.

use gatepost_sqlite::{SqliteConfig, SqliteStore};

/// A store in a file of its own, in a folder that goes with the test, and how to open it again.
pub(crate) async fn fresh() -> (SqliteStore, SqliteConfig, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    (
        SqliteStore::open(config.clone()).await.unwrap(),
        config,
        folder,
    )
}
