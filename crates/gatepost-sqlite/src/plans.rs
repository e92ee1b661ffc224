//! The statements that run for every delivery find their rows by an index, however many others
//! there are.

use rusqlite::Connection;

use crate::migrate::migrate;

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
            include_str!("sql/log/old_by_age.sql"),
            "gatepost_delivery_ended (created<?)",
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
