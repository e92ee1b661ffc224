//! A store to test.

use gatepost_sqlite::{SqliteConfig, SqliteStore};

/// Returns a store in a new file, the configuration to open it again, and the folder, which is
/// deleted with the test.
pub(crate) async fn fresh() -> (SqliteStore, SqliteConfig, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    (
        SqliteStore::open(config.clone()).await.unwrap(),
        config,
        folder,
    )
}
