//! The statements that run for every delivery find their rows by an index, however many others
//! there are.

use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use gatepost_storage::{Page, Scope};
use rusqlite::Connection;

use crate::log::list::deliveries as deliveries_list;
use crate::migrate::migrate;
use crate::queue::row;

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
    let hot = [
        (
            include_str!("sql/queue/next_lane.sql"),
            "gatepost_delivery_waiting ((webhook,class)>(?,?))",
        ),
        (
            include_str!("sql/queue/next_due.sql"),
            "gatepost_delivery_waiting (webhook=? AND class=? AND due>?)",
        ),
        (
            include_str!("sql/queue/claimable.sql"),
            "gatepost_delivery_waiting (webhook=? AND class=? AND due<?)",
        ),
        (
            include_str!("sql/queue/oldest_open.sql"),
            "gatepost_delivery_open (webhook=?)",
        ),
        (
            include_str!("sql/queue/any_running.sql"),
            "gatepost_delivery_open (webhook=?)",
        ),
        (
            include_str!("sql/queue/claim.sql"),
            "INTEGER PRIMARY KEY (rowid=?)",
        ),
        (
            include_str!("sql/queue/settle.sql"),
            "INTEGER PRIMARY KEY (rowid=?)",
        ),
        (
            include_str!("sql/queue/reclaim.sql"),
            "gatepost_delivery_leased (lease_until<?)",
        ),
        (
            include_str!("sql/queue/sender.sql"),
            "INTEGER PRIMARY KEY (rowid=?)",
        ),
        (
            include_str!("sql/owners/some_deliveries.sql"),
            "gatepost_delivery_of_webhook (webhook=?)",
        ),
        (
            include_str!("sql/owners/end_moved.sql"),
            "gatepost_delivery_waiting (webhook=?)",
        ),
        (
            include_str!("sql/owners/next_moved.sql"),
            "gatepost_owner_unfinished",
        ),
        (
            include_str!("sql/owners/next_to_order.sql"),
            "gatepost_delivery_of_webhook (webhook=? AND rowid>?)",
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
            include_str!("sql/keys/count.sql"),
            "gatepost_key_of_owner (owner=? AND rowid>?)",
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
            include_str!("sql/log/failed.sql"),
            "gatepost_delivery_of_webhook (webhook=?)",
        ),
        (
            include_str!("sql/log/forget_dropped.sql"),
            "gatepost_dropped_at (minute<?)",
        ),
        (
            include_str!("sql/log/forget_seen.sql"),
            "gatepost_seen_stored (stored<?)",
        ),
    ];
    for (sql, index) in hot {
        let plan = plan(sql);
        assert!(plan.contains(index), "{sql}\n{plan}");
        assert!(
            !plan.contains("SCAN") && !plan.contains("ORDER BY"),
            "{sql}\n{plan}"
        );
    }
}

/// One lookup each, and few rows sorted: of each state, or of each way to be due.
#[test]
fn statements_over_several_ranges_search_each() {
    let several = [
        (
            include_str!("sql/log/old_by_age.sql"),
            "gatepost_delivery_of_state (state=? AND created<?)",
            2,
        ),
        (
            include_str!("sql/outbox/due.sql"),
            "gatepost_occurrence_",
            2,
        ),
        (
            include_str!("sql/outbox/due_of.sql"),
            "gatepost_occurrence_turns (<expr>=? AND due",
            2,
        ),
    ];
    for (sql, index, times) in several {
        let plan = plan(sql);
        assert_eq!(plan.matches(index).count(), times, "{sql}\n{plan}");
        assert!(!plan.contains("SCAN gatepost_delivery"), "{sql}\n{plan}");
    }
}

/// What a list may ask for, and the index that finds its rows among those of others.
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
    use gatepost_ids::{OwnerId, TenantId};
    use gatepost_storage::Scope::{All, Owner, Tenant};
    use webhook_model::{TaskId, WebhookId};

    let (owner, tenant) = (Owner(OwnerId(1)), Tenant(TenantId(1)));
    let time = || chrono::DateTime::from_timestamp_micros(1);
    let mut lists = Vec::new();
    let deliveries: [(_, DeliveryQuery, _); 9] = [
        (
            "owner",
            in_scope(owner),
            "gatepost_delivery_of_webhook (webhook=?",
        ),
        (
            "tenant",
            in_scope(tenant),
            "gatepost_delivery_of_tenant (tenant=?",
        ),
        (
            "webhook",
            DeliveryQuery {
                webhook: Some(WebhookId(1)),
                ..in_scope(owner)
            },
            "gatepost_delivery_of_webhook (webhook=?",
        ),
        (
            "task",
            DeliveryQuery {
                task: Some(TaskId(1)),
                ..in_scope(tenant)
            },
            "gatepost_delivery_of_task (task=?",
        ),
        (
            "state",
            DeliveryQuery {
                states: vec![DeliveryState::Error, DeliveryState::Queued],
                ..in_scope(All)
            },
            "gatepost_delivery_of_state (state=?",
        ),
        (
            "state of an owner",
            DeliveryQuery {
                states: vec![DeliveryState::Error],
                ..in_scope(owner)
            },
            "gatepost_delivery_of_webhook (webhook=?",
        ),
        (
            "time",
            DeliveryQuery {
                created_from: time(),
                created_before: time(),
                ..in_scope(All)
            },
            "gatepost_delivery_of_state (state=? AND created>? AND created<?)",
        ),
        (
            "time of a tenant",
            DeliveryQuery {
                created_from: time(),
                ..in_scope(tenant)
            },
            "gatepost_delivery_of_tenant (tenant=?",
        ),
        ("all", in_scope(All), "INTEGER PRIMARY KEY (rowid>?)"),
    ];
    let page = Page::first(50).beyond(7);
    for (name, query, index) in deliveries {
        for gone in [false, true] {
            let list = deliveries_list(&query, gone);
            lists.push((name, list.plan(row::COLUMNS, &page), index));
        }
    }
    lists.extend(crate::keys::plans(&page));
    lists.extend(crate::records::plans(&page));
    lists
}

fn in_scope(scope: Scope) -> DeliveryQuery {
    DeliveryQuery {
        scope,
        ..DeliveryQuery::all(Page::first(1))
    }
}
