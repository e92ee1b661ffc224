//! Rows of the outbox.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use webhook_model::OwnerId;

use crate::columns::OutboxColumns;
use crate::webhooks::{NewOutbox, OpenOutbox, OutboxAudience, OutboxId, OutboxRow, RemainingTasks};

/// A stored row of the outbox: an occurrence, its remaining tasks, and the number of its processing
/// round.
///
/// It also holds columns that cannot be read, so that such a row can be rejected.
#[derive(Clone, Deserialize, Serialize)]
pub struct StoredOccurrence {
    turn: u32,
    created: i64,
    due: i64,
    after_task: i64,
    tasks: Option<String>,
    event_type: String,
    event: String,
    object_id: Option<String>,
    object_name: Option<String>,
    tags: String,
    variables: String,
    data: Option<String>,
    occurrence_id: Option<String>,
    webhooks: Option<String>,
    channel: Option<String>,
    tenant: Option<String>,
    owner: Option<String>,
    operators: bool,
    trace: Option<String>,
    run_by: Option<OwnerId>,
    rejected: Option<String>,
}

impl StoredOccurrence {
    /// Creates a new row in its first round.
    #[must_use]
    pub fn pushed(new: &NewOutbox, now: DateTime<Utc>) -> Self {
        let columns = OutboxColumns::of(&new.occurrence);
        let (after_task, tasks) = new.left.columns();
        let maybe = |text: Option<&str>| text.map(str::to_owned);
        Self {
            turn: 0,
            created: now.timestamp_micros(),
            due: new.due.timestamp_micros(),
            after_task,
            tasks,
            event_type: columns.event_type.to_owned(),
            event: columns.event.to_owned(),
            object_id: maybe(columns.object_id.as_deref()),
            object_name: maybe(columns.object_name),
            tags: columns.tags.into_owned(),
            variables: columns.variables.into_owned(),
            data: maybe(columns.data),
            occurrence_id: maybe(columns.occurrence_id),
            webhooks: maybe(columns.webhooks.as_deref()),
            channel: maybe(columns.channel),
            tenant: maybe(columns.tenant.as_deref()),
            owner: maybe(columns.owner.as_deref()),
            operators: columns.operators,
            trace: maybe(columns.trace.as_deref()),
            run_by: new.by,
            rejected: None,
        }
    }

    /// Returns the audience.
    #[must_use]
    pub fn audience(&self) -> OutboxAudience {
        OutboxAudience::of_columns(self.tenant.as_deref(), self.owner.as_deref())
    }

    /// Returns the due time in microseconds since 1970; `None` for a rejected row.
    #[must_use]
    pub fn waits_until(&self) -> Option<i64> {
        self.rejected.is_none().then_some(self.due)
    }

    /// Returns whether it waits in this round.
    #[must_use]
    pub fn is_at(&self, turn: u32) -> bool {
        self.rejected.is_none() && self.turn == turn
    }

    /// Postpones it until `due` and starts its next round, with the remaining tasks if they
    /// changed.
    pub fn move_on(&mut self, changed: Option<&RemainingTasks>, due: DateTime<Utc>) {
        if let Some(left) = changed {
            (self.after_task, self.tasks) = left.columns();
        }
        self.turn = self.turn.saturating_add(1);
        self.due = due.timestamp_micros();
    }

    /// Rejects it.
    pub fn reject(&mut self, reason: &str) {
        self.rejected = Some(reason.to_owned());
    }

    /// Returns the row. If a column cannot be read, the row contains the reason.
    #[must_use]
    pub fn row(&self, id: OutboxId) -> OutboxRow {
        let (occurrence, left) =
            match RemainingTasks::from_columns(self.after_task, self.tasks.as_deref()) {
                Ok(left) => (self.columns().occurrence(), left),
                Err(unreadable) => (Err(unreadable), RemainingTasks::Tasks(Vec::new())),
            };
        OutboxRow {
            id,
            occurrence,
            left,
            by: self.run_by,
            turn: self.turn,
            created: DateTime::from_timestamp_micros(self.created).unwrap_or_default(),
        }
    }

    /// Returns the open part of the row; `None` for a rejected row.
    #[must_use]
    pub fn open(&self, id: OutboxId) -> Option<OpenOutbox> {
        let due = DateTime::from_timestamp_micros(self.waits_until()?).unwrap_or_default();
        let left = RemainingTasks::from_columns(self.after_task, self.tasks.as_deref());
        Some(OpenOutbox::of(id, left, due))
    }

    fn columns(&self) -> OutboxColumns<'_> {
        OutboxColumns {
            event_type: &self.event_type,
            event: &self.event,
            object_id: self.object_id.as_deref().map(Into::into),
            object_name: self.object_name.as_deref(),
            tags: self.tags.as_str().into(),
            variables: self.variables.as_str().into(),
            data: self.data.as_deref(),
            occurrence_id: self.occurrence_id.as_deref(),
            webhooks: self.webhooks.as_deref().map(Into::into),
            channel: self.channel.as_deref(),
            tenant: self.tenant.as_deref().map(Into::into),
            owner: self.owner.as_deref().map(Into::into),
            operators: self.operators,
            trace: self.trace.as_deref().map(Into::into),
        }
    }
}

/// Omits variables and data, which are content of messages.
impl fmt::Debug for StoredOccurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredOccurrence")
            .field("event_type", &self.event_type)
            .field("event", &self.event)
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}
