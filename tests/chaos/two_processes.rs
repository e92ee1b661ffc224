//! A key that one process deletes is refused by the next request to another, whatever happens to
//! the connection between them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyDraft, KeyId, OwnerId};
use gatepost_ids::Quota;
use gatepost_keys::{AccessLevel, Account, KeyService, Principal, Via};
use tests::chaos::Place;
use tests::permissive_platform::Everybody;
use tests::postgres::TestPostgres;
use tokio::time::Instant;

/// The time limit: the README of the PostgreSQL backend states 2 s; the rest is for a busy machine.
const BOUND: Duration = Duration::from_secs(15);

/// Process A, which makes and deletes keys.
struct NodeA {
    keys: KeyService,
    actor: Principal,
    made: u32,
}

impl NodeA {
    async fn start(place: &Place) -> Self {
        let store = place.open().await;
        let keys = KeyService::builder(store, Arc::new(Everybody))
            .quotas(Arc::new(Quota::UNLIMITED))
            .build();
        let actor = Principal::new(
            OwnerId(1),
            Account::enabled(AccessLevel::User),
            Via::Platform,
        );
        Self {
            keys,
            actor,
            made: 0,
        }
    }

    async fn create(&mut self) -> (KeyId, String) {
        self.made += 1;
        let draft = KeyDraft::new(OwnerId(1), format!("k{}", self.made).parse().unwrap());
        let (row, reveal) = self.keys.create(&self.actor, draft).await.unwrap();
        (row.id, reveal.reveal().as_str().to_owned())
    }

    /// Deletes a key and returns how long the call took.
    async fn delete(&self, id: KeyId) -> Duration {
        let began = Instant::now();
        self.keys.delete(&self.actor, id).await.unwrap();
        began.elapsed()
    }
}

/// Process B, which authenticates.
struct NodeB {
    process: std::process::Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl NodeB {
    fn start(place: &Place) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_revocation_child"))
            .arg(place.word())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let asks = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut node = Self {
            process,
            asks,
            answers,
        };
        assert_eq!(node.line(), "READY");
        node
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn ask(&mut self, key: &str) -> String {
        writeln!(self.asks, "{key}").unwrap();
        self.line()
    }

    /// Asks until the other process answers from its own memory, so that the key is cached when it
    /// is deleted.
    async fn remember(&mut self, key: &str) {
        for _ in 0..1000 {
            if self.ask(key) == "yes cached" && self.ask(key) == "yes cached" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the other process never uses its memory again");
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args([name, &pid])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for NodeB {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn expect_refused(answer: &str, what: &str) {
    assert!(
        answer.starts_with("no"),
        "{what}: a deleted key got the response {answer}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_key_is_refused_across_processes_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::in_folder(&folder);
    let mut a = NodeA::start(&place).await;
    let mut b = NodeB::start(&place);
    for round in 0..100 {
        let (id, key) = a.create().await;
        b.remember(&key).await;
        a.delete(id).await;
        expect_refused(&b.ask(&key), &format!("round {round}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_key_is_refused_across_processes_on_postgres() {
    let place = Place::fresh();
    let mut a = NodeA::start(&place).await;
    let mut b = NodeB::start(&place);
    let mut longest = Duration::ZERO;
    for round in 0..50 {
        let (id, key) = a.create().await;
        b.remember(&key).await;
        longest = longest.max(a.delete(id).await);
        expect_refused(&b.ask(&key), &format!("round {round}"));
    }
    eprintln!(
        "with its listener alive the other process knew when `delete` returned, after at most {longest:?}"
    );
    assert!(longest < BOUND, "{longest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_listener_lets_no_deleted_key_in() {
    let server = TestPostgres::start();
    let place = Place::on(server.url());
    let mut a = NodeA::start(&place).await;
    let mut b = NodeB::start(&place);
    let (client, connection) = tokio_postgres::connect(server.url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut longest = Duration::ZERO;
    for round in 0..20 {
        let (id, key) = a.create().await;
        b.remember(&key).await;
        let all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
        client.simple_query(all).await.unwrap();
        // The pools find their connections closed; a call that meets one is repeated, as a platform
        // would do.
        let began = Instant::now();
        while a.keys.delete(&a.actor, id).await.is_err()
            && a.keys.get(&a.actor, id).await.ok() != Some(None)
        {
            assert!(
                began.elapsed() < Duration::from_secs(10),
                "the store does not heal"
            );
        }
        longest = longest.max(began.elapsed());
        expect_refused(&b.ask(&key), &format!("round {round}"));
    }
    eprintln!(
        "with its listener cut the other process refused at once; `delete` took at most {longest:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn frozen_process_refuses_deleted_key_after_waking() {
    let place = Place::fresh();
    let mut a = NodeA::start(&place).await;
    let mut b = NodeB::start(&place);
    let mut longest = Duration::ZERO;
    for round in 0..4 {
        let (id, key) = a.create().await;
        b.remember(&key).await;
        b.signal("-STOP");
        // The request waits in its pipe: the first thing that it reads when it wakes up.
        writeln!(b.asks, "{key}").unwrap();
        longest = longest.max(a.delete(id).await);
        b.signal("-CONT");
        expect_refused(&b.line(), &format!("round {round}"));
    }
    eprintln!("while the other process was frozen `delete` took at most {longest:?}");
    assert!(longest < BOUND, "{longest:?}");
}
