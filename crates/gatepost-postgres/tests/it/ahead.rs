//! The log of an early version is copied ahead of its migration, beside processes that change it.

use std::time::Duration;

use gatepost_postgres::PostgresStore;
use tokio::task::JoinHandle;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::common::raw;
use crate::postgres::FreshSchema;
use crate::upgrade::{FIRST, ROWS_SECOND, SECOND, THIRD, config_of, written_at};

/// What a process of the version before does: replays, deletes, settles, adds.
const CHANGES: &str = "
    UPDATE gatepost_delivery SET state = 'queued', class = 0, attempts = 0, status_info = '', due = '2030-01-01Z'
        WHERE message_id = 'sent';
    DELETE FROM gatepost_attempt WHERE delivery = (SELECT id FROM gatepost_delivery WHERE message_id = 'failed');
    DELETE FROM gatepost_delivery WHERE message_id = 'failed';
    INSERT INTO gatepost_attempt (delivery, number, started, duration_us, class, info, response_head, response_body, truncated)
        SELECT id, logged + 1, '2030-01-02Z', 7, 'ok', 'late', '', '', false FROM gatepost_delivery WHERE message_id = 'queued';
    UPDATE gatepost_delivery SET state = 'sent', logged = logged + 1, attempts = attempts + 1, status_info = 'late'
        WHERE message_id = 'queued';
    UPDATE gatepost_attempt SET response_body = 'shorter' WHERE delivery = (SELECT min(id) FROM gatepost_delivery WHERE state = 'sent');";
/// What it adds, which has an owner from the second version on.
const ADDED: &str = "
    INSERT INTO gatepost_delivery (message_id, webhook, body, state, created, due)
        VALUES ('added', 2, 'x', 'queued', '2030-01-01Z', '2030-01-01Z'), ('added and sent', 2, 'x', 'sent', '2030-01-01Z', '2030-01-01Z')";
const NOTHING_LEFT: &str = "DELETE FROM gatepost_attempt; DELETE FROM gatepost_delivery";
/// Log and queue; tokens of what runs are new ones.
const TABLES: [&str; 5] = [
    "gatepost_delivery",
    "gatepost_outcome",
    "gatepost_queue",
    "(SELECT lease_until, webhook, open, ids, tries, attempts, class, lost FROM gatepost_running)",
    "gatepost_part",
];
const TRIES: u32 = 2_000;

async fn contents(client: &Client) -> Vec<String> {
    let mut all = Vec::new();
    for table in TABLES {
        let rows = format!("SELECT found::text FROM {table} AS found ORDER BY 1");
        let rows = client.query(&rows, &[]).await.unwrap();
        all.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    }
    all
}

