//! The fields of webhooks, tasks and events, as the model shows them.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::TaskRow;
use gatepost_storage::{Revision, Row};
use webhook_model::{Event, EventId, TaskId, Webhook, WebhookId};

use crate::fields::{Field, of_event, of_task, of_webhook};
use crate::fixtures::{at, event, task, webhook};

/// The fields of each record, to show them.
pub(super) struct Fields {
    pub(super) webhooks: Vec<Field<Row<WebhookId, Webhook>>>,
    pub(super) tasks: Vec<Field<TaskRow>>,
    pub(super) events: Vec<Field<Row<EventId, Event>>>,
}

impl Fields {
    pub(super) fn new() -> Self {
        // References of a record are shown in words: no record has these numbers.
        let (webhooks, tasks) = ([WebhookId(-1), WebhookId(-2)], [TaskId(-1), TaskId(-2)]);
        Self {
            webhooks: of_webhook(&row(WebhookId(0), webhook("w"))),
            tasks: of_task(&row(TaskId(0), task(WebhookId(0))), webhooks),
            events: of_event(&row(EventId(0), event(TaskId(0))), tasks),
        }
    }
}

fn row<I, T>(id: I, value: T) -> Row<I, T> {
    Row {
        id,
        owner: OwnerId(0),
        revision: Revision::FIRST,
        created: at(0),
        modified: at(0),
        value,
    }
}
