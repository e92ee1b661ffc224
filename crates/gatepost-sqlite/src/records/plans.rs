//! The statements of lists of records, with the index that each must use.

use gatepost_ids::{OwnerId, TenantId};
use gatepost_storage::webhooks::{EventQuery, TaskQuery, WebhookQuery};
use gatepost_storage::{Page, Scope};
use webhook_model::{Event, Task, TaskId, Webhook, WebhookId};

use super::lists;
use super::table::Stored as _;

const OWNER: Scope = Scope::Owner(OwnerId(1));
const TENANT: Scope = Scope::Tenant(TenantId(1));

pub(crate) fn plans(page: &Page<i64>) -> Vec<(&'static str, String, &'static str)> {
    let webhooks = |scope, name: Option<&str>, index| {
        let query = WebhookQuery {
            scope,
            name: name.map(str::to_owned),
            page: Page::first(1),
        };
        let list = lists::webhooks(&query);
        ("webhooks", list.plan(&Webhook::table().select, page), index)
    };
    let tasks = |scope, webhook: Option<i64>, creator: Option<u128>, name: Option<&str>, index| {
        let query = TaskQuery {
            scope,
            creator: creator.map(OwnerId),
            webhook: webhook.map(WebhookId),
            name: name.map(str::to_owned),
            page: Page::first(1),
        };
        let list = lists::tasks(&query);
        ("tasks", list.plan(&Task::table().select, page), index)
    };
    let events = |scope, task: Option<i64>, event_type: Option<&str>, index| {
        let query = EventQuery {
            scope,
            task: task.map(TaskId),
            event_type: event_type.map(|word| word.parse().unwrap()),
            page: Page::first(1),
        };
        let list = lists::events(&query);
        ("events", list.plan(&Event::table().select, page), index)
    };
    let of_webhook = "gatepost_task_of_webhook (webhook=?";
    let of_creator = "gatepost_task_of_creator (creator=?";
    vec![
        webhooks(OWNER, None, "gatepost_webhook_of_owner (owner=?"),
        webhooks(
            OWNER,
            Some("n"),
            "gatepost_webhook_name (name=? AND owner=?",
        ),
        webhooks(TENANT, None, "gatepost_webhook_of_owner (owner=?"),
        webhooks(Scope::All, Some("n"), "gatepost_webhook_name (name=?"),
        tasks(OWNER, None, None, None, "gatepost_task_of_owner (owner=?"),
        tasks(TENANT, None, None, None, "gatepost_task_of_owner (owner=?"),
        tasks(TENANT, Some(1), None, None, of_webhook),
        tasks(Scope::All, None, Some(1), None, of_creator),
        tasks(
            Scope::All,
            None,
            None,
            Some("n"),
            "gatepost_task_of_name (name=?",
        ),
        events(OWNER, None, None, "gatepost_event_of_owner (owner=?"),
        events(TENANT, None, None, "gatepost_event_of_owner (owner=?"),
        events(OWNER, Some(1), None, "gatepost_event_of_task (task=?"),
        events(
            Scope::All,
            None,
            Some("vms"),
            "gatepost_event_of_type (event_type=?",
        ),
    ]
}
