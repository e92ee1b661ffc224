use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::{STEPS, migrate, migrate_with};
use super::*;

/// Deliveries in every state, with and without attempts: some bites.
const ROWS: &str = "
    INSERT INTO gatepost_delivery (message_id, webhook, task, body, state, class, in_order,
            status_info, created, due, lease_until, attempts, lost_claims, logged)
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 5000)
        SELECT 'm-' || n, n % 3 + 1, nullif(n % 4, 0), 'body ' || n, n % 4, n % 2,
            0, iif(n % 8 < 4, '', 'info ' || n), n, n + 9, iif(n % 4 = 1, n + 99, NULL), n % 3, n % 7, n % 3
            FROM n;
    INSERT INTO gatepost_attempt (delivery, number, started, duration_us, class, info, status,
            response_head, response_body, truncated)
        SELECT d.id, n.number, d.id, 12, 'timeout', 'ended', 500, zeroblob(d.id % 50), zeroblob(7), 0
        FROM gatepost_delivery d
        JOIN (SELECT 1 AS number UNION ALL SELECT 2) n ON n.number <= d.logged;";
/// What a process of the version before does: it replays, deletes, settles, forgets and adds.
const CHANGES: &str = "
    UPDATE gatepost_delivery SET state = 0, attempts = 0, status_info = '', due = 7 WHERE id % 50 = 2;
    DELETE FROM gatepost_attempt WHERE delivery % 50 = 3;
    DELETE FROM gatepost_delivery WHERE id % 50 = 3;
    INSERT INTO gatepost_attempt (delivery, number, started, duration_us, class, info, response_head,
            response_body, truncated)
        SELECT id, 9, 1, 1, 'ok', 'late', x'', x'', 0 FROM gatepost_delivery WHERE id % 50 = 4;
    UPDATE gatepost_delivery SET state = 2, logged = 9, status_info = 'late' WHERE id % 50 = 4;
    UPDATE gatepost_attempt SET response_body = x'' WHERE delivery % 50 = 7;
    DELETE FROM gatepost_attempt WHERE delivery % 50 = 17;
    INSERT INTO gatepost_delivery (message_id, webhook, body, state, in_order, created, due)
        VALUES ('new', 1, 'new', 0, 0, 1, 1), ('new and sent', 2, 'new', 2, 0, 1, 1);
    DELETE FROM gatepost_delivery WHERE id = 5000;";
/// What the first version has not.
const ROWS_OF_SECOND: &str =
    "UPDATE gatepost_delivery SET tenant = nullif(id % 5, 0), message_kept = id % 9 <> 0";
const CHANGES_OF_SECOND: &str = "
    UPDATE gatepost_attempt SET kept = 0 WHERE delivery % 50 = 12;
    UPDATE gatepost_delivery SET message_kept = 0, body = '' WHERE id % 50 = 11;";
const FORGET: &str =
    "DROP TRIGGER gatepost_delivery_changes; DROP TRIGGER gatepost_attempt_changes";

fn old(version: usize) -> Connection {
    let mut file = Connection::open_in_memory().unwrap();
    migrate_with(&mut file, &STEPS[..version]).unwrap();
    file.pragma_update(None, "foreign_keys", false).unwrap();
    file.execute_batch(ROWS).unwrap();
    if version == 2 {
        file.execute_batch(ROWS_OF_SECOND).unwrap();
    }
    file
}

fn change(file: &Connection, version: usize) {
    file.execute_batch(CHANGES).unwrap();
    if version == 2 {
        file.execute_batch(CHANGES_OF_SECOND).unwrap();
    }
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
fn in_one_step(version: usize) -> Vec<Vec<Value>> {
    let file = old(version);
    change(&file, version);
    file.pragma_update(None, "legacy_alter_table", true)
        .unwrap();
    for (at, step) in STEPS.iter().enumerate().take(3).skip(version) {
        file.execute_batch(step).unwrap();
        file.execute("INSERT INTO gatepost_schema VALUES (?1)", [at as i64 + 1])
            .unwrap();
    }
    contents(file)
}

fn number(file: &Connection, sql: &str) -> i64 {
    file.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn what_changes_beside_a_copy_is_as_if_there_had_been_none() {
    for version in [1, 2] {
        let wanted = in_one_step(version);
        assert!(wanted.len() > 20_000);
        let mut whole = old(version);
        copy(&mut whole).unwrap();
        let copied = "SELECT count(*) FROM gatepost_delivery_3";
        assert_eq!(number(&whole, copied), 5_000);
        change(&whole, version);
        assert!(contents(whole) == wanted, "{version}: in the step");

        let mut half = old(version);
        assert!(bite(&mut half).unwrap());
        change(&half, version);
        assert!(contents(half) == wanted, "{version}: in the midst of it");

        let mut again = old(version);
        copy(&mut again).unwrap();
        change(&again, version);
        copy(&mut again).unwrap();
        let left = "SELECT count(*) FROM gatepost_changed";
        assert!(number(&again, left) < FEW, "{version}");
        assert!(contents(again) == wanted, "{version}: in another bite");
    }
}

#[test]
fn a_copy_whose_changes_were_not_noted_is_made_again() {
    let mut file = old(2);
    copy(&mut file).unwrap();
    file.execute_batch(FORGET).unwrap();
    change(&file, 2);
    assert!(contents(file) == in_one_step(2));
}

/// The control.
#[test]
fn changes_that_nobody_notes_would_be_lost() {
    let mut file = old(2);
    copy(&mut file).unwrap();
    file.execute_batch("DELETE FROM gatepost_changed").unwrap();
    change(&file, 2);
    file.execute_batch("DELETE FROM gatepost_changed").unwrap();
    assert!(contents(file) != in_one_step(2));
}

#[test]
fn a_file_of_another_application_gets_no_copy() {
    let mut file = old(2);
    file.pragma_update(None, "application_id", 7).unwrap();
    migrate(&mut file).unwrap_err();
    let copies = "SELECT count(*) FROM sqlite_schema WHERE name = 'gatepost_delivery_3'";
    assert_eq!(number(&file, copies), 0);
}
