//! Only their owner has access to the files, whatever the umask of the process is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_testkit::fixtures::{UNLIMITED, at, webhook};

/// The variable with the folder in which the child creates a store.
const WHERE: &str = "GATEPOST_MODES_WHERE";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Returns the name and the mode of each file of a folder.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let mut modes: Vec<_> = files
        .map(|file| (file.file_name().into_string().unwrap(), mode(&file.path())))
        .collect();
    modes.sort();
    modes
}

#[test]
fn new_files_are_private_under_any_umask() {
    for umask in ["000", "022", "077", "777"] {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("made");
        let child = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "umask {umask}; exec \"$0\" --exact file_access::child_makes_a_store --nocapture"
            ))
            .arg(std::env::current_exe().unwrap())
            .env(WHERE, &made)
            .output()
            .unwrap();
        assert!(child.status.success(), "{child:?}");
        let said = String::from_utf8(child.stdout).unwrap();
        for name in ["gatepost.db", "gatepost.db-shm", "gatepost.db-wal"] {
            assert!(
                said.contains(&format!("{name} 600\n")),
                "umask {umask}: {said}"
            );
        }
        assert_eq!(mode(&made), 0o700, "umask {umask}");
    }
}

/// Runs only in the child.
#[tokio::test]
async fn child_makes_a_store() {
    let Some(folder) = std::env::var_os(WHERE).map(PathBuf::from) else {
        return;
    };
    let config = SqliteConfig::file(folder.join("gatepost.db"));
    let store = SqliteStore::open(config).await.unwrap();
    store
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    println!();
    for (name, mode) in modes(&folder) {
        println!("{name} {mode:o}");
    }
    store.close().await;
}

#[tokio::test]
async fn existing_folder_and_file_keep_their_modes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    fs::write(&path, "").unwrap();
    for (path, mode) in [(folder.path(), 0o755), (&path, 0o640)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let store = SqliteStore::open(SqliteConfig::file(&path)).await.unwrap();
    assert_eq!((mode(folder.path()), mode(&path)), (0o755, 0o640));
    store.close().await;
}
