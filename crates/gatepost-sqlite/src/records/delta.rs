//! The changes in a realm.

use std::collections::BTreeSet;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    EventRoute, RouteChanges, RoutesVersion, TaskRoute, WebhookRoute,
};
use rusqlite::{Connection, Row, ToSql, params};
use webhook_model::{Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::read::one;
use super::table::{self, Stored};
use crate::error::Result;
use crate::list::readable;
use crate::realms::{Change, changes_since, version};
use crate::sql::{Sql as _, value};

/// The maximum number of records to name; beyond it, reading the realm again is cheaper.
const NAMED: usize = 10_000;

/// Records by number, each once.
#[derive(Default)]
struct Named {
    webhooks: BTreeSet<WebhookId>,
    tasks: BTreeSet<TaskId>,
    events: BTreeSet<EventId>,
}

pub(super) fn since(
    c: &Connection,
    keys: &SealingKeys,
    place: Realm,
    since: RoutesVersion,
) -> Result<Option<RouteChanges>> {
    let Some(changes) = changes_since(c, place, since)? else {
        return Ok(None);
    };
    let mut named = Named::default();
    for change in changes {
        named.add(c, change)?;
        if named.len() > NAMED {
            return Ok(None);
        }
    }
    let mut changed = RouteChanges::none(version(c, place)?);
    for id in named.tasks {
        let read = |row: &Row<'_>| Ok(TaskRoute::of(&table::row(row, keys)?));
        let route = matched::<Task, _>(c, place, id, read)?;
        // The caller may not hold a webhook that no task used until this change.
        named.webhooks.extend(route.map(|task| task.webhook));
        changed.tasks.push((id, route));
    }
    for id in named.webhooks {
        let read = |row: &Row<'_>| Ok(Some(WebhookRoute::of(&table::row(row, keys)?)));
        let route = matched::<Webhook, _>(c, place, id, read)?;
        changed.webhooks.push((id, route));
    }
    for id in named.events {
        let read = |row: &Row<'_>| Ok(EventRoute::of(&table::row(row, keys)?));
        let route = matched::<Event, _>(c, place, id, read)?;
        changed.events.push((id, route));
    }
    Ok(Some(changed))
}

/// Returns the route of a row, if it is matched in this realm at present.
fn matched<R: Stored, T>(
    c: &Connection,
    place: Realm,
    id: R::Id,
    read: impl Fn(&Row<'_>) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let (live, number): (_, i64) = (R::LIVE, id.into());
    let sql = format!("SELECT l.held = 0 AND l.place = ?2 FROM {live} l WHERE l.id = ?1");
    let stands = c.first(&sql, params![number, place.to_string()], value)?;
    if stands != Some(true) {
        return Ok(None);
    }
    let route = readable(one::<R, _>(c, id, read))?;
    Ok(route.flatten().flatten())
}

impl Named {
    fn add(&mut self, c: &Connection, change: Change) -> Result<()> {
        match change {
            Change::Webhook(id) => drop(self.webhooks.insert(id)),
            Change::Task(id) => drop(self.tasks.insert(id)),
            Change::Event(id) => drop(self.events.insert(id)),
            Change::Owner(owner) => self.add_owner(c, owner)?,
            Change::TaskWithEvents(id) => {
                self.tasks.insert(id);
                let sql = "SELECT id FROM gatepost_event INDEXED BY gatepost_event_of_task WHERE task = ?1 LIMIT ?2";
                self.events
                    .extend(ids(c, sql, id.0)?.into_iter().map(EventId));
            }
        }
        Ok(())
    }

    fn add_owner(&mut self, c: &Connection, owner: OwnerId) -> Result<()> {
        let of = |table: &str| {
            let sql = format!(
                "SELECT id FROM {table} INDEXED BY {table}_of_owner WHERE owner = ?1 LIMIT ?2"
            );
            ids(c, &sql, owner.to_bytes())
        };
        self.webhooks
            .extend(of("gatepost_webhook")?.into_iter().map(WebhookId));
        self.tasks
            .extend(of("gatepost_task")?.into_iter().map(TaskId));
        self.events
            .extend(of("gatepost_event")?.into_iter().map(EventId));
        Ok(())
    }

    fn len(&self) -> usize {
        self.webhooks.len() + self.tasks.len() + self.events.len()
    }
}

/// Returns at most one more than `NAMED`.
fn ids(c: &Connection, sql: &str, of: impl ToSql) -> Result<Vec<i64>> {
    let limit = i64::try_from(NAMED + 1).unwrap_or(i64::MAX);
    c.all(sql, params![of, limit], value)
}
