//! Lists of records.

use gatepost_storage::Scope;
use gatepost_storage::webhooks::{EventQuery, TaskQuery, WebhookQuery};

use super::{event, task, webhook};
use crate::list::List;

pub(super) fn webhooks(query: &WebhookQuery) -> List {
    let of_owner = "gatepost_webhook_of_owner";
    let list = match (query.scope, &query.name) {
        // The index of names includes the owners.
        (Scope::All, Some(_)) => List::of("gatepost_webhook r INDEXED BY gatepost_webhook_name"),
        (Scope::All, None) => List::of("gatepost_webhook r"),
        (Scope::Owner(owner), Some(_)) => {
            List::of("gatepost_webhook r INDEXED BY gatepost_webhook_name")
                .filter("r.owner =", owner.to_bytes().to_vec())
        }
        (Scope::Owner(owner), None) => {
            by("gatepost_webhook", of_owner).filter("r.owner =", owner.to_bytes().to_vec())
        }
        (Scope::Tenant(tenant), _) => List::of_tenant(tenant, "gatepost_webhook", of_owner),
    };
    list.maybe("r.name =", query.name.clone())
        .and(webhook::LIVE)
}

pub(super) fn tasks(query: &TaskQuery) -> List {
    let list = match (query.webhook, query.scope, query.creator, &query.name) {
        (Some(_), ..) => by("gatepost_task", "gatepost_task_of_webhook"),
        (_, Scope::Owner(_), ..) => by("gatepost_task", "gatepost_task_of_owner"),
        (_, Scope::Tenant(tenant), ..) => {
            List::of_tenant(tenant, "gatepost_task", "gatepost_task_of_owner")
        }
        (_, Scope::All, Some(_), _) => by("gatepost_task", "gatepost_task_of_creator"),
        (_, Scope::All, None, Some(_)) => by("gatepost_task", "gatepost_task_of_name"),
        (_, Scope::All, None, None) => List::of("gatepost_task r"),
    };
    in_scope(list, query.scope, query.webhook.is_some())
        .maybe("r.webhook =", query.webhook.map(|w| w.0))
        .maybe("r.creator =", query.creator.map(|c| c.to_bytes().to_vec()))
        .maybe("r.name =", query.name.clone())
        .and(task::LIVE)
}

pub(super) fn events(query: &EventQuery) -> List {
    let list = match (query.task, query.scope, &query.event_type) {
        (Some(_), ..) => by("gatepost_event", "gatepost_event_of_task"),
        (_, Scope::Owner(_), _) => by("gatepost_event", "gatepost_event_of_owner"),
        (_, Scope::Tenant(tenant), _) => {
            List::of_tenant(tenant, "gatepost_event", "gatepost_event_of_owner")
        }
        (_, Scope::All, Some(_)) => by("gatepost_event", "gatepost_event_of_type"),
        (_, Scope::All, None) => List::of("gatepost_event r"),
    };
    let event_type = query.event_type.as_ref().map(ToString::to_string);
    in_scope(list, query.scope, query.task.is_some())
        .maybe("r.task =", query.task.map(|t| t.0))
        .maybe("r.event_type =", event_type)
        .and(event::LIVE)
}

fn by(table: &str, index: &str) -> List {
    List::of(format!("{table} r INDEXED BY {index}"))
}

/// Adds the scope as a condition. The list of a tenant has it already, unless the rows are `found`
/// by another index.
fn in_scope(list: List, scope: Scope, found: bool) -> List {
    match scope {
        Scope::Owner(owner) => list.filter("r.owner =", owner.to_bytes().to_vec()),
        Scope::Tenant(tenant) if found => list.filter(
            "(SELECT o.place FROM gatepost_owner o WHERE o.owner = r.owner) =",
            gatepost_ids::Realm::Tenant(tenant).to_string(),
        ),
        Scope::Tenant(_) | Scope::All => list,
    }
}
