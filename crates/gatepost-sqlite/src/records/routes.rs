//! The routes of a realm.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gatepost_ids::Realm;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{EventRoute, Routes, TaskRoute, WebhookRoute};
use rusqlite::{Connection, Params, Row, params};
use webhook_model::{Event, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::read::several;
use super::table::{self, Stored as _};
use crate::error::Result;
use crate::list::readable;
use crate::realms::version;

/// A statement of `sql/records` with the columns of its rows.
macro_rules! in_place {
    ($record:ident, $alias:literal, $name:literal) => {{
        static SQL: LazyLock<String> = LazyLock::new(|| {
            let sql = sql!(concat!("records/", $name));
            $record::table().in_statement(sql, $alias)
        });
        SQL.as_str()
    }};
}

/// Returns at most this number of rows, either all or those of one type and event.
pub(super) fn read(
    c: &Connection,
    keys: &SealingKeys,
    place: Realm,
    only: Option<&(EventType, EventName)>,
    at_most: u32,
) -> Result<Option<Routes>> {
    let rows = at_most as usize;
    let routes = match only {
        None => all(c, keys, place, rows)?,
        Some((event_type, event)) => of(c, keys, place, event_type, event, rows)?,
    };
    Ok(routes.and_then(|routes| routes.at_most(at_most)))
}

fn all(c: &Connection, keys: &SealingKeys, place: Realm, at_most: usize) -> Result<Option<Routes>> {
    let word = place.to_string();
    let sql = in_place!(Task, "t", "routes_tasks");
    let task_route = |row: &Row<'_>| Ok(TaskRoute::of(&table::row(row, keys)?));
    let Some(tasks) = some(c, sql, [&word], at_most, task_route)? else {
        return Ok(None);
    };
    let room = at_most.saturating_sub(tasks.len());
    let sql = in_place!(Event, "e", "routes_events");
    let event_route = |row: &Row<'_>| Ok(EventRoute::of(&table::row(row, keys)?));
    let Some(events) = some(c, sql, [&word], room, event_route)? else {
        return Ok(None);
    };
    with_webhooks(c, keys, place, tasks, events).map(Some)
}

fn of(
    c: &Connection,
    keys: &SealingKeys,
    place: Realm,
    event_type: &EventType,
    event: &EventName,
    at_most: usize,
) -> Result<Option<Routes>> {
    // In the realm of almost all owners, the statement begins with the owners of such an event; in
    // any other, with the owners in it.
    let sql = if place == Realm::Shared {
        in_place!(Event, "e", "events_common")
    } else {
        in_place!(Event, "e", "events_of_place")
    };
    let wanted = params![place.to_string(), event_type.as_str(), event.as_str()];
    let event_route = |row: &Row<'_>| Ok(EventRoute::of(&table::row(row, keys)?));
    let Some(events) = some(c, sql, wanted, at_most, event_route)? else {
        return Ok(None);
    };
    let tasks: BTreeSet<TaskId> = events.iter().map(|event| event.task).collect();
    let task_route = |row: &Row<'_>| Ok(TaskRoute::of(&table::row(row, keys)?));
    let tasks = several::<Task, _>(c, tasks, task_route)?;
    let tasks = tasks.into_iter().flatten().collect();
    with_webhooks(c, keys, place, tasks, events).map(Some)
}

/// Returns the rows that are matched and can be read, if they are not more than the limit.
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

/// Adds the webhooks that these tasks send to. The tasks of an unreadable webhook are left out.
fn with_webhooks(
    c: &Connection,
    keys: &SealingKeys,
    place: Realm,
    mut tasks: Vec<TaskRoute>,
    mut events: Vec<EventRoute>,
) -> Result<Routes> {
    let sent: BTreeSet<WebhookId> = tasks.iter().map(|task| task.webhook).collect();
    let rows = several::<Webhook, _>(c, sent, |r| table::row(r, keys))?;
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
