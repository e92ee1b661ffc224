//! A power cut at any moment loses no acknowledged write and leaves nothing half-written.
//!
//! The program is real, its system calls are recorded, and the disk is rebuilt in a possible state
//! after a cut: see `tests::powercut`. The same cuts under weaker settings of the same store are
//! the control: they must lose data.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::webhooks::*;
use gatepost_storage::{KeyStore as _, Page, Scope};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tests::powercut::{Disk, Op, cut, record};

const ROUNDS: &str = "150";

fn cuts() -> u64 {
    let wanted = std::env::var("GATEPOST_CUTS").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Returns the operations of the child under this setting.
fn recorded(synchronous: &str) -> Vec<Op> {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let file = data.join("gatepost.db");
    let command = [
        env!("CARGO_BIN_EXE_powercut_child"),
        file.to_str().unwrap(),
        synchronous,
        ROUNDS,
    ];
    let ops = record(&command, &data, &folder.path().join("trace")).unwrap();
    assert!(
        ops.len() > 1000,
        "the record is empty: is strace allowed here?"
    );
    ops
}

/// The state of one disk: whether it is damaged, and which promises it breaks.
#[derive(Default)]
struct Damage {
    corrupt: bool,
    broken: Vec<String>,
}

async fn judge(disk: &Disk) -> Damage {
    let folder = tempfile::tempdir().unwrap();
    disk.write_to(folder.path(), &["-shm"]).unwrap();
    let file = folder.path().join("gatepost.db");
    if disk.acks.is_empty() && !file.exists() {
        return Damage::default();
    }
    let opened = SqliteStore::open(SqliteConfig::file(&file)).await;
    let Ok(store) = opened else {
        return Damage {
            corrupt: true,
            broken: vec![format!("not opened: {:?}", opened.err())],
        };
    };
    let broken = promises(&store, &disk.acks).await;
    store.close().await;
    let damage = Damage {
        corrupt: !is_intact(&file),
        ..Damage::default()
    };
    match broken {
        Ok(broken) => Damage { broken, ..damage },
        Err(error) => Damage {
            corrupt: true,
            broken: vec![error.to_string()],
        },
    }
}

fn is_intact(file: &Path) -> bool {
    let check = |connection: rusqlite::Connection| {
        connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
    };
    rusqlite::Connection::open(file)
        .and_then(check)
        .is_ok_and(|answer| answer == "ok")
}

/// Returns the promises that this store does not keep.
async fn promises(
    store: &SqliteStore,
    acks: &[String],
) -> Result<Vec<String>, gatepost_storage::StoreError> {
    let deliveries = store
        .list_deliveries(&DeliveryQuery::all(Page::first(100_000)))
        .await?;
    let states: HashMap<&str, DeliveryState> = deliveries
        .iter()
        .map(|d| (d.message_id.as_str(), d.state))
        .collect();
    let tasks = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: None,
        name: None,
        page: Page::first(u32::MAX),
    };
    let tasks = store.list_tasks(&tasks).await?;
    let tasks: HashSet<i64> = tasks.iter().map(|t| t.id.0).collect();
    let keys = store
        .list_keys(&KeyQuery::all(Page::first(100_000)))
        .await?;
    let keys: HashSet<i64> = keys.iter().map(|k| k.id.0).collect();
    let deleted: HashSet<&str> = acks
        .iter()
        .filter_map(|a| a.strip_prefix("deleted "))
        .collect();
    let mut broken = Vec::new();
    for ack in acks {
        let words: Vec<&str> = ack.split(' ').collect();
        let kept = match words[..] {
            ["stored", round, task] => {
                let whole = ["a", "b"]
                    .iter()
                    .all(|part| states.contains_key(format!("{part}{round}").as_str()));
                whole && !tasks.contains(&task.parse().unwrap())
            }
            ["sent", id] => states.get(id) == Some(&DeliveryState::Sent),
            ["key", id] => {
                deleted.contains(id) || keys.contains(&id.parse().unwrap()) || is_last(acks, ack)
            }
            ["deleted", id] => !keys.contains(&id.parse().unwrap()),
            _ => true,
        };
        if !kept {
            broken.push(ack.clone());
        }
    }
    // An unacknowledged delivery may be there or not, but must be whole.
    for delivery in &deliveries {
        let id = delivery.message_id.as_str();
        let other = if id.starts_with('a') { "b" } else { "a" };
        let twin = states.contains_key(format!("{other}{}", &id[1..]).as_str());
        let task = delivery.task.is_some_and(|task| tasks.contains(&task.0));
        if !twin || task {
            broken.push(format!("{id} is half stored"));
        }
    }
    Ok(broken)
}

/// Returns whether this is the last key, whose deletion may have been stored without an
/// acknowledgement.
fn is_last(acks: &[String], ack: &str) -> bool {
    acks.last().is_some_and(|last| last == ack)
}

/// Returns the number of cuts that lost something, and the number that left a damaged file.
fn survey(ops: &[Op], cuts: u64) -> (u32, u32, Option<String>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let opened = ops.iter().position(|op| matches!(op, Op::Ack(_))).unwrap();
    let (mut lost, mut corrupt, mut first) = (0, 0, None);
    for seed in 0..cuts {
        let mut random = StdRng::seed_from_u64(seed);
        let at = random.random_range(opened..=ops.len());
        let damage = runtime.block_on(judge(&cut(ops, at, &mut random)));
        lost += u32::from(!damage.broken.is_empty());
        corrupt += u32::from(damage.corrupt);
        if first.is_none() && (damage.corrupt || !damage.broken.is_empty()) {
            first = Some(format!("seed {seed}, operation {at}: {:?}", damage.broken));
        }
    }
    (lost, corrupt, first)
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let (lost, corrupt, first) = survey(&recorded("full"), cuts());
    eprintln!(
        "FULL: of {} cuts {lost} lost something, {corrupt} damaged the file",
        cuts()
    );
    assert_eq!((lost, corrupt), (0, 0), "{first:?}");
}

#[test]
fn control_the_same_cuts_lose_under_weaker_settings() {
    let cuts = cuts().min(100);
    let (lost, corrupt, _) = survey(&recorded("normal"), cuts);
    eprintln!("NORMAL: of {cuts} cuts {lost} lost something, {corrupt} damaged the file");
    assert!(lost > 10, "the cuts would not have found a lost row");
    let (lost, corrupt, _) = survey(&recorded("off"), cuts);
    eprintln!("OFF: of {cuts} cuts {lost} lost something, {corrupt} damaged the file");
    // Damage is rare, but the loss of a promise is not.
    assert!(lost > 10, "the cuts would not have found a lost row");
}
