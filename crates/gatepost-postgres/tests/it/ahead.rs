//! The log of an early version is copied ahead of its migration, beside processes that change it.

use std::time::Duration;

use gatepost_postgres::PostgresStore;
use tokio_postgres::Client;

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

/// The changes are made once the copy is there, and before the steps are taken.
async fn changed_beside(at: &FreshSchema, client: &Client, changes: &str) {
    let held = raw(at).await;
    let hold = "BEGIN; LOCK TABLE gatepost_webhook IN ACCESS SHARE MODE";
    held.batch_execute(hold).await.unwrap();
    let opening = tokio::spawn(PostgresStore::connect(config_of(at)));
    let waits = "SELECT count(*) FROM pg_locks
        WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'gatepost_webhook'::regclass";
    let mut tries = 0;
    while number(client, waits).await == 0 {
        tries += 1;
        assert!(tries < TRIES && !opening.is_finished(), "it does not wait");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let copied =
        "SELECT count(*) FROM gatepost_delivery_ahead a JOIN gatepost_delivery d ON d.id = a.id
        WHERE d.message_id IN ('sent', 'failed')";
    assert_eq!(number(client, copied).await, 2, "they are copied already");
    client.batch_execute(changes).await.unwrap();
    held.batch_execute("COMMIT").await.unwrap();
    opening.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_beside_a_copy_is_as_if_there_had_been_none() {
    let [second, third] = [(2, SECOND), (3, THIRD)].map(|(version, step)| {
        format!("BEGIN; {step}; INSERT INTO gatepost_migration (version, name) VALUES ({version}, ''); COMMIT")
    });
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
        for changes in [format!("{CHANGES} {added}"), NOTHING_LEFT.to_owned()] {
            let (at, beside) = written_at(&before).await;
            changed_beside(&at, &beside, &changes).await;
            let in_one = [before.clone(), vec![&changes], steps.clone()].concat();
            let (at, alone) = written_at(&in_one).await;
            PostgresStore::connect(config_of(&at)).await.unwrap();
            let wanted = contents(&alone).await;
            assert!(wanted.len() > 2, "{wanted:?}");
            assert_eq!(contents(&beside).await, wanted);
            let left =
                "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                AND (relname LIKE '%ahead' OR relname = 'gatepost_changed')";
            assert_eq!(number(&beside, left).await, 0);
        }
    }
}
