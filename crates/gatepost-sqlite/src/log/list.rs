//! Lists of deliveries.

use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState};
use gatepost_storage::{Order, Scope};
use rusqlite::Connection;

use crate::column::micros;
use crate::error::Result;
use crate::list::List;
use crate::queue::row;

/// Whose a delivery is, unless its webhook is gone.
const OWNED: &str = "(SELECT w.owner FROM gatepost_live_webhook w WHERE w.id = r.webhook) =";

/// The list, by the index that finds the fewest rows. Deliveries of an owner are found by the
/// owner's webhooks: a lookup for each of them.
pub(crate) fn deliveries(query: &DeliveryQuery, some_are_gone: bool) -> List {
    let list = match (query.webhook, query.task, query.scope) {
        (Some(webhook), ..) => by("gatepost_delivery_of_webhook").filter("r.webhook =", webhook.0),
        (_, Some(task), _) => by("gatepost_delivery_of_task").filter("r.task =", task.0),
        (.., Scope::Owner(owner)) => of_webhooks().filter("v.owner =", owner.0),
        (.., Scope::Tenant(tenant)) => {
            by("gatepost_delivery_of_tenant").filter("r.tenant =", tenant.0)
        }
        (.., Scope::All) => of_all(query),
    };
    let found_by_owner =
        matches!(query.scope, Scope::Owner(_)) && query.webhook.is_none() && query.task.is_none();
    let list = match query.scope {
        // The webhooks are looked at themselves.
        Scope::Owner(_) if found_by_owner => list,
        Scope::Owner(owner) => list.filter(OWNED, owner.0),
        Scope::Tenant(_) | Scope::All if some_are_gone => {
            list.and("r.webhook NOT IN (SELECT id FROM gatepost_gone_webhook)")
        }
        Scope::Tenant(_) | Scope::All => list,
    };
    let list = match query.scope {
        Scope::Tenant(tenant) if query.webhook.is_some() || query.task.is_some() => {
            list.filter("r.tenant =", tenant.0)
        }
        _ => list,
    };
    let states: Vec<i64> = query.states.iter().map(|s| row::number_of(*s)).collect();
    list.maybe("r.webhook =", query.webhook.map(|w| w.0))
        .maybe("r.task =", query.task.map(|t| t.0))
        .one_of("r.state", &states)
        .maybe("r.created >=", query.created_from.map(micros))
        .maybe("r.created <", query.created_before.map(micros))
}

fn by(index: &str) -> List {
    List::of(format!("gatepost_delivery r INDEXED BY {index}"))
}

fn of_webhooks() -> List {
    List::of(
        "gatepost_webhook v INDEXED BY gatepost_webhook_of_owner \
         CROSS JOIN gatepost_delivery r INDEXED BY gatepost_delivery_of_webhook ON r.webhook = v.id",
    )
    .and("v.gone = 0 AND v.id > (SELECT g.gone_webhooks FROM gatepost_owner g WHERE g.owner = v.owner)")
}

/// By state and time. Most deliveries are `sent` ones, and those in an open span of time are at one
/// end: they are found by walking from there.
fn of_all(query: &DeliveryQuery) -> List {
    let (from, before) = (query.created_from, query.created_before);
    let at_hand = match query.page.order {
        Order::Ascending => from.is_none(),
        Order::Descending => before.is_none(),
    };
    let rare = !query.states.is_empty() && !query.states.contains(&DeliveryState::Sent);
    if rare || (!at_hand && !query.states.is_empty()) {
        return by("gatepost_delivery_of_state");
    }
    if !at_hand {
        return by("gatepost_delivery_of_state").and("r.state IN (0, 1, 2, 3)");
    }
    List::of("gatepost_delivery r NOT INDEXED")
}

/// Whether anything is still to be removed: else no row has to be asked.
pub(super) fn some_are_gone(c: &Connection) -> Result<bool> {
    Ok(
        c.prepare_cached("SELECT EXISTS (SELECT 1 FROM gatepost_gone_webhook)")?
            .query_row([], |row| row.get(0))?,
    )
}
