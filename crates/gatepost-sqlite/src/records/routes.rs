//! What is matched in a place.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gatepost_ids::Place;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{EventRoute, Routes, TaskRoute, WebhookRoute};
use rusqlite::{Connection, Params, Row, params};
use webhook_model::{Event, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::read::several;
use super::table::{Stored as _, row};
use super::{event, task};
use crate::error::Result;
use crate::list::readable;
use crate::places::version;

/// A statement of `sql/records` with the columns of its rows.
macro_rules! in_place {
    ($record:ident, $alias:literal, $name:literal) => {{
        static SQL: LazyLock<String> = LazyLock::new(|| {
            let sql = include_str!(concat!("../sql/records/", $name, ".sql"));
            $record::table().in_statement(sql, $alias)
        });
        SQL.as_str()
    }};
}

pub(super) fn all(
    c: &Connection,
    keys: &SealingKeys,
    place: Place,
    at_most: u32,
) -> Result<Option<Routes>> {
    let (at_most, word) = (at_most as usize, place.to_string());
    let sql = in_place!(Task, "t", "routes_tasks");
    let Some(tasks) = some(c, sql, [&word], at_most, task_route)? else {
        return Ok(None);
    };
    let room = at_most.saturating_sub(tasks.len());
    let sql = in_place!(Event, "e", "routes_events");
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
        in_place!(Event, "e", "events_common")
    } else {
        in_place!(Event, "e", "events_of_place")
    };
    let wanted = params![place.to_string(), event_type.as_str(), event.as_str()];
    let events = some(c, sql, wanted, usize::MAX, event_route)?.unwrap_or_default();
    let tasks: BTreeSet<TaskId> = events.iter().map(|event| event.task).collect();
    let tasks = several::<Task, _>(c, &Task::table().select, tasks, task_route)?;
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
    let select = &Webhook::table().select;
    let rows = several::<Webhook, _>(c, select, sent, |r| row(r, keys))?;
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
