//! Tests that the statements for every delivery find their rows by an index, however many other
//! rows there are.

use gatepost_storage::Page;
use rusqlite::Connection;

use crate::log::list::source::Index;
use crate::migrate::migrate;

/// A statement, and the plan by which it finds its rows.
type Hot = (&'static str, &'static str);

const QUEUE_AND_LOG: &[Hot] = &[
    (
        include_str!("sql/queue/next_queue.sql"),
        "gatepost_queue_class ((webhook,class)>(?,?))",
    ),
    (
        include_str!("sql/queue/next_due.sql"),
        "gatepost_queue_due (due>?)",
    ),
    (
        include_str!("sql/queue/due_then.sql"),
        "gatepost_queue_due (due=? AND rowid>?)",
    ),
    (
        include_str!("sql/queue/due_after.sql"),
        "gatepost_queue_due (due>? AND due<?)",
    ),
    (
        include_str!("sql/queue/first_due.sql"),
        "gatepost_queue_class (webhook=? AND class=?)",
    ),
    (
        include_str!("sql/queue/claimable.sql"),
        "gatepost_queue_class (webhook=? AND class=? AND due<?)",
    ),
    (
        include_str!("sql/queue/oldest_waiting.sql"),
        "gatepost_queue_of_webhook (webhook=?)",
    ),
    (
        include_str!("sql/queue/facts.sql"),
        "INTEGER PRIMARY KEY (rowid=?)",
    ),
    (
        include_str!("sql/queue/last_token.sql"),
        "PRIMARY KEY (delivery=?)",
    ),
    (
        include_str!("sql/queue/lease_over.sql"),
        "gatepost_running_ends (lease_until<?)",
    ),
    (
        include_str!("sql/batch/webhook.sql"),
        "INTEGER PRIMARY KEY (rowid=?)",
    ),
    (
        include_str!("sql/log/history.sql"),
        "PRIMARY KEY (delivery=?)",
    ),
    (
        include_str!("sql/log/key.sql"),
        "INTEGER PRIMARY KEY (rowid=?)",
    ),
    (
        include_str!("sql/log/created_at.sql"),
        "INTEGER PRIMARY KEY (rowid>?)",
    ),
    (
        include_str!("sql/log/next_inactive.sql"),
        "gatepost_webhook_inactive (id>?)",
    ),
    (
        include_str!("sql/log/waits_with_created.sql"),
        "gatepost_queue_of_webhook (webhook=?)",
    ),
    (
        include_str!("sql/log/bytes_of_outcomes.sql"),
        "PRIMARY KEY (delivery=?)",
    ),
    (
        include_str!("sql/log/forget_counts.sql"),
        "gatepost_count_at (hour<?)",
    ),
];

const OTHERS: &[Hot] = &[
    (
        include_str!("sql/owners/waiting_moved.sql"),
        "gatepost_queue_of_webhook (webhook=? AND rowid<?)",
    ),
    (
        include_str!("sql/owners/next_ordering.sql"),
        "gatepost_webhook_ordering (id>?)",
    ),
    (
        include_str!("sql/outbox/open.sql"),
        "gatepost_occurrence_open (turn_tenant=? AND turn_owner=? AND id<?)",
    ),
    (
        include_str!("sql/outbox/next_due.sql"),
        "gatepost_occurrence_turns (turn_tenant=? AND turn_owner=? AND due>?)",
    ),
    (
        include_str!("sql/owners/next_moved.sql"),
        "gatepost_owner_unfinished",
    ),
    (
        include_str!("sql/owners/unplaced.sql"),
        "gatepost_owner_unplaced (owner>?)",
    ),
    (
        include_str!("sql/owners/held.sql"),
        "gatepost_owner_held (owner>?)",
    ),
    (
        include_str!("sql/keys/remove_twins.sql"),
        "sqlite_autoindex_gatepost_key_2 (owner=? AND name=?)",
    ),
    (
        include_str!("sql/owners/usage.sql"),
        "gatepost_key_of_owner (owner=? AND rowid>?)",
    ),
    (
        include_str!("sql/keys/uses.sql"),
        "PRIMARY KEY (key=? AND day>? AND day<?)",
    ),
    (
        include_str!("sql/keys/forget_uses.sql"),
        "PRIMARY KEY (key=? AND day<?)",
    ),
    (
        include_str!("sql/places/changes.sql"),
        "PRIMARY KEY (place=?)",
    ),
    (
        include_str!("sql/records/routes_tasks.sql"),
        "gatepost_task_of_owner (owner=?)",
    ),
    (
        include_str!("sql/records/routes_events.sql"),
        "gatepost_event_of_owner (owner=?)",
    ),
    (
        include_str!("sql/records/events_of_place.sql"),
        "gatepost_event_of_type (event_type=? AND event=? AND owner=?)",
    ),
    (
        include_str!("sql/records/events_common.sql"),
        "gatepost_event_of_type (event_type=? AND event=?)",
    ),
    (
        include_str!("sql/log/forget_rejected.sql"),
        "gatepost_rejected_at (minute<?)",
    ),
    (
        include_str!("sql/audit/remove_oldest.sql"),
        "gatepost_audit_of_owner (owner=?)",
    ),
    (
        include_str!("sql/audit/trim.sql"),
        "gatepost_audit_at (at<?)",
    ),
    (
        include_str!("sql/log/forget_seen.sql"),
        "gatepost_seen_stored (stored<?)",
    ),
];

