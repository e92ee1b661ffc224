//! What is matched in a place, and what has changed there.

use std::collections::BTreeSet;

use gatepost_ids::Place;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    EventRoute, RecordId, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use gatepost_storage::{Page, Row};
use redb::ReadTransaction;
use serde_json::Value;
use webhook_model::{EventName, EventType, TaskId, WebhookId};

use super::codec::{self, Fields};
use super::error::{Answer, failed};
use super::owner_rows::owner;
use super::places;
use super::tables::{EVENTS, OWNERS, Rows, TASKS, WEBHOOKS, page, readable, row};

/// The enabled tasks and events of a place, and the webhooks that are sent: all, or what is matched
/// by one event only. A webhook that cannot be read takes its tasks with it.
pub(super) fn matched(
    tx: &ReadTransaction,
    keys: &SealingKeys,
    place: Place,
    only: Option<(EventType, EventName)>,
) -> Answer<Routes> {
    let mut tasks = all(tx, TASKS, place, task_route)?;
    let mut events = all(tx, EVENTS, place, event_route)?;
    if let Some((event_type, event)) = only {
        events.retain(|e| e.event_type == event_type && e.event == event);
        tasks.retain(|task| events.iter().any(|event| event.task == task.id));
    }
    let sent: BTreeSet<WebhookId> = tasks.iter().map(|task| task.webhook).collect();
    let mut webhooks = all(tx, WEBHOOKS, place, |row| webhook_route(row, keys))?;
    webhooks.retain(|webhook| sent.contains(&webhook.id));
    let known: BTreeSet<WebhookId> = webhooks.iter().map(|webhook| webhook.id).collect();
    tasks.retain(|task| known.contains(&task.webhook));
    Ok(Routes {
        version: places::version(tx, place)?,
        webhooks,
        tasks,
        events,
    })
}

pub(super) fn changes(
    tx: &ReadTransaction,
    keys: &SealingKeys,
    place: Place,
    since: RoutesVersion,
) -> Answer<Option<RouteChanges>> {
    let Some(records) = places::changes(tx, place, since)? else {
        return Ok(None);
    };
    let mut changed = RouteChanges::none(places::version(tx, place)?);
    let mut webhooks = BTreeSet::new();
    for record in records.into_iter().collect::<BTreeSet<_>>() {
        match record {
            RecordId::Webhook(id) => drop(webhooks.insert(id)),
            RecordId::Task(id) => {
                let task = one(tx, TASKS, place, id.0, task_route)?;
                // A webhook that no task sent may not be held yet.
                webhooks.extend(task.map(|task| task.webhook));
                changed.tasks.push((id, task));
            }
            RecordId::Event(id) => {
                let event = one(tx, EVENTS, place, id.0, event_route)?;
                changed.events.push((id, event));
            }
        }
    }
    for id in webhooks {
        let read = |row: &Value| webhook_route(row, keys);
        changed
            .webhooks
            .push((id, one(tx, WEBHOOKS, place, id.0, read)?));
    }
    let unsent: Vec<TaskId> = (changed.tasks.iter())
        .filter(|(_, task)| task.is_some_and(|task| !sends(&changed, task)))
        .map(|(id, _)| *id)
        .collect();
    for (id, task) in &mut changed.tasks {
        if unsent.contains(id) {
            *task = None;
        }
    }
    Ok(Some(changed))
}

fn sends(changed: &RouteChanges, task: TaskRoute) -> bool {
    let webhook = changed.webhooks.iter().find(|(id, _)| *id == task.webhook);
    webhook.is_some_and(|(_, webhook)| webhook.is_some())
}

fn webhook_route(row: &Value, keys: &SealingKeys) -> Answer<Option<WebhookRoute>> {
    Ok(readable(Row::from_json(row, keys))?.map(|row| WebhookRoute::of(&row)))
}

fn task_route(row: &Value) -> Answer<Option<TaskRoute>> {
    Ok(readable(codec::decode(row))?.and_then(|row| TaskRoute::of(&row)))
}

fn event_route(row: &Value) -> Answer<Option<EventRoute>> {
    Ok(readable(codec::decode(row))?.and_then(|row| EventRoute::of(&row)))
}

/// The routes of all rows of a place.
fn all<R>(
    tx: &ReadTransaction,
    table: Rows,
    place: Place,
    route: impl Fn(&Value) -> Answer<Option<R>>,
) -> Answer<Vec<R>> {
    let rows = tx.open_table(table).map_err(failed)?;
    let here = |row: &Value| is_here(tx, place, row);
    page(&rows, &Page::first(u32::MAX), here, |_, row| route(&row))
}

/// The route of a row, if it is matched in this place now.
fn one<R>(
    tx: &ReadTransaction,
    table: Rows,
    place: Place,
    id: i64,
    route: impl Fn(&Value) -> Answer<Option<R>>,
) -> Answer<Option<R>> {
    match row(&tx.open_table(table).map_err(failed)?, id)? {
        Some(row) if is_here(tx, place, &row)? => route(&row),
        _ => Ok(None),
    }
}

fn is_here(tx: &ReadTransaction, place: Place, row: &Value) -> Answer<bool> {
    let owners = tx.open_table(OWNERS).map_err(failed)?;
    let owner = owner(&owners, Fields(row).owner("owner")?)?;
    Ok(owner.place == place && !owner.held)
}
