use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::{STEPS, migrate, migrate_with};
use super::*;

/// Deliveries in every state, with and without attempts: some bites.
const ROWS: &str = "
    INSERT INTO gatepost_delivery (message_id, webhook, task, tenant, body, state, class, in_order,
            status_info, created, due, lease_until, attempts, lost_claims, logged,
            message_kept)
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 5000)
        SELECT 'm-' || n, n % 3 + 1, nullif(n % 4, 0), nullif(n % 5, 0), 'body ' || n, n % 4, n % 2,
            0, iif(n % 8 < 4, '', 'info ' || n), n, n + 9, iif(n % 4 = 1, n + 99, NULL), n % 3, n % 7, n % 3,
            n % 9 <> 0 FROM n;
    INSERT INTO gatepost_attempt (delivery, number, started, duration_us, class, info, status,
            response_head, response_body, truncated, kept)
        SELECT d.id, n.number, d.id, 12, 'timeout', 'ended', 500, zeroblob(d.id % 50), zeroblob(7),
            0, 1
        FROM gatepost_delivery d
        JOIN (SELECT 1 AS number UNION ALL SELECT 2) n ON n.number <= d.logged;";
/// What a process of the version before does: it replays, deletes, settles, forgets and adds.
const CHANGES: &str = "
    UPDATE gatepost_delivery SET state = 0, attempts = 0, status_info = '', due = 7 WHERE id % 50 = 2;
    DELETE FROM gatepost_attempt WHERE delivery % 50 = 3;
    DELETE FROM gatepost_delivery WHERE id % 50 = 3;
    INSERT INTO gatepost_attempt (delivery, number, started, duration_us, class, info, response_head,
            response_body, truncated, kept)
        SELECT id, 9, 1, 1, 'ok', 'late', x'', x'', 0, 1 FROM gatepost_delivery WHERE id % 50 = 4;
    UPDATE gatepost_delivery SET state = 2, logged = 9, status_info = 'late' WHERE id % 50 = 4;
    UPDATE gatepost_attempt SET kept = 0, response_body = x'' WHERE delivery % 50 = 7;
    UPDATE gatepost_delivery SET message_kept = 0, body = '' WHERE id % 50 = 11;
    DELETE FROM gatepost_attempt WHERE delivery % 50 = 17;
    INSERT INTO gatepost_delivery (message_id, webhook, body, state, in_order, created, due)
        VALUES ('new', 1, 'new', 0, 0, 1, 1), ('new and sent', 2, 'new', 2, 0, 1, 1);
    DELETE FROM gatepost_delivery WHERE id = 5000;";
const FORGET: &str =
    "DROP TRIGGER gatepost_delivery_changes; DROP TRIGGER gatepost_attempt_changes";

fn old() -> Connection {
    let mut file = Connection::open_in_memory().unwrap();
    migrate_with(&mut file, &STEPS[..2]).unwrap();
    file.pragma_update(None, "foreign_keys", false).unwrap();
    file.execute_batch(ROWS).unwrap();
    file
}

/// All tables of the log and the queue, and what the file consists of.
fn contents(mut file: Connection) -> Vec<Vec<Value>> {
    migrate(&mut file).unwrap();
    let tables = [
        "gatepost_delivery",
        "gatepost_outcome",
        "gatepost_queue",
        "gatepost_of_webhook",
        "gatepost_of_task",
        "gatepost_of_tenant",
        "gatepost_log",
        "(SELECT name, sql FROM sqlite_schema)",
    ];
    let mut all = Vec::new();
    for table in tables {
        let sql = format!("SELECT * FROM {table} ORDER BY 1, 2");
        let mut rows = file.prepare(&sql).unwrap();
        let width = rows.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..width).map(|at| row.get(at)).collect();
        let found = rows.query_map([], row).unwrap();
        all.extend(found.map(|row| row.unwrap()));
    }
    all
}

/// Without a copy ahead of it.
fn in_one_step() -> Vec<Vec<Value>> {
    let file = old();
    file.execute_batch(CHANGES).unwrap();
    file.execute_batch(STEPS[2]).unwrap();
    file.execute_batch("INSERT INTO gatepost_schema VALUES (3)")
        .unwrap();
    contents(file)
}

#[test]
fn what_changes_beside_a_copy_is_as_if_there_had_been_none() {
    let wanted = in_one_step();
    assert!(wanted.len() > 20_000);
    let mut whole = old();
    copy(&mut whole).unwrap();
    let copied = "SELECT count(*) FROM gatepost_delivery_3";
    let copied: i64 = whole.query_row(copied, [], |row| row.get(0)).unwrap();
    assert_eq!(copied, 5_000);
    let mut half = old();
    assert!(bite(&mut half, 5_000).unwrap());
    for (at, file) in [whole, half].into_iter().enumerate() {
        file.execute_batch(CHANGES).unwrap();
        assert!(contents(file) == wanted, "{at}");
    }
}

/// The control.
#[test]
fn changes_that_nobody_notes_would_be_lost() {
    let mut file = old();
    copy(&mut file).unwrap();
    file.execute_batch(FORGET).unwrap();
    file.execute_batch(CHANGES).unwrap();
    assert!(contents(file) != in_one_step());
}
