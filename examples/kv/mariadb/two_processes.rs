//! Two processes change the same rows at the same time, and one of them is killed.

use std::process::{Child, Command};
use std::time::Duration;
use std::{env, thread};

use gatepost_kv::{KvError, KvExt, Table, View};

use super::{MariaKv, server};

const URL: &str = "GATEPOST_KV_URL";
const NAME: &str = "GATEPOST_KV_NAME";
const TEST: &str = "mariadb::two_processes::killed_process_takes_nothing_along";
const COUNTS: Table = Table::bytes("counts");
const ALL: &str = "all";
const BEFORE_KILL: u64 = 100;
const AFTER_KILL: u64 = 100;
const ATTEMPTS: u32 = 6_000;
const PAUSE: Duration = Duration::from_millis(5);

/// Adds one to the row that all share and to this process's row.
fn count(kv: &MariaKv, own: &str) {
    let counted = kv.write(|change| {
        for row in [ALL, own] {
            let next = number(change, row)? + 1;
            change.put(COUNTS, row.as_bytes(), next.to_string().as_bytes())?;
        }
        Ok(())
    });
    assert!(
        matches!(counted, Ok(()) | Err(KvError::Conflict)),
        "{counted:?}"
    );
}

fn number(view: &dyn View, row: &str) -> Result<u64, KvError> {
    let text = view.get(COUNTS, row.as_bytes())?.unwrap_or_default();
    Ok(String::from_utf8(text.to_vec())
        .unwrap()
        .parse()
        .unwrap_or(0))
}

fn start(url: &str, name: &str) -> Child {
    let mut process = Command::new(env::current_exe().unwrap());
    process
        .args(["--exact", TEST])
        .env(URL, url)
        .env(NAME, name)
        .spawn()
        .unwrap()
}

#[test]
fn killed_process_takes_nothing_along() {
    if let (Ok(url), Ok(name)) = (env::var(URL), env::var(NAME)) {
        let kv = MariaKv::open(&url).unwrap();
        loop {
            count(&kv, &name);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let url = server::database_of(folder.path());
    let kv = MariaKv::open(&url).unwrap();
    let read = |row| kv.read(|view| number(view, row)).unwrap();
    let wait_for = |row, least| {
        let reached = (0..ATTEMPTS).any(|_| {
            thread::sleep(PAUSE);
            read(row) >= least
        });
        assert!(reached, "`{row}` does not come to {least}");
    };
    let mut killed = start(&url, "killed");
    let mut other = start(&url, "other");
    wait_for("killed", BEFORE_KILL);
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_for("other", read("other") + AFTER_KILL);
    other.kill().unwrap();
    other.wait().unwrap();
    count(&kv, "own");
    let (all, own) = kv
        .read(|view| {
            let own = [
                number(view, "killed")?,
                number(view, "other")?,
                number(view, "own")?,
            ];
            Ok((number(view, ALL)?, own))
        })
        .unwrap();
    assert_eq!(
        all,
        own.iter().sum::<u64>(),
        "all changes are whole: {own:?}"
    );
}
