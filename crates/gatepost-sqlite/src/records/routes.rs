//! What is matched in a place.

use std::collections::BTreeSet;

use gatepost_ids::Place;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{EventRoute, Routes, TaskRoute, WebhookRoute};
use rusqlite::{Connection, Params, Row, params};
use webhook_model::{EventName, EventType, TaskId, WebhookId};

use super::read::{LIVE_TASKS, LIVE_WEBHOOKS, several};
use super::{event, task, webhook};
use crate::error::Result;
use crate::list::readable;
use crate::places::version;

pub(super) fn all(
    c: &Connection,
    keys: &SealingKeys,
    place: Place,
    at_most: u32,
) -> Result<Option<Routes>> {
    let (at_most, word) = (at_most as usize, place.to_string());
    let sql = include_str!("../sql/records/routes_tasks.sql");
    let Some(tasks) = some(c, sql, [&word], at_most, task_route)? else {
        return Ok(None);
    };
    let room = at_most.saturating_sub(tasks.len());
    let sql = include_str!("../sql/records/routes_events.sql");
    let Some(events) = some(c, sql, [&word], room, event_route)? else {
        return Ok(None);
    };
    let routes = with_webhooks(c, keys, place, tasks, events)?;
    let rows = routes.webhooks.len() + routes.tasks.len() + routes.events.len();
    Ok((rows <= at_most).then_some(routes))
}

pub(super) fn of(
    c: &Connection,
    keys: &SealingKeys,
    place: Place,
    event_type: &EventType,
    event: &EventName,
) -> Result<Routes> {
    // Where nearly everybody stands, whoever has such an event; elsewhere whoever stands there.
    let sql = if place == Place::Common {
        include_str!("../sql/records/events_common.sql")
    } else {
        include_str!("../sql/records/events_of_place.sql")
    };
    let wanted = params![place.to_string(), event_type.as_str(), event.as_str()];
    let events = some(c, sql, wanted, usize::MAX, event_route)?.unwrap_or_default();
    let tasks: BTreeSet<TaskId> = events.iter().map(|event| event.task).collect();
    let tasks: Vec<TaskId> = tasks.into_iter().collect();
    let tasks = several(c, task::COLUMNS, LIVE_TASKS, &tasks, task_route)?;
    let tasks = tasks.into_iter().flatten().collect();
    with_webhooks(c, keys, place, tasks, events)
}

fn task_route(row: &Row<'_>) -> Result<Option<TaskRoute>> {
    Ok(TaskRoute::of(&task::row(row)?))
}

fn event_route(row: &Row<'_>) -> Result<Option<EventRoute>> {
    Ok(EventRoute::of(&event::row(row)?))
}

/// The rows that are matched and can be read, if they are not more than that.
fn some<R>(
    c: &Connection,
    sql: &str,
    params: impl Params,
    at_most: usize,
    read: impl Fn(&Row<'_>) -> Result<Option<R>>,
) -> Result<Option<Vec<R>>> {
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if let Some(route) = readable(read(row))?.flatten() {
            if found.len() == at_most {
                return Ok(None);
            }
            found.push(route);
        }
    }
    Ok(Some(found))
}

/// The webhooks that these tasks send. One that cannot be read takes its tasks with it.
fn with_webhooks(
    c: &Connection,
    keys: &SealingKeys,
    place: Place,
    mut tasks: Vec<TaskRoute>,
    mut events: Vec<EventRoute>,
) -> Result<Routes> {
    let sent: BTreeSet<WebhookId> = tasks.iter().map(|task| task.webhook).collect();
    let sent: Vec<WebhookId> = sent.into_iter().collect();
    let rows = several(c, webhook::COLUMNS, LIVE_WEBHOOKS, &sent, |row| {
        webhook::row(row, keys)
    })?;
    let webhooks: Vec<WebhookRoute> = rows.iter().map(WebhookRoute::of).collect();
    let known: BTreeSet<WebhookId> = webhooks.iter().map(|webhook| webhook.id).collect();
    tasks.retain(|task| known.contains(&task.webhook));
    tasks.sort_unstable_by_key(|task| task.id);
    events.sort_unstable_by_key(|event| event.id);
    Ok(Routes {
        version: version(c, place)?,
        webhooks,
        tasks,
        events,
    })
}
