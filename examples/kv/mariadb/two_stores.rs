//! Two processes send from one store at the same time, and one of them is killed.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;
use std::{env, thread};

use chrono::TimeDelta;
use gatepost_kv::KvStore;
use gatepost_storage::keys::KeySelector;
use gatepost_storage::webhooks::{
    Claim, DeliveryLog as _, DeliveryQuery, DeliveryState, Disposition, QueueClaim,
    QueueStore as _, Queues, RecordStore as _,
};
use gatepost_storage::{Clock as _, KeyStore as _, Page, SystemClock};
use gatepost_testkit::fixtures::{UNLIMITED, direct, key, message, settlement_of, webhook};
use tempfile::TempDir;

use super::{MariaKv, server};

const URL: &str = "GATEPOST_STORE_URL";
const NOTES: &str = "GATEPOST_STORE_NOTES";
const TEST: &str = "mariadb::two_stores::killed_process_loses_nothing_and_sends_nothing_twice";
const DELIVERIES: usize = 300;
const BEFORE_KILL: usize = 80;
const LEASE: TimeDelta = TimeDelta::seconds(3);
const ATTEMPTS: u32 = 6_000;
const PAUSE: Duration = Duration::from_millis(10);

fn open(url: &str) -> KvStore {
    KvStore::open(MariaKv::open(url).unwrap()).unwrap()
}

/// Claims and settles, until it is killed. It notes each claim before it settles it.
async fn send(store: &KvStore, notes: &Path) {
    let mut notes = OpenOptions::new()
        .create(true)
        .append(true)
        .open(notes)
        .unwrap();
    loop {
        let now = SystemClock.now();
        store.reclaim(64, now).await.unwrap();
        let found = store.queues(Queues::Beyond(None), 64, now).await.unwrap();
        let queues = found.due.iter().map(|due| QueueClaim {
            queue: due.queue,
            limit: 2,
        });
        let queues: Vec<_> = queues.collect();
        let claimed = store.claim(&queues, now + LEASE, now).await.unwrap();
        for one in &claimed {
            let (id, until) = (one.delivery.id.0, (now + LEASE).timestamp_micros());
            writeln!(
                notes,
                "{id} {} {until}",
                SystemClock.now().timestamp_micros()
            )
            .unwrap();
        }
        let sent = claimed.iter().map(|one| {
            let (delivery, token) = (one.delivery.id, one.token);
            settlement_of(Claim { delivery, token }, Disposition::Sent)
        });
        store.settle(sent.collect(), now).await.unwrap();
        tokio::time::sleep(PAUSE).await;
    }
}

fn start(url: &str, notes: &Path) -> Child {
    let mut process = Command::new(env::current_exe().unwrap());
    process
        .args(["--exact", TEST])
        .env(URL, url)
        .env(NOTES, notes);
    process.spawn().unwrap()
}

async fn sent(store: &KvStore) -> usize {
    let query = DeliveryQuery {
        states: vec![DeliveryState::Sent],
        ..DeliveryQuery::all(Page::first(u32::MAX))
    };
    store.list_deliveries(&query).await.unwrap().len()
}

async fn wait_for(store: &KvStore, least: usize) {
    for _ in 0..ATTEMPTS {
        if sent(store).await >= least {
            return;
        }
        thread::sleep(PAUSE);
    }
    panic!("{least} are never sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_process_loses_nothing_and_sends_nothing_twice() {
    if let (Ok(url), Some(notes)) = (env::var(URL), env::var_os(NOTES)) {
        send(&open(&url), Path::new(&notes)).await;
    }
    let folder = TempDir::new().unwrap();
    let url = server::database_of(folder.path());
    let store = open(&url);
    let now = SystemClock.now();
    for name in ["a", "b", "c"] {
        let hook = store
            .insert_webhook(&webhook(name), UNLIMITED, now)
            .await
            .unwrap()
            .id;
        let new = (0..DELIVERIES / 3).map(|n| message(hook, &format!("{name}{n}"), now));
        store.enqueue(direct(new.collect()), now).await.unwrap();
    }
    let notes = [folder.path().join("killed"), folder.path().join("other")];
    let mut killed = start(&url, &notes[0]);
    let mut other = start(&url, &notes[1]);
    wait_for(&store, BEFORE_KILL).await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_for(&store, DELIVERIES).await;
    other.kill().unwrap();
    other.wait().unwrap();
    let mut claims: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for notes in notes {
        for line in fs::read_to_string(notes).unwrap().lines() {
            let parts: Vec<i64> = line.split(' ').map(|part| part.parse().unwrap()).collect();
            claims
                .entry(parts[0])
                .or_default()
                .push((parts[1], parts[2]));
        }
    }
    assert_eq!(claims.len(), DELIVERIES, "each was claimed");
    for (id, mut claims) in claims {
        claims.sort_unstable();
        let apart = claims.windows(2).all(|two| two[1].0 >= two[0].1);
        assert!(apart, "{id} was claimed within another's lease: {claims:?}");
    }
}

#[tokio::test]
async fn deleted_key_is_immediately_missing_in_other_store() {
    let folder = TempDir::new().unwrap();
    let url = server::database_of(folder.path());
    let (one, other) = (open(&url), open(&url));
    let now = SystemClock.now();
    for round in 0..20 {
        let kept = one.insert_key(&key(1, "a"), u64::MAX).await.unwrap();
        let lookup = KeySelector::Lookup(kept.key.lookup);
        let shard = gatepost_storage::keys::KeyShard::of(kept.key.lookup);
        assert!(
            other.find_key(lookup).await.unwrap().is_some(),
            "round {round}"
        );
        assert_eq!(other.key_generation(shard), None, "nothing may be cached");
        one.delete_key(kept.id, now).await.unwrap();
        assert!(
            other.find_key(lookup).await.unwrap().is_none(),
            "round {round}"
        );
    }
}
