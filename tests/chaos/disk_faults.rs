//! Disks that fail, fill up or are read-only: the error is clear, nothing is lost or half-written,
//! and the store continues when the cause has ended. The store is the SQLite file, written by a
//! separate process.

use std::collections::HashSet;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::Page;
use gatepost_storage::webhooks::*;

const CHILD: &str = env!("CARGO_BIN_EXE_disk_child");

/// The output of a child: the numbers of the stored writes, and the refusals.
#[derive(Debug, Default)]
struct Told {
    stored: Vec<u32>,
    refused: Vec<String>,
}

impl Told {
    fn read(text: &str) -> Self {
        let mut told = Self::default();
        for line in text.lines() {
            if let Some(n) = line.strip_prefix("ACK ") {
                told.stored.push(n.parse().unwrap());
            } else if let Some(error) = line.strip_prefix("ERR ") {
                told.refused.push(error.to_owned());
            }
        }
        told
    }
}

/// Runs to the end with a line on the standard input, which lets a child continue after its first
/// refusal.
fn run(command: &mut Command) -> Told {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "the child failed: {}",
        output.status
    );
    Told::read(&String::from_utf8(output.stdout).unwrap())
}

/// Checks that all of these are stored, each whole, and that everything else in the store is whole
/// too.
async fn expect_stored(file: &Path, told: &Told, what: &str) {
    let store = SqliteStore::open(SqliteConfig::file(file)).await.unwrap();
    let all = store
        .list_deliveries(&DeliveryQuery::all(Page::first(100_000)))
        .await
        .unwrap();
    let ids: HashSet<String> = all
        .iter()
        .map(|d| d.message_id.as_str().to_owned())
        .collect();
    for n in &told.stored {
        assert!(
            ids.contains(&format!("a{n}")),
            "{what}: {n} was acknowledged and is lost"
        );
    }
    for id in &ids {
        let other = if id.starts_with('a') { "b" } else { "a" };
        assert!(
            ids.contains(&format!("{other}{}", &id[1..])),
            "{what}: {id} is half stored"
        );
    }
    store.close().await;
    let connection = rusqlite::Connection::open(file).unwrap();
    let answer: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(answer, "ok", "{what}");
}

/// Makes calls of one kind (`FAIL_KIND`: sync or write) fail from the n-th on, or only the n-th.
fn failing_calls(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("failing.c"), folder.join("failing.so"));
    let code = r#"
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/types.h>
        static int calls;
        static int fails(const char *kind) {
            if (strcmp(kind, getenv("FAIL_KIND"))) return 0;
            const char *at = getenv("FAIL_AT"), *once = getenv("FAIL_ONCE");
            int n = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
            return once ? n == atoi(at) : n >= atoi(at);
        }
        #define SYNC(name) int name(int fd) { \
            if (fails("sync")) { errno = EIO; return -1; } \
            return ((int (*)(int))dlsym(RTLD_NEXT, #name))(fd); }
        SYNC(fsync)
        SYNC(fdatasync)
        #define WRITE(name) ssize_t name(int fd, const void *from, size_t size, off_t at) { \
            if (fails("write")) { errno = EIO; return -1; } \
            return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, #name))(fd, from, size, at); }
        WRITE(pwrite)
        WRITE(pwrite64)
    "#;
    std::fs::write(&source, code).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-ldl")
        .status();
    assert!(built.unwrap().success(), "the C compiler is needed");
    library
}

#[tokio::test]
async fn single_sync_failure_loses_at_most_refused_writes() {
    fails_once("sync", (1..=30).collect()).await;
}

#[tokio::test]
async fn single_write_failure_loses_at_most_refused_writes() {
    fails_once("write", (1..=200).step_by(3).collect()).await;
}

/// Counts the calls of one kind and makes one of them fail: each of these in a separate run.
async fn fails_once(kind: &str, which: Vec<u32>) {
    let tools = tempfile::tempdir().unwrap();
    let library = failing_calls(tools.path());
    let mut refusals = 0;
    for at in which {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gatepost.db");
        let mut child = Command::new(CHILD);
        child
            .arg(&file)
            .arg("20")
            .env("LD_PRELOAD", &library)
            .env("FAIL_KIND", kind);
        let told = run(child.env("FAIL_AT", at.to_string()).env("FAIL_ONCE", "1"));
        let what = format!("{kind} {at}");
        refusals += told.refused.len();
        assert!(told.refused.len() <= 1, "{what}: {:?}", told.refused);
        if let [error] = &told.refused[..] {
            assert!(error.contains("Unavailable"), "{what}: {error}");
            if !error.starts_with("open") {
                assert_eq!(told.stored.len(), 19, "{what}: it went on after {error}");
            }
        }
        expect_stored(&file, &told, &what).await;
    }
    assert!(refusals > 10, "the calls did not fail: {refusals}");
}

#[tokio::test]
async fn permanent_sync_failure_never_confirms_a_write() {
    let tools = tempfile::tempdir().unwrap();
    let library = failing_calls(tools.path());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gatepost.db");
    let before = run(Command::new(CHILD).arg(&file).arg("5"));
    assert_eq!(before.stored.len(), 5);
    let mut child = Command::new(CHILD);
    let told = run(child
        .arg(&file)
        .arg("20")
        .env("LD_PRELOAD", &library)
        .env("FAIL_KIND", "sync")
        .env("FAIL_AT", "1"));
    // The first five are known already: nothing is written for them, so they need no sync.
    assert!(told.stored.iter().all(|n| *n < 5), "{told:?}");
    assert!(
        !told.refused.is_empty() && told.refused.iter().all(|e| e.contains("Unavailable")),
        "{told:?}"
    );
    expect_stored(&file, &before, "before").await;
    let after = run(Command::new(CHILD).arg(&file).arg("20"));
    assert_eq!(after.stored.len(), 20, "{after:?}");
    expect_stored(&file, &after, "the disk is well again").await;
}

#[tokio::test]
async fn file_size_limit_refuses_writes_until_raised() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gatepost.db");
    // Blocks of 512 bytes or 1 KiB, depending on the shell: enough for the tables and little more.
    // Without the trap the signal of the limit would end the process; handling it is up to the
    // platform.
    let script = r#"trap '' XFSZ; ulimit -f 1800; exec "$0" "$@""#;
    let told = run(Command::new("sh")
        .args(["-c", script, CHILD])
        .arg(&file)
        .arg("2000"));
    assert!(!told.stored.is_empty(), "{:?}", told.refused.first());
    assert!(!told.refused.is_empty(), "the limit was never reached");
    assert!(
        told.refused.iter().all(|e| e.contains("Unavailable")),
        "{:?}",
        told.refused.first()
    );
    expect_stored(&file, &told, "limited").await;
    let after = run(Command::new(CHILD).arg(&file).arg("2000"));
    assert_eq!(after.stored.len(), 2000, "{:?}", after.refused.first());
}

