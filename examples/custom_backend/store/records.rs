//! Webhooks, tasks and events.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, RecordStore, Routes, RoutesVersion, TaskQuery, TaskRow, WebhookQuery,
};
use gatepost_storage::{ErrorKind, Page, Revision, Row, StoreError};
use redb::ReadTransaction;
use serde_json::Value;
use webhook_model::{Action, Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::codec;
use super::delivery::{decode, to_micros};
use super::error::{Answer, failed};
use super::redb_store::RedbStore;
use super::tables::{COUNTERS, DELIVERIES, EVENTS, Rows, TASKS, Tx, WEBHOOKS, counter, page, row};

#[async_trait]
impl RecordStore for RedbStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let webhook = webhook.clone();
        self.write(move |tx| {
            let row = new_row(WebhookId(tx.count("webhook")?), webhook, now);
            tx.take_name(&name(&row.value), row.id.0, "a webhook of that name")?;
            tx.put(WEBHOOKS, row.id.0, &codec::from_webhook(&row, &tx.sealing)?)?;
            tx.count("routes")?;
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

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let WebhookQuery {
            owner,
            name,
            page: p,
        } = query.clone();
        self.read(move |tx, keys| {
            let wanted = |row: &Value| {
                Ok(owner.is_none_or(|o| row["owner"] == o.0)
                    && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
            };
            let rows = tx.open_table(WEBHOOKS).map_err(failed)?;
            page(&rows, &numbers(p, |id| id.0), wanted, |id, row| {
                codec::webhook(id, &row, keys)
            })
        })
        .await
    }

    async fn update_webhook(
        &self,
        edit: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let edit = edit.clone();
        self.write(move |tx| {
            let old = tx
                .row(WEBHOOKS, edit.id.0)?
                .ok_or_else(|| StoreError::not_found("webhook"))?;
            let old = codec::webhook(edit.id.0, &old, &tx.sealing)?;
            let new = changed(&old, edit, now, "webhook")?;
            tx.take_name(&name(&new.value), new.id.0, "a webhook of that name")?;
            if new.value.name != old.value.name {
                tx.free_name(&name(&old.value))?;
            }
            tx.put(WEBHOOKS, new.id.0, &codec::from_webhook(&new, &tx.sealing)?)?;
            tx.count("routes")?;
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
        self.write(move |tx| {
            let old = tx
                .row(WEBHOOKS, id.0)?
                .ok_or_else(|| StoreError::not_found("webhook"))?;
            let old = codec::webhook(id.0, &old, &tx.sealing)?;
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
            for (delivery, row) in tx.rows(DELIVERIES)? {
                let slot = decode(delivery, &row)?;
                if slot.delivery.webhook == id {
                    tx.remove_delivery(&slot)?;
                }
            }
            tx.free_name(&name(&old.value))?;
            tx.remove(WEBHOOKS, id.0)?;
            tx.count("routes")?;
            Ok(())
        })
        .await
    }

    async fn insert_task(&self, task: &Task, now: DateTime<Utc>) -> Answer<TaskRow> {
        let task = task.clone();
        self.write(move |tx| {
            webhook_exists(tx, &task)?;
            let head = new_row(tx.count("task")?, (), now);
            let row = TaskRow {
                id: TaskId(head.id),
                revision: head.revision,
                created: head.created,
                modified: head.modified,
                last_run: None,
                task,
            };
            tx.put(TASKS, row.id.0, &codec::from_task(&row)?)?;
            tx.count("routes")?;
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
            creator,
            webhook,
            name,
            page: p,
        } = query.clone();
        self.read(move |tx, _| {
            let wanted = |row: &Value| {
                Ok(creator.is_none_or(|c| row["creator"] == c.0)
                    && webhook.is_none_or(|w| row["webhook"] == w.0)
                    && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
            };
            let rows = tx.open_table(TASKS).map_err(failed)?;
            page(&rows, &numbers(p, |id| id.0), wanted, |id, row| {
                codec::task(id, &row)
            })
        })
        .await
    }

    async fn update_task(&self, edit: &TaskRow, now: DateTime<Utc>) -> Answer<TaskRow> {
        let edit = edit.clone();
        self.write(move |tx| {
            let old = tx
                .row(TASKS, edit.id.0)?
                .ok_or_else(|| StoreError::not_found("task"))?;
            let old = codec::task(edit.id.0, &old)?;
            if old.revision != edit.revision {
                return Err(StoreError::new(ErrorKind::Stale, "task"));
            }
            webhook_exists(tx, &edit.task)?;
            let new = TaskRow {
                revision: old.revision.next(),
                modified: to_micros(now),
                task: edit.task,
                ..old
            };
            tx.put(TASKS, new.id.0, &codec::from_task(&new)?)?;
            tx.count("routes")?;
            Ok(new)
        })
        .await
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            tx.row(TASKS, id.0)?
                .ok_or_else(|| StoreError::not_found("task"))?;
            remove_task(tx, id)
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

    async fn insert_event(&self, event: &Event, now: DateTime<Utc>) -> Answer<Row<EventId, Event>> {
        let event = event.clone();
        self.write(move |tx| {
            task_exists(tx, &event)?;
            let row = new_row(EventId(tx.count("event")?), event, now);
            tx.put(EVENTS, row.id.0, &codec::from_event(&row))?;
            tx.count("routes")?;
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
            task,
            event_type,
            page: p,
        } = query.clone();
        self.read(move |tx, _| {
            let wanted = |row: &Value| {
                Ok(task.is_none_or(|t| row["task"] == t.0)
                    && event_type
                        .as_ref()
                        .is_none_or(|t| row["type"] == t.as_str()))
            };
            let rows = tx.open_table(EVENTS).map_err(failed)?;
            page(&rows, &numbers(p, |id| id.0), wanted, |id, row| {
                codec::event(id, &row)
            })
        })
        .await
    }

    async fn update_event(
        &self,
        edit: &Row<EventId, Event>,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let edit = edit.clone();
        self.write(move |tx| {
            let old = tx
                .row(EVENTS, edit.id.0)?
                .ok_or_else(|| StoreError::not_found("event"))?;
            let new = changed(&codec::event(edit.id.0, &old)?, edit, now, "event")?;
            task_exists(tx, &new.value)?;
            tx.put(EVENTS, new.id.0, &codec::from_event(&new))?;
            tx.count("routes")?;
            Ok(new)
        })
        .await
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            tx.row(EVENTS, id.0)?
                .ok_or_else(|| StoreError::not_found("event"))?;
            tx.remove(EVENTS, id.0)?;
            tx.count("routes")?;
            Ok(())
        })
        .await
    }

    async fn routes(&self) -> Answer<Routes> {
        self.read(|tx, keys| {
            let all = Page::first(u32::MAX);
            let open = |table: Rows| tx.open_table(table).map_err(failed);
            Ok(Routes {
                version: version(tx)?,
                webhooks: page(
                    &open(WEBHOOKS)?,
                    &all,
                    |_| Ok(true),
                    |id, row| codec::webhook(id, &row, keys),
                )?,
                tasks: page(
                    &open(TASKS)?,
                    &all,
                    |_| Ok(true),
                    |id, row| codec::task(id, &row),
                )?,
                events: page(
                    &open(EVENTS)?,
                    &all,
                    |_| Ok(true),
                    |id, row| codec::event(id, &row),
                )?,
            })
        })
        .await
    }

    async fn routes_version(&self) -> Answer<RoutesVersion> {
        self.read(|tx, _| version(tx)).await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}

fn version(tx: &ReadTransaction) -> Answer<RoutesVersion> {
    let counters = tx.open_table(COUNTERS).map_err(failed)?;
    Ok(RoutesVersion(counter(&counters, "routes")?))
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

fn new_row<I, T>(id: I, value: T, now: DateTime<Utc>) -> Row<I, T> {
    let now = to_micros(now);
    Row {
        id,
        revision: Revision::FIRST,
        created: now,
        modified: now,
        value,
    }
}

/// The row after an edit that shows the revision it read.
fn changed<I: Copy, T>(
    old: &Row<I, T>,
    edit: Row<I, T>,
    now: DateTime<Utc>,
    what: &'static str,
) -> Answer<Row<I, T>> {
    if old.revision != edit.revision {
        return Err(StoreError::new(ErrorKind::Stale, what));
    }
    Ok(Row {
        id: old.id,
        revision: old.revision.next(),
        created: old.created,
        modified: to_micros(now),
        value: edit.value,
    })
}

/// Removes a task with its events.
pub(super) fn remove_task(tx: &Tx, id: TaskId) -> Answer<()> {
    for (event, row) in tx.rows(EVENTS)? {
        if row["task"] == id.0 {
            tx.remove(EVENTS, event)?;
        }
    }
    tx.remove(TASKS, id.0)?;
    tx.count("routes")?;
    Ok(())
}

fn webhook_exists(tx: &Tx, task: &Task) -> Answer<()> {
    let Action::Send { webhook, .. } = &task.action else {
        return Err(StoreError::new(
            ErrorKind::Unsupported,
            "an action that this version does not know",
        ));
    };
    let rule = "the task's webhook does not exist";
    tx.row(WEBHOOKS, webhook.0)?
        .map(drop)
        .ok_or_else(|| StoreError::new(ErrorKind::Invalid, rule))
}

fn task_exists(tx: &Tx, event: &Event) -> Answer<()> {
    let rule = "the event's task does not exist";
    tx.row(TASKS, event.task.0)?
        .map(drop)
        .ok_or_else(|| StoreError::new(ErrorKind::Invalid, rule))
}

fn name(webhook: &Webhook) -> String {
    format!("webhook/{}", webhook.name)
}
