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
    let mut all = Vec::new();
    let webhooks = [
        (OWNER, None, "gatepost_webhook_of_owner (owner=?"),
        (
            OWNER,
            Some("n"),
            "gatepost_webhook_name (name=? AND owner=?",
        ),
        (TENANT, None, "gatepost_webhook_of_owner (owner=?"),
        (Scope::All, Some("n"), "gatepost_webhook_name (name=?"),
    ];
    for (scope, name, index) in webhooks {
        let query = WebhookQuery {
            scope,
            name: name.map(str::to_owned),
            page: Page::first(1),
        };
        let list = lists::webhooks(&query);
        all.push(("webhooks", list.plan(&Webhook::table().select, page), index));
    }
    let tasks = [
        (OWNER, None, None, None, "gatepost_task_of_owner (owner=?"),
        (TENANT, None, None, None, "gatepost_task_of_owner (owner=?"),
        (
            TENANT,
            Some(1),
            None,
            None,
            "gatepost_task_of_webhook (webhook=?",
        ),
        (
            Scope::All,
            None,
            Some(1),
            None,
            "gatepost_task_of_creator (creator=?",
        ),
        (
            Scope::All,
            None,
            None,
            Some("n"),
            "gatepost_task_of_name (name=?",
        ),
    ];
    for (scope, webhook, creator, name, index) in tasks {
        let query = TaskQuery {
            scope,
            creator: creator.map(OwnerId),
            webhook: webhook.map(WebhookId),
            name: name.map(str::to_owned),
            page: Page::first(1),
        };
        all.push((
            "tasks",
            lists::tasks(&query).plan(&Task::table().select, page),
            index,
        ));
    }
    let events = [
        (OWNER, None, None, "gatepost_event_of_owner (owner=?"),
        (TENANT, None, None, "gatepost_event_of_owner (owner=?"),
        (OWNER, Some(1), None, "gatepost_event_of_task (task=?"),
        (
            Scope::All,
            None,
            Some("vms"),
            "gatepost_event_of_type (event_type=?",
        ),
    ];
    for (scope, task, event_type, index) in events {
        let query = EventQuery {
            scope,
            task: task.map(TaskId),
            event_type: event_type.map(|word| word.parse().unwrap()),
            page: Page::first(1),
        };
        all.push((
            "events",
            lists::events(&query).plan(&Event::table().select, page),
            index,
        ));
    }
    all
}