fn plan(sql: &str) -> String {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate(&mut connection).unwrap();
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap();
    for number in 1..=statement.parameter_count() {
        statement.raw_bind_parameter(number, 1).unwrap();
    }
    let mut rows = statement.raw_query();
    let mut plan = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        plan.push(row.get::<_, String>(3).unwrap());
    }
    plan.join("\n")
}

#[test]
fn hot_statements_search_their_index_and_sort_nothing() {
    for (sql, index) in QUEUE_AND_LOG.iter().chain(OTHERS) {
        let plan = plan(sql);
        assert!(plan.contains(*index), "{sql}\n{plan}");
        assert!(
            !plan.contains("SCAN") && !plan.contains("ORDER BY"),
            "{sql}\n{plan}"
        );
    }
}

/// One lookup each, and few rows sorted: for each state, or for each way to be due.
#[test]
fn statements_over_several_ranges_search_each() {
    let several = [
        (
            include_str!("sql/outbox/due_of.sql"),
            "gatepost_occurrence_turns (turn_tenant=? AND turn_owner=? AND due",
            2,
        ),
        (
            include_str!("sql/outbox/any.sql"),
            "gatepost_outbox_turn_",
            3,
        ),
        (
            include_str!("sql/outbox/ready.sql"),
            "gatepost_outbox_turn_",
            2,
        ),
        (
            include_str!("sql/outbox/wake.sql"),
            "gatepost_outbox_turn_later (due",
            1,
        ),
    ];
    for (sql, index, times) in several {
        let plan = plan(sql);
        assert_eq!(plan.matches(index).count(), times, "{sql}\n{plan}");
        assert!(!plan.contains("SCAN gatepost_delivery"), "{sql}\n{plan}");
    }
}

/// The filters of lists, and the index that finds the rows of each among those of others.
#[test]
fn lists_look_their_rows_up() {
    for (name, sql, index) in lists() {
        let plan = plan(&sql);
        assert!(plan.contains(index), "{name}\n{sql}\n{plan}");
        let scanned = plan.lines().any(|line| line.trim().starts_with("SCAN r"));
        assert!(!scanned, "{name}\n{sql}\n{plan}");
    }
}

fn lists() -> Vec<(&'static str, String, &'static str)> {
    let page = Page::first(50).beyond(7);
    let mut lists = crate::keys::plans(&page);
    lists.extend(crate::audit::plans(&page));
    lists.extend(crate::records::plans(&page));
    lists
}

/// Each source of a list of deliveries is a range of an index, read in order.
#[test]
fn lists_of_deliveries_walk_ranges_in_order() {
    for index in Index::ALL {
        for descending in [false, true] {
            let sql = index.sql(descending);
            let plan = plan(sql);
            let search = plan.lines().all(|line| line.starts_with("SEARCH"));
            let range = [
                "rowid>? AND rowid<?",
                "id>? AND id<?",
                "delivery>? AND delivery<?",
            ];
            assert!(search, "{sql}\n{plan}");
            assert!(
                range.iter().any(|range| plan.contains(range)),
                "{sql}\n{plan}"
            );
        }
    }
}
