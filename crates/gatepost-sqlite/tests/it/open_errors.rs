//! The error of a file that cannot be opened has the name of the file.

use std::error::Error as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use gatepost_sqlite::{SqliteConfig, SqliteStore};

/// The variable with the path that the child opens.
const WHAT: &str = "GATEPOST_UNOPENED_WHAT";

/// Returns the output of a process that may open a file only as its mode allows, which root can
/// ignore.
fn said(path: &Path) -> String {
    let own = std::env::current_exe().unwrap();
    let mut command = match fs::metadata(path.parent().unwrap().parent().unwrap()) {
        Ok(folder) if folder.uid() == 0 => {
            let mut command = Command::new("setpriv");
            command.args(["--bounding-set", "-dac_override,-dac_read_search"]);
            command.arg(own);
            command
        }
        _ => Command::new(own),
    };
    let child = command
        .args(["--exact", "open_errors::child_opens_a_store", "--nocapture"])
        .env(WHAT, path)
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    let said = String::from_utf8(child.stdout).unwrap();
    let said = said.lines().find_map(|line| line.strip_prefix("said: "));
    said.unwrap_or_default().to_owned()
}

/// Runs only in the child.
#[tokio::test]
async fn child_opens_a_store() {
    let Some(path) = std::env::var_os(WHAT).map(PathBuf::from) else {
        return;
    };
    let error = SqliteStore::open(SqliteConfig::file(path)).await.err();
    let error = error.map(|error| format!("{error}: {}", error.source().unwrap()));
    println!("\nsaid: {}", error.unwrap_or_default());
}

#[test]
fn unopened_file_is_named_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str, mode: u32, files: &[(&str, u32)]| {
        let folder = folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        for (file, mode) in files {
            fs::write(folder.join(file), "").unwrap();
            fs::set_permissions(folder.join(file), Permissions::from_mode(*mode)).unwrap();
        }
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        folder.join("gatepost.db")
    };
    let made_before = |name: &str, file: &str, mode: u32| {
        let path = folder.path().join(name).join("gatepost.db");
        assert_eq!(said(&path), "", "opened and closed");
        let file = path.with_file_name(file);
        let mut options = fs::OpenOptions::new();
        options.append(true).create(true).open(&file).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        path
    };
    let database = ("gatepost.db", 0o600);
    made("a_folder", 0o700, &[]);
    fs::create_dir(folder.path().join("a_folder/gatepost.db")).unwrap();
    let log = "gatepost.db-wal";
    made("log_is_folder", 0o700, &[database]);
    fs::create_dir(folder.path().join("log_is_folder").join(log)).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for (path, file, cause) in [
        (
            folder.path().join("none/of/these/gatepost.db"),
            "gatepost.db",
            "No such file or directory",
        ),
        (
            folder.path().join("file/gatepost.db"),
            "gatepost.db",
            "Not a directory",
        ),
        (
            made("read_only", 0o500, &[]),
            "gatepost.db",
            "Permission denied",
        ),
        (
            made("read_only_with_a_file", 0o500, &[database]),
            log,
            "Permission denied",
        ),
        (
            made("foreign_file", 0o700, &[("gatepost.db", 0o000)]),
            "gatepost.db",
            "Permission denied",
        ),
        (
            made("read_only_file", 0o700, &[("gatepost.db", 0o400)]),
            "gatepost.db",
            "Permission denied",
        ),
        (
            made_before("read_only_and_filled", "gatepost.db", 0o400),
            "gatepost.db",
            "Permission denied",
        ),
        (
            made_before("foreign_log", log, 0o000),
            log,
            "Permission denied",
        ),
        (
            folder.path().join("a_folder/gatepost.db"),
            "gatepost.db",
            "Is a directory",
        ),
        (
            folder.path().join("log_is_folder/gatepost.db"),
            log,
            "Is a directory",
        ),
    ] {
        let said = said(&path);
        let named = format!("{}: {cause}", path.with_file_name(file).display());
        assert!(said.contains(&named), "{named}\n{said}");
    }
}