async fn number(client: &Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

/// When the changes are made: once the copy is there, and before the steps are taken, or before the
/// copy goes on, by the next process.
#[derive(Clone, Copy, Debug)]
enum Made {
    BeforeTheSteps,
    BeforeItGoesOn,
}

async fn changed_beside(at: &FreshSchema, client: &Client, changes: &str, made: Made) {
    let held = raw(at).await;
    let hold = "BEGIN; LOCK TABLE gatepost_webhook IN ACCESS SHARE MODE";
    held.batch_execute(hold).await.unwrap();
    let mut opening = tokio::spawn(PostgresStore::connect(config_of(at)));
    let waits = "SELECT count(*) FROM pg_locks
        WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'gatepost_webhook'::regclass";
    until_it_waits(client, waits, || opening.is_finished()).await;
    let copied =
        "SELECT count(*) FROM gatepost_delivery_ahead a JOIN gatepost_delivery d ON d.id = a.id
        WHERE d.message_id IN ('sent', 'failed')";
    assert_eq!(number(client, copied).await, 2, "they are copied already");
    if let Made::BeforeItGoesOn = made {
        opening.abort();
        assert!((&mut opening).await.unwrap_err().is_cancelled());
    }
    client.batch_execute(changes).await.unwrap();
    held.batch_execute("COMMIT").await.unwrap();
    if let Made::BeforeItGoesOn = made {
        opening = tokio::spawn(PostgresStore::connect(config_of(at)));
    }
    opening.await.unwrap().unwrap();
}

async fn until_it_waits(client: &Client, waits: &str, has_ended: impl Fn() -> bool) {
    let mut tries = 0;
    while number(client, waits).await == 0 {
        tries += 1;
        assert!(tries < TRIES && !has_ended(), "it does not wait");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// What this does again and again until it fails, as it must once the schema is another: how often
/// it did not, and why it did.
async fn until_it_fails(at: &FreshSchema, sql: &'static str) -> JoinHandle<(u32, SqlState)> {
    let client = raw(at).await;
    tokio::spawn(async move {
        let mut times = 0;
        loop {
            match client.batch_execute(sql).await {
                Ok(()) => times += 1,
                Err(error) => return (times, error.code().unwrap().clone()),
            }
        }
    })
}

/// One that has ended, as the first version adds it.
fn ended(name: &str) -> String {
    format!(
        "INSERT INTO gatepost_delivery (message_id, webhook, body, state, in_order, created, due)
         VALUES ('{name}', 2, 'x', 'sent', false, '2030-01-01Z', '2030-01-01Z')"
    )
}

/// The steps from the first version to the third.
fn steps() -> [String; 2] {
    [(2, SECOND), (3, THIRD)].map(|(version, step)| {
        format!("BEGIN; {step}; INSERT INTO gatepost_migration (version, name) VALUES ({version}, ''); COMMIT")
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ended_before_changes_are_noted_is_copied_as_well() {
    let (at, beside) = written_at(&FIRST).await;
    let [writer, next] = [raw(&at).await, raw(&at).await];
    let hold = "BEGIN; LOCK TABLE gatepost_delivery IN ROW EXCLUSIVE MODE";
    writer.batch_execute(hold).await.unwrap();
    let opening = tokio::spawn(PostgresStore::connect(config_of(&at)));
    let waits = "SELECT count(*) FROM pg_locks
        WHERE NOT granted AND relation = 'gatepost_delivery'::regclass";
    until_it_waits(&beside, waits, || opening.is_finished()).await;
    let [first, second] = ["ended", "came"].map(ended);
    let ends = format!("{first}; COMMIT");
    let (ended, came) = tokio::join!(writer.batch_execute(&ends), next.batch_execute(&second));
    ended.and(came).unwrap();
    opening.await.unwrap().unwrap();
    let steps = steps();
    let in_one = [&FIRST[..], &[&first, &second, &steps[0], &steps[1]]].concat();
    let (at, alone) = written_at(&in_one).await;
    PostgresStore::connect(config_of(&at)).await.unwrap();
    assert_eq!(contents(&beside).await, contents(&alone).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_beside_a_copy_is_as_if_there_had_been_none() {
    let [second, third] = steps();
    let first_adds = ADDED.replace(" state,", " state, in_order,");
    let first_adds = first_adds
        .replace("'queued',", "'queued', false,")
        .replace("'sent',", "'sent', false,");
    let second_adds = ADDED.replace(" state,", " state, owner,");
    let second_adds = second_adds
        .replace("'queued',", "'queued', 1,")
        .replace("'sent',", "'sent', 1,");
    let of_first = [FIRST.to_vec(), vec![&second, &third]];
    let of_second = [[&FIRST[..], &[&second, ROWS_SECOND]].concat(), vec![&third]];
    for ([before, steps], added) in [(of_first, first_adds), (of_second, second_adds)] {
        let changes = [
            (format!("{CHANGES} {added}"), Made::BeforeTheSteps),
            (format!("{CHANGES} {added}"), Made::BeforeItGoesOn),
            (NOTHING_LEFT.to_owned(), Made::BeforeTheSteps),
            (NOTHING_LEFT.to_owned(), Made::BeforeItGoesOn),
        ];
        for (changes, made) in changes {
            let (at, beside) = written_at(&before).await;
            changed_beside(&at, &beside, &changes, made).await;
            let in_one = [before.clone(), vec![&changes], steps.clone()].concat();
            let (at, alone) = written_at(&in_one).await;
            PostgresStore::connect(config_of(&at)).await.unwrap();
            let wanted = contents(&alone).await;
            assert!(wanted.len() > 2, "{wanted:?}");
            assert_eq!(contents(&beside).await, wanted, "{made:?}");
            let left =
                "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                AND (relname LIKE '%ahead' OR relname = 'gatepost_changed')";
            assert_eq!(number(&beside, left).await, 0);
        }
    }
}

/// As the versions before take their locks: an emit the routes, then the webhook, and a settlement
/// the delivery, then the webhook.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_works_beside_it_is_no_victim_of_a_deadlock() {
    let (at, _) = written_at(&FIRST).await;
    let emit = "BEGIN; SELECT FROM gatepost_routes FOR SHARE; SELECT pg_sleep(0.02);
        SELECT FROM gatepost_webhook WHERE id = 2 FOR SHARE; COMMIT";
    let settle = "BEGIN; LOCK TABLE gatepost_delivery IN ROW EXCLUSIVE MODE; SELECT pg_sleep(0.01);
        UPDATE gatepost_delivery d SET due = d.due FROM gatepost_webhook w
        WHERE w.id = d.webhook AND d.message_id = 'queued'; COMMIT";
    let beside = [emit, settle].map(|sql| until_it_fails(&at, sql));
    let beside = futures_util::future::join_all(beside).await;
    PostgresStore::connect(config_of(&at)).await.unwrap();
    for one in beside {
        let (times, why) = one.await.unwrap();
        assert!(times > 0);
        assert_ne!(why, SqlState::T_R_DEADLOCK_DETECTED);
    }
}
