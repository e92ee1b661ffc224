//! A record of any of the three kinds, as a store receives and returns it.

use gatepost_ids::OwnerId;
use webhook_model::{Action, Event, EventId, Task, TaskId, Webhook, WebhookId};

use crate::error::StoreError;
use crate::page::Row;

/// The id of a record in any of the three tables.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub enum RecordId {
    /// A webhook.
    Webhook(WebhookId),
    /// A task.
    Task(TaskId),
    /// An event.
    Event(EventId),
}

/// A stored webhook.
pub type WebhookRow = Row<WebhookId, Webhook>;

/// A stored task. Its owner is the owner of its webhook.
pub type TaskRow = Row<TaskId, Task>;

/// A stored event. Its owner is the owner of its task.
pub type EventRow = Row<EventId, Event>;

/// A stored record.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordRow {
    /// A webhook.
    Webhook(Row<WebhookId, Webhook>),
    /// A task.
    Task(TaskRow),
    /// An event.
    Event(Row<EventId, Event>),
}

/// The result of a lookup: the record, `None`, or `Corrupt` for one that cannot be read.
pub type Found<T> = Result<Option<T>, StoreError>;

/// The summary of a record without its texts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RecordHead {
    /// The id.
    pub record: RecordId,
    /// The owner.
    pub owner: OwnerId,
    /// Its name; `None` for an event, which has none, and if it cannot be read.
    pub name: Option<String>,
    /// Whether it is enabled; for a webhook whether it is active.
    pub enabled: bool,
}

/// Records that are stored in one commit, all of them or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewRecords {
    /// A webhook.
    pub webhook: Option<Webhook>,
    /// A task. If `webhook` is set, the task sends that one, whichever it names itself.
    pub task: Option<Task>,
    /// Events. If `task` is set, they run that one, whichever they name themselves.
    pub events: Vec<Event>,
}

/// [`NewRecords`] after they were stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InsertedRecords {
    /// The webhook.
    pub webhook: Option<Row<WebhookId, Webhook>>,
    /// The task.
    pub task: Option<TaskRow>,
    /// The events, in the order of the request.
    pub events: Vec<Row<EventId, Event>>,
}

/// The handling of tasks that send a deleted webhook.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Cascade {
    /// Refuse with `InUse` while a task sends this webhook.
    Refuse,
    /// Delete those tasks and their events too.
    Tasks,
}

impl InsertedRecords {
    /// Returns the task with the id of the webhook that was stored before it.
    #[must_use]
    pub fn linked_task(&self, mut task: Task) -> Task {
        if let (Some(stored), Action::Send { webhook, .. }) = (&self.webhook, &mut task.action) {
            *webhook = stored.id;
        }
        task
    }

    /// Returns an event with the id of the task that was stored before it.
    #[must_use]
    pub fn linked_event(&self, mut event: Event) -> Event {
        if let Some(stored) = &self.task {
            event.task = stored.id;
        }
        event
    }
}

impl RecordRow {
    /// Returns its row number.
    #[must_use]
    pub fn id(&self) -> RecordId {
        match self {
            Self::Webhook(row) => row.id.into(),
            Self::Task(row) => row.id.into(),
            Self::Event(row) => row.id.into(),
        }
    }
}

macro_rules! kinds {
    ($($kind:ident $id:ident;)*) => {$(
        impl From<$id> for RecordId {
            fn from(id: $id) -> Self {
                Self::$kind(id)
            }
        }

        impl From<Row<$id, $kind>> for RecordRow {
            fn from(row: Row<$id, $kind>) -> Self {
                Self::$kind(row)
            }
        }

        impl TryFrom<RecordRow> for Row<$id, $kind> {
            type Error = StoreError;

            fn try_from(row: RecordRow) -> Result<Self, StoreError> {
                match row {
                    RecordRow::$kind(row) => Ok(row),
                    _ => Err(StoreError::corrupt("record", "of another kind than was asked for")),
                }
            }
        }
    )*};
}
kinds! {
    Webhook WebhookId;
    Task TaskId;
    Event EventId;
}

impl From<Webhook> for NewRecords {
    fn from(webhook: Webhook) -> Self {
        Self {
            webhook: Some(webhook),
            ..Self::default()
        }
    }
}

impl From<Task> for NewRecords {
    fn from(task: Task) -> Self {
        Self {
            task: Some(task),
            ..Self::default()
        }
    }
}

impl From<Event> for NewRecords {
    fn from(event: Event) -> Self {
        Self {
            events: vec![event],
            ..Self::default()
        }
    }
}

/// Returns these numbers, each once, in order.
pub(super) fn in_order<I: Copy + Into<RecordId>>(ids: &[I]) -> Vec<RecordId> {
    let mut ids: Vec<RecordId> = ids.iter().map(|id| (*id).into()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the records that were found and can be read.
pub(super) fn readable<R>(found: Vec<Found<RecordRow>>) -> Result<Vec<R>, StoreError>
where
    R: TryFrom<RecordRow, Error = StoreError>,
{
    let rows = found.into_iter().flatten().flatten();
    rows.map(TryInto::try_into).collect()
}

pub(super) fn not_returned() -> StoreError {
    StoreError::corrupt("record", "not among what the store returned")
}
