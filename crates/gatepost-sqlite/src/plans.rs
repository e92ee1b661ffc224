//! Tests that the statements for every delivery find their rows by an index, however many other
//! rows there are.

use gatepost_storage::Page;
use rusqlite::Connection;

use crate::log::list::source::Index;
use crate::migrate::migrate;

/// Statements, each with the plan by which it finds its rows.
macro_rules! statements {
    ($($file:literal: $plan:literal,)*) => {
        [$((sql!($file), $plan)),*]
    };
}

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
    let hot = statements! {
        "queue/next_queue": "gatepost_queue_class ((webhook,class)>(?,?))",
        "queue/next_due": "gatepost_queue_due (due>?)",
        "queue/due_then": "gatepost_queue_due (due=? AND rowid>?)",
        "queue/due_after": "gatepost_queue_due (due>? AND due<?)",
        "queue/first_due": "gatepost_queue_class (webhook=? AND class=?)",
        "queue/claimable": "gatepost_queue_class (webhook=? AND class=? AND due<?)",
        "queue/oldest_waiting": "gatepost_queue_of_webhook (webhook=?)",
        "queue/facts": "INTEGER PRIMARY KEY (rowid=?)",
        "queue/last_token": "PRIMARY KEY (delivery=?)",
        "queue/lease_over": "gatepost_running_ends (lease_until<?)",
        "batch/webhook": "INTEGER PRIMARY KEY (rowid=?)",
        "log/history": "PRIMARY KEY (delivery=?)",
        "log/key": "INTEGER PRIMARY KEY (rowid=?)",
        "log/created_at": "INTEGER PRIMARY KEY (rowid>?)",
        "log/next_inactive": "gatepost_webhook_inactive (id>?)",
        "log/waits_with_created": "gatepost_queue_of_webhook (webhook=?)",
        "log/bytes_of_outcomes": "PRIMARY KEY (delivery=?)",
        "log/forget_counts": "gatepost_count_at (hour<?)",
        "owners/waiting_moved": "gatepost_queue_of_webhook (webhook=? AND rowid<?)",
        "owners/next_ordering": "gatepost_webhook_ordering (id>?)",
        "outbox/open": "gatepost_occurrence_open (turn_tenant=? AND turn_owner=? AND id<?)",
        "outbox/next_due": "gatepost_occurrence_turns (turn_tenant=? AND turn_owner=? AND due>?)",
        "owners/next_moved": "gatepost_owner_unfinished",
        "owners/unplaced": "gatepost_owner_unplaced (owner>?)",
        "owners/held": "gatepost_owner_held (owner>?)",
        "keys/remove_twins": "sqlite_autoindex_gatepost_key_2 (owner=? AND name=?)",
        "owners/usage": "gatepost_key_of_owner (owner=? AND rowid>?)",
        "keys/uses": "PRIMARY KEY (key=? AND day>? AND day<?)",
        "keys/forget_uses": "PRIMARY KEY (key=? AND day<?)",
        "places/changes": "PRIMARY KEY (place=?)",
        "records/routes_tasks": "gatepost_task_of_owner (owner=?)",
        "records/routes_events": "gatepost_event_of_owner (owner=?)",
        "records/events_of_place": "gatepost_event_of_type (event_type=? AND event=? AND owner=?)",
        "records/events_common": "gatepost_event_of_type (event_type=? AND event=?)",
        "log/forget_rejected": "gatepost_rejected_at (minute<?)",
        "audit/remove_oldest": "gatepost_audit_of_owner (owner=?)",
        "audit/trim": "gatepost_audit_at (at<?)",
        "log/forget_seen": "gatepost_seen_stored (stored<?)",
    };
    for (sql, index) in hot {
        let plan = plan(sql);
        assert!(plan.contains(index), "{sql}\n{plan}");
        assert!(
            !plan.contains("SCAN") && !plan.contains("ORDER BY"),
            "{sql}\n{plan}"
        );
    }
}

/// One lookup each, and few rows sorted: for each state, or for each way to be due.
#[test]
fn statements_over_several_ranges_search_each() {
    let several = statements! {
        "outbox/due_of": "gatepost_occurrence_turns (turn_tenant=? AND turn_owner=? AND due",
        "outbox/any": "gatepost_outbox_turn_",
        "outbox/ready": "gatepost_outbox_turn_",
        "outbox/wake": "gatepost_outbox_turn_later (due",
    };
    for ((sql, index), times) in several.into_iter().zip([2, 3, 2, 1]) {
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
