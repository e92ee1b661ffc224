//! A creation that may or may not have been stored.

use gatepost_testkit::fault::Fault;
use serde_json::json;
use tests::interfaces::{DoorSite, Rest};

use super::rest::ask;

/// WIRE 1: clients repeat a call that is answered with 500 or 503, so a creation that may be stored
/// gets neither.
#[tokio::test]
async fn uncertain_creation_is_not_answered_as_repeatable() {
    let site = DoorSite::start(&Rest).await;
    let (webhook, task) = (site.rows.webhook.0, site.rows.task.0);
    let on = json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/3"});
    for (table, insertion, row) in [
        ("user_api_keys", "insert_key", json!({"user": 1})),
        (
            "webhook_urls",
            "insert_webhook",
            json!({"url": "http://127.0.0.1:9/"}),
        ),
        ("tasks", "insert_task", json!({"owner": webhook})),
        ("task_events", "insert_event", on),
    ] {
        let count = async || {
            let list = format!("{table}?fields=$key&limit=1000");
            let all = ask(&site, &site.admin, "GET", &list, None).await.json();
            all.as_array().unwrap().len()
        };
        let faults = [
            (Fault::Refused, 503, 0),
            (Fault::AnswerLost, 409, 1),
            (Fault::Panic, 409, 0),
        ];
        for (number, (fault, status, stored)) in faults.into_iter().enumerate() {
            let (before, mut row) = (count().await, row.clone());
            if table != "task_events" {
                row["name"] = json!(format!("new {number}"));
            }
            site.store.fail(insertion, 1, fault);
            let answer = ask(&site, &site.admin, "POST", table, Some(&row)).await;
            assert_eq!(answer.status, status, "{table} {fault:?}: {}", answer.body);
            assert_eq!(count().await - before, stored, "{table} {fault:?}");
        }
    }
}
