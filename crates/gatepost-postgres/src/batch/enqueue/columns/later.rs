//! What enqueues leave to be decided later: rows for the outbox.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::NewOutbox;
use tokio_postgres::types::ToSql;

use crate::column::without_nul;

/// What happened.
#[derive(Default)]
struct What<'a> {
    event_type: Vec<&'a str>,
    event: Vec<&'a str>,
    object_id: Vec<Option<Cow<'a, str>>>,
    object_name: Vec<Option<String>>,
    tags: Vec<String>,
    variables: Vec<String>,
    occurrence_id: Vec<Option<&'a str>>,
    data: Vec<Option<&'a str>>,
    webhooks: Vec<Option<String>>,
    channel: Vec<Option<&'a str>>,
    trace: Vec<Option<String>>,
}

/// The audience.
#[derive(Default)]
struct Audience {
    tenant: Vec<Option<String>>,
    owner: Vec<Option<String>>,
    operators: Vec<bool>,
}

#[derive(Default)]
pub(super) struct LaterColumns<'a> {
    item: Vec<i32>,
    what: What<'a>,
    audience: Audience,
    after_task: Vec<i64>,
    tasks: Vec<Option<String>>,
    due: Vec<DateTime<Utc>>,
    run_by: Vec<Option<String>>,
}

impl<'a> LaterColumns<'a> {
    pub(super) fn push(&mut self, number: i32, row: &'a NewOutbox) {
        let columns = OutboxColumns::of(&row.occurrence);
        let (after_task, tasks) = row.left.columns();
        self.item.push(number);
        self.what.event_type.push(columns.event_type);
        self.what.event.push(columns.event);
        self.what.object_id.push(columns.object_id);
        let object_name = columns.object_name.map(|name| without_nul(name.to_owned()));
        self.what.object_name.push(object_name);
        self.what.tags.push(columns.tags.into_owned());
        self.what.variables.push(columns.variables.into_owned());
        self.what.occurrence_id.push(columns.occurrence_id);
        self.what.data.push(columns.data);
        let webhooks = columns.webhooks.map(Cow::into_owned);
        self.what.webhooks.push(webhooks);
        self.what.channel.push(columns.channel);
        let trace = columns.trace.map(Cow::into_owned);
        self.what.trace.push(trace);
        self.audience
            .tenant
            .push(columns.tenant.map(Cow::into_owned));
        self.audience.owner.push(columns.owner.map(Cow::into_owned));
        self.audience.operators.push(columns.operators);
        self.after_task.push(after_task);
        self.tasks.push(tasks);
        self.due.push(row.due);
        self.run_by.push(row.by.map(|by| by.to_string()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.item.is_empty()
    }

    pub(super) fn params(&self) -> [&(dyn ToSql + Sync); 19] {
        [
            &self.item,
            &self.what.event_type,
            &self.what.event,
            &self.what.object_id,
            &self.what.object_name,
            &self.what.tags,
            &self.what.variables,
            &self.what.occurrence_id,
            &self.audience.tenant,
            &self.audience.owner,
            &self.audience.operators,
            &self.after_task,
            &self.tasks,
            &self.due,
            &self.what.data,
            &self.what.webhooks,
            &self.what.channel,
            &self.what.trace,
            &self.run_by,
        ]
    }
}