/// Runs the script with its own small file system, if this machine permits one.
fn with_namespace(script: &str, args: &[&Path]) -> Option<std::process::Output> {
    for flags in ["-m", "-rm"] {
        let may = Command::new("unshare")
            .args([flags, "sh", "-c", "mount -t tmpfs tmpfs /mnt"])
            .output();
        if !may.is_ok_and(|output| output.status.success()) {
            continue;
        }
        let output = Command::new("unshare")
            .args([flags, "sh", "-c", script, CHILD])
            .args(args)
            .output();
        return output.ok();
    }
    eprintln!("not tried here: no namespace with a file system of its own (unshare -m)");
    None
}

#[tokio::test]
async fn full_disk_refuses_writes_until_space_is_free() {
    let folder = tempfile::tempdir().unwrap();
    // The child fills the disk, prints that and waits; the disk grows; the child continues.
    let script = r#"
        set -e
        mount -t tmpfs -o size=900k tmpfs /mnt
        mkfifo "$1/in"
        "$0" /mnt/gatepost.db 1500 < "$1/in" > "$1/out" &
        exec 3> "$1/in"
        tries=0
        until grep -q '^ERR' "$1/out"; do
            sleep 0.05; tries=$((tries + 1)); [ $tries -lt 600 ]
        done
        mount -o remount,size=64m /mnt
        echo go on >&3
        wait
        cp /mnt/gatepost.db* "$1/"
    "#;
    let Some(output) = with_namespace(script, &[folder.path()]) else {
        return;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let told = Told::read(&std::fs::read_to_string(folder.path().join("out")).unwrap());
    assert!(
        told.refused.iter().all(|e| e.contains("Unavailable")),
        "{:?}",
        told.refused
    );
    assert!(
        told.refused.iter().any(|e| e.contains("full")),
        "{:?}",
        told.refused
    );
    assert!(
        told.stored.contains(&1499),
        "it went on: {:?}",
        told.refused.last()
    );
    expect_stored(
        &folder.path().join("gatepost.db"),
        &told,
        "filled and grown",
    )
    .await;
}

#[tokio::test]
async fn read_only_database_is_refused_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gatepost.db");
    let before = run(Command::new(CHILD).arg(&file).arg("5"));
    let store = SqliteStore::open(SqliteConfig::file(&file)).await.unwrap();
    store.close().await;
    let bytes = std::fs::read(&file).unwrap();
    for (path, mode) in [(file.as_path(), 0o444), (folder.path(), 0o555)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    // Root may write everywhere, but not without this capability.
    let mut child = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-dac_override", CHILD]);
        command
    } else {
        Command::new(CHILD)
    };
    let told = run(child.arg(&file).arg("5"));
    for (path, mode) in [(folder.path(), 0o755), (file.as_path(), 0o644)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    assert!(told.stored.is_empty(), "{told:?}");
    let error = told.refused.first().unwrap();
    assert!(error.starts_with("open Unavailable"), "{error}");
    assert!(
        error.contains("read-only")
            || error.contains("readonly")
            || error.contains("unable to open"),
        "{error}"
    );
    assert_eq!(
        std::fs::read(&file).unwrap(),
        bytes,
        "the file is untouched"
    );
    expect_stored(&file, &before, "writable again").await;
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

#[tokio::test]
async fn killed_first_start_is_completed_by_next_start() {
    let mut killed = 0;
    for n in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gatepost.db");
        let mut child = Command::new(CHILD)
            .arg(&file)
            .arg("3")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        tokio::time::sleep(Duration::from_micros(500 * n)).await;
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        let told = run(Command::new(CHILD).arg(&file).arg("3"));
        assert_eq!(
            told.stored,
            [0, 1, 2],
            "killed after {n} half milliseconds: {:?}",
            told.refused
        );
        expect_stored(&file, &told, "killed at its first start").await;
    }
    assert!(killed > 5, "only {killed} were killed before their end");
}
