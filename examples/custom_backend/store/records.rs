//! Webhooks, tasks and events.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, EventRoute, RecordId, RecordStore, RecordUsage, RouteChanges, Routes,
    RoutesVersion, TaskMessage, TaskQuery, TaskRoute, TaskRow, UnreadableRecord, WebhookQuery,
    WebhookRoute,
};
use gatepost_storage::{AtMost, ErrorKind, Page, Revision, Row, Scope, StoreError};
use redb::ReadTransaction;
use serde_json::Value;
use webhook_model::{
    Action, Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId,
};

use super::codec::{self, Fields};
use super::delivery::to_micros;
use super::error::{Answer, failed};
use super::owner_rows::in_scope;
use super::redb_store::RedbStore;
use super::sizes::{bytes_of, check_growth, check_room, decoded, reason, usage};
use super::tables::{EVENTS, GONE, OWNERS, Rows, TASKS, Tx, WEBHOOKS, page, readable, row};
use super::{places, routes};

const NAME_TAKEN: &str = "the owner has a webhook of that name";

#[async_trait]
impl RecordStore for RedbStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let webhook = webhook.clone();
        self.write(move |tx| {
            let owner = webhook.owner;
            let row = new_row(WebhookId(tx.count("webhook")?), owner, webhook, now);
            tx.take_name(&name(&row.value), row.id.0, NAME_TAKEN)?;
            check_room(tx, owner, |u| u.webhooks, row.value.stored_bytes(), at_most)?;
            tx.has_something(owner)?;
            tx.put(WEBHOOKS, row.id.0, &codec::from_webhook(&row, &tx.sealing)?)?;
            changed(tx, [owner; 2], &[RecordId::Webhook(row.id)])?;
            Ok(row)
        })
        .await
    }

    async fn webhook(&self, id: WebhookId) -> Answer<Option<Row<WebhookId, Webhook>>> {
        self.read(move |tx, keys| {
            one(tx, WEBHOOKS, id.0)?
                .map(|row| codec::webhook(id.0, &row, keys))
                .transpose()
        })
        .await
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        self.read(move |tx, keys| {
            let mut found = Vec::new();
            for id in ids {
                if let Some(row) = one(tx, WEBHOOKS, id.0)? {
                    found.extend(readable(codec::webhook(id.0, &row, keys))?);
                }
            }
            Ok(found)
        })
        .await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let WebhookQuery {
            scope,
            name,
            page: p,
        } = query.clone();
        self.read(move |tx, keys| {
            let owners = tx.open_table(OWNERS).map_err(failed)?;
            let wanted = |row: &Value| {
                Ok(in_scope(&owners, scope, row)?
                    && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
            };
            let rows = tx.open_table(WEBHOOKS).map_err(failed)?;
            page(&rows, &numbers(p, |id| id.0), wanted, |id, row| {
                readable(codec::webhook(id, &row, keys))
            })
        })
        .await
    }

    async fn update_webhook(
        &self,
        edit: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let edit = edit.clone();
        self.write(move |tx| {
            let old = tx.row(WEBHOOKS, edit.id.0)?;
            let old = Stored::of(old, edit.revision, "webhook")?;
            let mut new = edited(&old, edit, now);
            new.value.owner = old.owner;
            tx.take_name(&name(&new.value), new.id.0, NAME_TAKEN)?;
            let old_name = name_of(old.owner, Fields(&old.row).text("name")?);
            if old_name != name(&new.value) {
                tx.free_name(&old_name)?;
            }
            let row = codec::from_webhook(&new, &tx.sealing)?;
            let sizes = (bytes_of(tx, WEBHOOKS, &old.row)?, new.value.stored_bytes());
            check_growth(tx, old.owner, sizes, at_most)?;
            tx.put(WEBHOOKS, new.id.0, &row)?;
            // Whoever passed it over as unreadable did so with its tasks.
            let mut named = tasks_of(tx, new.id)?;
            named.insert(0, RecordId::Webhook(new.id));
            changed(tx, [old.owner; 2], &named)?;
            Ok(new)
        })
        .await
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        self.write(move |tx| delete_webhook(tx, id, cascade)).await
    }

    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let task = task.clone();
        self.write(move |tx| {
            let owner = owner_by_webhook(tx, &task)?;
            check_room(tx, owner, |u| u.tasks, task.stored_bytes(), at_most)?;
            let head = new_row(tx.count("task")?, owner, (), now);
            let row = TaskRow {
                id: TaskId(head.id),
                owner,
                revision: head.revision,
                created: head.created,
                modified: head.modified,
                last_run: None,
                task,
            };
            tx.put(TASKS, row.id.0, &codec::from_task(&row)?)?;
            changed(tx, [owner; 2], &[RecordId::Task(row.id)])?;
            Ok(row)
        })
        .await
    }

    async fn task(&self, id: TaskId) -> Answer<Option<TaskRow>> {
        self.read(move |tx, _| {
            one(tx, TASKS, id.0)?
                .map(|row| codec::task(id.0, &row))
                .transpose()
        })
        .await
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Answer<Vec<TaskRow>> {
        let TaskQuery {
            scope,
            creator,
            webhook,
            name,
            page: p,
        } = query.clone();
        self.read(move |tx, _| {
            let owners = tx.open_table(OWNERS).map_err(failed)?;
            let wanted = |row: &Value| {
                Ok(in_scope(&owners, scope, row)?
                    && creator.is_none_or(|c| row["creator"] == c.0)
                    && webhook.is_none_or(|w| row["webhook"] == w.0)
                    && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
            };
            let rows = tx.open_table(TASKS).map_err(failed)?;
            page(&rows, &numbers(p, |id| id.0), wanted, |id, row| {
                readable(codec::task(id, &row))
            })
        })
        .await
    }

    async fn update_task(
        &self,
        edit: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let edit = edit.clone();
        self.write(move |tx| {
            let old = Stored::of(tx.row(TASKS, edit.id.0)?, edit.revision, "task")?;
            let owner = owner_by_webhook(tx, &edit.task)?;
            let f = Fields(&old.row);
            let new = TaskRow {
                id: edit.id,
                owner,
                revision: edit.revision.next(),
                created: f.time("created")?,
                modified: to_micros(now),
                last_run: f.maybe_time("last_run"),
                task: edit.task,
            };
            let row = codec::from_task(&new)?;
            let (mut less, mut more) = (bytes_of(tx, TASKS, &old.row)?, new.task.stored_bytes());
            let mut named = vec![RecordId::Task(new.id)];
            for (id, mut event) in events_of(tx, new.id)? {
                if owner != old.owner {
                    more += bytes_of(tx, EVENTS, &event)?;
                    less = 0;
                    event["owner"] = owner.0.into();
                    tx.put(EVENTS, id, &event)?;
                }
                named.push(RecordId::Event(EventId(id)));
            }
            check_growth(tx, owner, (less, more), at_most)?;
            tx.put(TASKS, new.id.0, &row)?;
            changed(tx, [old.owner, owner], &named)?;
            Ok(new)
        })
        .await
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            let removed = remove_task(tx, id)?;
            removed
                .map(drop)
                .ok_or_else(|| StoreError::not_found("task"))
        })
        .await
    }

    async fn record_task_runs(&self, runs: &[(TaskId, DateTime<Utc>)]) -> Answer<()> {
        let runs = runs.to_vec();
        self.write(move |tx| {
            for (id, at) in runs {
                let Some(row) = tx.row(TASKS, id.0)? else {
                    continue;
                };
                let mut row = codec::task(id.0, &row)?;
                row.last_run = row.last_run.max(Some(to_micros(at)));
                tx.put(TASKS, id.0, &codec::from_task(&row)?)?;
            }
            Ok(())
        })
        .await
    }

    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let event = event.clone();
        self.write(move |tx| {
            let owner = owner_by_task(tx, &event)?;
            check_room(tx, owner, |u| u.events, event.stored_bytes(), at_most)?;
            let row = new_row(EventId(tx.count("event")?), owner, event, now);
            tx.put(EVENTS, row.id.0, &codec::from_event(&row))?;
            changed(tx, [owner; 2], &[RecordId::Event(row.id)])?;
            Ok(row)
        })
        .await
    }

    async fn event(&self, id: EventId) -> Answer<Option<Row<EventId, Event>>> {
        self.read(move |tx, _| {
            one(tx, EVENTS, id.0)?
                .map(|row| codec::event(id.0, &row))
                .transpose()
        })
        .await
    }

    async fn list_events(&self, query: &EventQuery) -> Answer<Vec<Row<EventId, Event>>> {
        let EventQuery {
            scope,
            task,
            event_type,
            page: p,
        } = query.clone();
        self.read(move |tx, _| {
            let owners = tx.open_table(OWNERS).map_err(failed)?;
            let wanted = |row: &Value| {
                Ok(in_scope(&owners, scope, row)?
                    && task.is_none_or(|t| row["task"] == t.0)
                    && event_type
                        .as_ref()
                        .is_none_or(|t| row["type"] == t.as_str()))
            };
            let rows = tx.open_table(EVENTS).map_err(failed)?;
            page(&rows, &numbers(p, |id| id.0), wanted, |id, row| {
                readable(codec::event(id, &row))
            })
        })
        .await
    }

    async fn update_event(
        &self,
        edit: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let edit = edit.clone();
        self.write(move |tx| {
            let old = Stored::of(tx.row(EVENTS, edit.id.0)?, edit.revision, "event")?;
            let owner = owner_by_task(tx, &edit.value)?;
            let mut new = edited(&old, edit, now);
            new.owner = owner;
            let more = new.value.stored_bytes();
            let less = if owner == old.owner {
                bytes_of(tx, EVENTS, &old.row)?
            } else {
                0
            };
            check_growth(tx, owner, (less, more), at_most)?;
            tx.put(EVENTS, new.id.0, &codec::from_event(&new))?;
            changed(tx, [old.owner, owner], &[RecordId::Event(new.id)])?;
            Ok(new)
        })
        .await
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            let old = tx.row(EVENTS, id.0)?;
            let old = old.ok_or_else(|| StoreError::not_found("event"))?;
            tx.remove(EVENTS, id.0)?;
            changed(tx, [owner_in(&old)?; 2], &[RecordId::Event(id)])
        })
        .await
    }

    async fn owner_of(&self, record: RecordId) -> Answer<Option<OwnerId>> {
        self.read(move |tx, _| {
            let row = match record {
                RecordId::Webhook(id) => one(tx, WEBHOOKS, id.0)?,
                RecordId::Task(id) => one(tx, TASKS, id.0)?,
                RecordId::Event(id) => one(tx, EVENTS, id.0)?,
            };
            row.map(|row| owner_in(&row)).transpose()
        })
        .await
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        let limit = limit as usize;
        self.write(move |tx| {
            let owners = tx.open(OWNERS)?;
            let mut found = Vec::new();
            for (table, rows) in [WEBHOOKS, TASKS, EVENTS].map(|t| (t, tx.rows(t))) {
                for (id, row) in rows? {
                    let (record, error) = decoded(tx, table, id, &row);
                    if let Some(error) = error.filter(|e| e.kind() == ErrorKind::Corrupt)
                        && in_scope(&owners, scope, &row)?
                    {
                        let broken = UnreadableRecord {
                            record,
                            owner: owner_in(&row)?,
                            reason: reason(&error),
                        };
                        found.push((row["created"].as_i64(), broken));
                    }
                }
            }
            found.sort_by_key(|(created, broken)| (*created, broken.record));
            Ok(found
                .into_iter()
                .map(|(_, broken)| broken)
                .take(limit)
                .collect())
        })
        .await
    }

    async fn record_usage(&self, owner: OwnerId) -> Answer<RecordUsage> {
        self.write(move |tx| usage(tx, owner)).await
    }

    async fn routes(&self, place: Place, at_most: u32) -> Answer<Option<Routes>> {
        self.read(move |tx, keys| {
            let routes = routes::matched(tx, keys, place, |_| true)?;
            let rows = routes.webhooks.len() + routes.tasks.len() + routes.events.len();
            Ok((rows <= at_most as usize).then_some(routes))
        })
        .await
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Answer<Routes> {
        let (event_type, event) = (event_type.clone(), event.clone());
        self.read(move |tx, keys| {
            let wanted = |e: &EventRoute| e.event_type == event_type && e.event == event;
            let mut routes = routes::matched(tx, keys, place, wanted)?;
            let runs = |task: &TaskRoute| routes.events.iter().any(|e| e.task == task.id);
            routes.tasks.retain(runs);
            let sent =
                |webhook: &WebhookRoute| routes.tasks.iter().any(|t| t.webhook == webhook.id);
            routes.webhooks.retain(sent);
            Ok(routes)
        })
        .await
    }

    async fn routes_versions(&self, of: &[Place]) -> Answer<Vec<RoutesVersion>> {
        let of = of.to_vec();
        self.read(move |tx, _| of.iter().map(|place| places::version(tx, *place)).collect())
            .await
    }

    async fn route_changes(&self, place: Place, since: RoutesVersion) -> Answer<RouteChanges> {
        self.read(move |tx, keys| routes::changes(tx, keys, place, since))
            .await
    }

    async fn messages(&self, tasks: &[TaskId]) -> Answer<Vec<TaskMessage>> {
        let tasks = tasks.to_vec();
        self.read(move |tx, _| {
            let mut messages = Vec::new();
            for id in tasks {
                let Some(row) = one(tx, TASKS, id.0)? else {
                    continue;
                };
                let Some(row) = readable(codec::task(id.0, &row))? else {
                    continue;
                };
                if let Action::Send { message, .. } = row.task.action {
                    messages.push(TaskMessage {
                        id,
                        revision: row.revision,
                        message,
                    });
                }
            }
            Ok(messages)
        })
        .await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}

fn one(tx: &ReadTransaction, table: Rows, id: i64) -> Answer<Option<Value>> {
    row(&tx.open_table(table).map_err(failed)?, id)
}

fn numbers<I>(page: Page<I>, number: impl Fn(I) -> i64) -> Page<i64> {
    Page {
        after: page.after.map(number),
        order: page.order,
        limit: page.limit,
    }
}

fn new_row<I, T>(id: I, owner: OwnerId, value: T, now: DateTime<Utc>) -> Row<I, T> {
    let now = to_micros(now);
    Row {
        id,
        owner,
        revision: Revision::FIRST,
        created: now,
        modified: now,
        value,
    }
}

/// A row that is to be changed, whether or not all of it can be read.
struct Stored {
    row: Value,
    owner: OwnerId,
    created: DateTime<Utc>,
}

impl Stored {
    /// The row, if it still has the revision that the caller has read.
    fn of(row: Option<Value>, revision: Revision, what: &'static str) -> Answer<Self> {
        let row = row.ok_or_else(|| StoreError::not_found(what))?;
        let f = Fields(&row);
        if f.int("revision")? != revision.0 {
            return Err(StoreError::new(ErrorKind::Stale, what));
        }
        Ok(Self {
            owner: owner_in(&row)?,
            created: f.time("created")?,
            row,
        })
    }
}

/// The row after an edit.
fn edited<I, T>(old: &Stored, edit: Row<I, T>, now: DateTime<Utc>) -> Row<I, T> {
    Row {
        owner: old.owner,
        revision: edit.revision.next(),
        created: old.created,
        modified: to_micros(now),
        ..edit
    }
}

/// Marks a webhook as gone and removes its tasks and events. Its deliveries go later.
pub(super) fn delete_webhook(tx: &Tx, id: WebhookId, cascade: Cascade) -> Answer<()> {
    let row = tx.row(WEBHOOKS, id.0)?;
    let row = row.ok_or_else(|| StoreError::not_found("webhook"))?;
    for (task, row) in tx.rows(TASKS)? {
        if row["webhook"] != id.0 {
            continue;
        }
        if cascade == Cascade::Refuse {
            return Err(StoreError::new(
                ErrorKind::InUse,
                "a task sends this webhook",
            ));
        }
        remove_task(tx, TaskId(task))?;
    }
    let owner = owner_in(&row)?;
    tx.free_name(&name_of(owner, Fields(&row).text("name")?))?;
    tx.remove(WEBHOOKS, id.0)?;
    tx.put(GONE, id.0, &Value::Null)?;
    changed(tx, [owner; 2], &[RecordId::Webhook(id)])
}

/// Removes a task with its events. Where that moved the version of a place, and to which; `None`
/// if there is no such task.
pub(super) fn remove_task(tx: &Tx, id: TaskId) -> Answer<Option<(Place, RoutesVersion)>> {
    let Some(row) = tx.row(TASKS, id.0)? else {
        return Ok(None);
    };
    for (event, _) in events_of(tx, id)? {
        tx.remove(EVENTS, event)?;
    }
    tx.remove(TASKS, id.0)?;
    let place = tx.owner(owner_in(&row)?)?.place;
    let version = tx.changed(place, &[RecordId::Task(id)])?;
    Ok(Some((place, version)))
}

/// All records of an owner.
pub(super) fn records_of(tx: &Tx, owner: OwnerId) -> Answer<Vec<RecordId>> {
    let own = |table: Rows| -> Answer<Vec<i64>> {
        let rows = tx.rows(table)?.into_iter();
        let own = rows.filter(|(_, row)| row["owner"] == owner.0);
        Ok(own.map(|(id, _)| id).collect())
    };
    let webhooks = own(WEBHOOKS)?.into_iter();
    let tasks = own(TASKS)?.into_iter();
    let events = own(EVENTS)?.into_iter();
    Ok(webhooks
        .map(|id| RecordId::Webhook(WebhookId(id)))
        .chain(tasks.map(|id| RecordId::Task(TaskId(id))))
        .chain(events.map(|id| RecordId::Event(EventId(id))))
        .collect())
}

fn events_of(tx: &Tx, task: TaskId) -> Answer<Vec<(i64, Value)>> {
    let mut events = tx.rows(EVENTS)?;
    events.retain(|(_, row)| row["task"] == task.0);
    Ok(events)
}

fn tasks_of(tx: &Tx, webhook: WebhookId) -> Answer<Vec<RecordId>> {
    let mut named = Vec::new();
    for (id, row) in tx.rows(TASKS)? {
        if row["webhook"] == webhook.0 {
            named.push(RecordId::Task(TaskId(id)));
            let events = events_of(tx, TaskId(id))?.into_iter();
            named.extend(events.map(|(id, _)| RecordId::Event(EventId(id))));
        }
    }
    Ok(named)
}

/// Moves the versions of the places in which records were and are.
fn changed(tx: &Tx, owners: [OwnerId; 2], records: &[RecordId]) -> Answer<()> {
    let [old, new] = owners;
    let (old, new) = (tx.owner(old)?.place, tx.owner(new)?.place);
    tx.changed(new, records)?;
    if old != new {
        tx.changed(old, records)?;
    }
    Ok(())
}

/// A task's owner is its webhook's.
fn owner_by_webhook(tx: &Tx, task: &Task) -> Answer<OwnerId> {
    let Action::Send { webhook, .. } = &task.action else {
        return Err(StoreError::new(
            ErrorKind::Unsupported,
            "an action that this version does not know",
        ));
    };
    let rule = "the task's webhook does not exist";
    let row = tx.row(WEBHOOKS, webhook.0)?;
    owner_in(&row.ok_or_else(|| StoreError::new(ErrorKind::Invalid, rule))?)
}

/// An event's owner is its task's.
fn owner_by_task(tx: &Tx, event: &Event) -> Answer<OwnerId> {
    let rule = "the event's task does not exist";
    let row = tx.row(TASKS, event.task.0)?;
    owner_in(&row.ok_or_else(|| StoreError::new(ErrorKind::Invalid, rule))?)
}

fn owner_in(row: &Value) -> Answer<OwnerId> {
    Fields(row).int("owner").map(OwnerId)
}

fn name(webhook: &Webhook) -> String {
    name_of(webhook.owner, webhook.name.as_str())
}

fn name_of(owner: OwnerId, name: &str) -> String {
    format!("webhook/{}/{name}", owner.0)
}
